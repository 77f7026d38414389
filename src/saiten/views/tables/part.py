"""Every figure by group or system, as one long table of a meta-evaluation."""

from collections.abc import Iterator

from saiten.choices import SplitBy
from saiten.results.aspect_result import AspectResult
from saiten.results.meta_evaluation import FIGURES
from saiten.results.metric_result import MetricResult
from saiten.results.preferences import Preferences
from saiten.stats.estimate import Estimate
from saiten.views.table import Name, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.meta_cells import aspect_table, measure_name, why_not
from saiten.words import Message

_GRADES = {"agreement": "same_grade", "linear_kappa": "kappa_linear", "quadratic_kappa": "kappa_quadratic"}


def parts_table(aspect: AspectResult, form: IntervalColumns, *, by: SplitBy | None, glance: bool) -> Table:
    """Return one row per part, metric and figure; `glance`: only the figure that metrics are ranked by."""
    ranked = measure_name(aspect.ranking.by) if aspect.ranking else None
    rows: list[Cells] = []
    for part in aspect.parts:
        for one in part.metrics:
            rows += [
                (Name(part.name), part.n, one.metric, name, *form.cells(figure), figure.n, why_not(figure))
                for name, figure in _figures(one)
                if not glance or name == ranked
            ]
    by = by or "group"
    title, before, after = f"aspect_by_{by}", (by, "labeled", "metric", "figure"), ("n", "remarks")
    return aspect_table(aspect, title, rows, ("value",), form, before=before, after=after, captions=["parts"])


def _figures(one: MetricResult) -> Iterator[tuple[Message, Estimate]]:
    """Yield every figure that the labels allow."""
    yield from ((measure_name(name), getattr(one.items, name)) for name in FIGURES["items"])
    for level, key in ((one.questions, "figure_within_questions"), (one.systems, "figure_over_systems")):
        if level is not None:
            for name in FIGURES["items"]:
                yield Message("cell", key, figure=measure_name(name)), getattr(level, name)
    if one.systems is not None:
        yield Message("column", "pairs_ordered_alike"), one.systems.pairs.ordered
    if one.wins is not None:
        yield Message("cell", "pairs_ordered_alike_by_wins"), one.wins.ordered
    yield from _of_values(one)
    if one.preferences is not None:
        yield from _of_preferences(one.preferences)


def _of_values(one: MetricResult) -> Iterator[tuple[Message, Estimate]]:
    if one.decisions is not None:
        yield from ((measure_name(name), getattr(one.decisions, name)) for name in FIGURES["decisions"])
    if one.grades is not None:
        yield from ((Message("column", key), getattr(one.grades, name)) for name, key in _GRADES.items())
        yield Message("cell", "macro_f1_of_grades"), one.grades.macro_f1
    if one.bias is not None:
        yield Message("column", "metric_minus_people"), one.bias.overall


def _of_preferences(one: Preferences) -> Iterator[tuple[Message, Estimate]]:
    yield from ((measure_name(name), getattr(one, name)) for name in FIGURES["preferences"])
    if one.orders is not None:
        yield Message("cell", "consistent_in_both_orders"), one.orders.consistent
        yield Message("cell", "mean_accuracy_of_both_orders"), one.orders.accuracy
        yield Message("column", "shown_first"), one.orders.first
