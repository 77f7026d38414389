"""The charts of a report, made of what its tables are made of."""

from array import array
from collections.abc import Mapping, Sequence

import numpy as np

from saiten.errors import ConfigurationError
from saiten.meta_evaluation.report import AspectResult
from saiten.metrics.catalog import make_metric
from saiten.records import Language, Usage
from saiten.reports.charts import (
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
from saiten.reports.meta_tables import measure_name
from saiten.reports.tables import Table
from saiten.summary import Figure

_NONE = {"auroc": 0.5, "balanced_accuracy": 0.5, "f1": None, "agreement": None, "accuracy": None}
"""What a figure is where a metric says nothing; 0 where it does not stand here."""

Bounds = tuple[float | None, float | None]


def bounds_of(metric: str) -> Bounds:
    """The ends of the metric's scale; None where it has none, or is not one of ours."""
    try:
        low, high = make_metric(metric).bounds
    except ConfigurationError:
        return (None, None)
    return (low if np.isfinite(low) else None, high if np.isfinite(high) else None)


def means_chart(figures: Sequence[tuple[str, Figure]], language: Language) -> VegaChart:
    """The means of figures, each with the name of what it is of: a system, a run, "" for everything."""
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
    return means(rows, language)


def distribution_charts(values: Mapping[str, Mapping[str, "array[float]"]], language: Language) -> list[VegaChart]:
    """One for each metric, a row of bars a system."""
    return [distributions(metric, of, bounds_of(metric), language) for metric, of in values.items()]


def differences_chart(table: Table, language: Language) -> VegaChart:
    """The differences of a table of `comparison.side_tables`."""
    first, _, second = table.title.partition(" → ")
    metric, difference, low, high, p, n = (
        table.columns.index(name) for name in ("metric", "difference", "95 % from", "to", "p", "n")
    )
    rows = [
        DifferenceRow(
            str(row[metric]),
            first,
            second,
            _number(row[difference]),
            _number(row[low]),
            _number(row[high]),
            _number(row[p]),
            int(_number(row[n]) or 0),
        )
        for row in table.rows
    ]
    return differences(rows, language)


def _number(cell: object) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None


def ranking_chart(aspect: AspectResult, language: Language) -> VegaChart | None:
    """The ranking with people's agreement among themselves, where it is in the same measure."""
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
    return ranking(rows, ceiling, language, by=measure_name(found.by), none=_NONE.get(found.by, 0.0))


def costs_chart(rows: Sequence[tuple[str, Usage, float | None, int]], currency: str, language: Language) -> VegaChart:
    """What each of them took: its usage, seconds an answer where known, answers."""
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
        language,
        currency=currency,
    )
