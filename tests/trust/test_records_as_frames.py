"""The records of agreement, meta-evaluation, ranking, estimates and probes as data frames."""

import pytest

from saiten.records import Label
from saiten.results.meta_evaluation import Settings
from saiten.results.place import Place
from saiten.results.probe import ProbeReport
from saiten.trust.agreement import agreement_report
from saiten.trust.estimate import estimate
from saiten.trust.inputs.outputs import Output
from saiten.trust.inputs.pairing import pair
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate

pytest.importorskip("pandas")

ITEMS = {f"i{n:02}": Place(f"q{n // 2}", "ab"[n % 2]) for n in range(40)}
OUTPUTS = [Output(item, metric, (n * 7 % 10) / 10) for metric in "mk" for n, item in enumerate(ITEMS)]
LABELS = [Label(item, float((n * 7 + who) % 10 > 4), f"a{who}") for n, item in enumerate(ITEMS) for who in range(2)]


def test_agreement_has_a_row_per_figure():
    """Rows are named by key, with the ends of the interval."""
    frame = agreement_report(LABELS, resamples=50).to_pandas()
    assert list(frame.columns) == ["aspect", "figure", "value", "ci_low", "ci_high", "n"]
    assert list(frame["figure"]) == ["percent", "percent_by_chance", "kappa", "fleiss_kappa", "alpha_nominal"]


def test_a_meta_evaluation_has_a_column_per_figure():
    """It has its interval, and the metric's rank."""
    found = meta_evaluate(pair(ITEMS, OUTPUTS, LABELS), Settings(resamples=50))
    frame = found.to_pandas()
    assert list(frame["metric"]) == ["m", "k"]
    assert {"pearson", "pearson_ci_low", "pearson_ci_high", "auroc", "kappa", "bias", "rank", "letters"} <= set(frame)
    assert frame["auroc"][0] == found.aspects[0].metrics[0].decisions.auroc.value
    ranking = found.aspects[0].ranking.to_pandas()
    assert list(ranking.columns) == ["rank", "letters", "metric", "people", "value", "ci_low", "ci_high", "n"]


def test_estimates_and_probes_are_rows_too():
    """One per mean; a probe report without probes has none."""
    frame = estimate(ITEMS, OUTPUTS, LABELS[:40], metrics=["m"]).to_pandas()
    assert list(frame["of"]) == ["all", "a", "b"]
    assert {"estimate", "ci_low", "ci_high", "labels_mean", "labels_saved"} <= set(frame)
    assert ProbeReport(()).rows() == []
