"""Metrics that rank answers better than the offline judge's verdicts."""

import pytest

from saiten.judges.offline.alternatives import ALTERNATIVES, better_metrics
from saiten.metrics.catalog import make_metric


@pytest.mark.parametrize("alternative", ALTERNATIVES, ids=str)
def test_an_alternative_can_be_scored_with_what_the_metric_needs(alternative):
    """Both are metrics, and the alternative asks for no field of a sample that the metric does without."""
    metric, instead = make_metric(alternative.metric), make_metric(alternative.instead)
    assert set(instead.needs) <= {*metric.needs, "answer"}


@pytest.mark.parametrize(
    ("metrics", "languages", "expected"),
    [
        (["faithfulness"], ["en"], ["context_overlap (than faithfulness, en)"]),
        (["faithfulness"], ["ja"], ["faithfulness[worst] (than faithfulness, ja)"]),
        (["faithfulness", "context_overlap"], ["en"], []),
        (["accuracy"], ["ja"], ["correctness (than accuracy)"]),
        (["accuracy", "correctness", "rouge_l"], ["en"], []),
        (["correctness"], ["en"], ["rouge_l (than correctness, en, summaries)"]),
        (["token_f1", "faithfulness[worst]"], ["en", "ja"], []),
    ],
)
def test_it_is_named_for_the_languages_of_the_samples_unless_it_is_scored(metrics, languages, expected):
    """Nothing is said about metrics that were not measured, or that are already there."""
    assert list(map(str, better_metrics(metrics, languages))) == expected
