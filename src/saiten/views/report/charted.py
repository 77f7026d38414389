"""The charts of a report, made from the data of its tables."""

from array import array
from collections.abc import Mapping, Sequence

import numpy as np

from saiten.dialogue.scores import HIGHEST
from saiten.errors import ConfigurationError
from saiten.metrics.catalog import make_metric
from saiten.records import Usage
from saiten.results.comparison import OUTSIDE_NOISE, Comparison
from saiten.results.meta_evaluation import AspectResult
from saiten.results.summary import Figure
from saiten.views.charts import (
    CostRow,
    DifferenceRow,
    MeanRow,
    PeoplesAgreement,
    RankingRow,
    VegaChart,
    costs,
    differences,
    distributions,
    means,
    ranking,
)
from saiten.views.tables.meta_cells import measure_name

_NONE = {"auroc": 0.5, "balanced_accuracy": 0.5, "f1": None, "macro_f1": None, "agreement": None, "accuracy": None}
"""Values of figures for an uninformative metric: None if there is none, 0 for figures not listed."""

_ROWS = 16
"""Rows of a chart of means that fit on a screen."""

Bounds = tuple[float | None, float | None]


_DIALOGUES: Mapping[str, Bounds] = {
    "wscore": (0.0, HIGHEST),
    "lscore": (1.0, None),
    "mscore": (0.0, HIGHEST),
    "leak": (0.0, 1.0),
}
"""Scales of the dialogue scores, which are not in the metric catalogue."""


def bounds_of(metric: str) -> Bounds:
    """Return the ends of the metric's scale; None at an open end, or for an unknown metric."""
    if metric in _DIALOGUES:
        return _DIALOGUES[metric]
    try:
        low, high = make_metric(metric).bounds
    except ConfigurationError:
        return (None, None)
    return (low if np.isfinite(low) else None, high if np.isfinite(high) else None)


def means_charts(figures: Sequence[tuple[str, Figure]]) -> list[VegaChart]:
    """Draw the means of figures, each with the name of its subject: a system, a run, "" for everything.

    Returns one chart, or several with some of the metrics each if one would not fit on a screen.
    """
    rows = [
        MeanRow(
            figure.metric,
            name,
            figure.mean,
            figure.low,
            figure.high,
            figure.n,
            figure.total - figure.n,
            bounds_of(figure.metric),
        )
        for name, figure in figures
    ]
    parts: list[list[MeanRow]] = [[]]
    by_metric = {
        metric: [row for row in rows if row.metric == metric] for metric in dict.fromkeys(r.metric for r in rows)
    }
    for of in by_metric.values():
        if parts[-1] and len(parts[-1]) + len(of) > _ROWS:
            parts.append([])
        parts[-1] += of
    return [means(part, part=len(parts) > 1) for part in parts if part]


def distribution_charts(values: Mapping[str, Mapping[str, "array[float]"]]) -> list[VegaChart]:
    """Draw one chart per metric with one row of bars per system, in the order of the tables."""
    return [distributions(metric, dict(sorted(of.items())), bounds_of(metric)) for metric, of in values.items()]


def differences_chart(compared: Comparison) -> VegaChart:
    """Draw the differences of two sides; one without a verdict is drawn as possible noise."""
    rows = [
        DifferenceRow(
            each.metric,
            compared.first,
            compared.second,
            each.pairs.difference,
            each.pairs.low,
            each.pairs.high,
            each.p_value,
            each.pairs.n,
            apart=each.verdict in OUTSIDE_NOISE,
        )
        for each in compared.metrics
    ]
    return differences(rows)


def ranking_chart(aspect: AspectResult) -> VegaChart | None:
    """Draw the ranking, with the agreement among people if it is in the same measure."""
    found = aspect.ranking
    if found is None:
        return None
    rows = [
        RankingRow(
            place.metric,
            place.figure.value,
            place.figure.low,
            place.figure.high,
            place.figure.n,
            place.rank,
            place.letters,
        )
        for place in found.places
        if not place.people
    ]
    people = next((place.figure for place in found.places if place.people), None)
    ceiling = None
    if people is not None and people.value is not None:
        ceiling = PeoplesAgreement(people.value, people.low, people.high)
    return ranking(rows, ceiling, by=measure_name(found.by), none=_NONE.get(found.by, 0.0))


def costs_chart(rows: Sequence[tuple[str, Usage, float | None, int]], currency: str) -> VegaChart:
    """Draw the cost of each row: its usage, seconds per answer if known, number of answers."""
    return costs(
        [
            CostRow(
                name,
                None if usage.unpriced and not usage.cost else usage.cost,
                seconds,
                usage.prompt_tokens + usage.completion_tokens,
                usage.calls,
                n,
            )
            for name, usage, seconds, n in rows
        ],
        currency=currency,
    )
