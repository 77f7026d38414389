"""Every figure by group or system, as one long table of a meta-evaluation."""

from collections.abc import Iterator

from saiten.choices import SplitBy
from saiten.results.meta_evaluation import AspectResult, MetricResult
from saiten.results.metric_figures import Preferences
from saiten.stats.estimate import Estimate
from saiten.views.table import Name, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.meta_cells import aspect_name, measure_name, why_not

_CORRELATIONS = ("pearson", "spearman", "kendall")
_DECISIONS = ("agreement", "kappa", "f1", "macro_f1", "balanced_accuracy", "auroc")
_GRADES = {"agreement": "same grade", "linear_kappa": "kappa, linear", "quadratic_kappa": "kappa, quadratic"}


def parts_table(aspect: AspectResult, form: IntervalColumns, *, by: SplitBy | None, glance: bool) -> Table:
    """Return one row per part, metric and figure; `glance`: only the figure that metrics are ranked by."""
    ranked = measure_name(aspect.ranking.by) if aspect.ranking else ""
    rows: list[Cells] = []
    for part in aspect.parts:
        for one in part.metrics:
            rows += [
                (Name(part.name), part.n, one.metric, name, *form.cells(figure), figure.n, why_not(figure))
                for name, figure in _figures(one)
                if not glance or name == ranked
            ]
    columns = (by or "part", "labeled", "metric", "figure", *form.columns("value"), "n", "remarks")
    caption = "Scales and decisions are those of all items; intervals draw the questions of the part."
    return Table(f"{aspect_name(aspect)}: by {by}", columns, tuple(rows), caption, form.intervals("value"))


def _figures(one: MetricResult) -> Iterator[tuple[str, Estimate]]:
    """Yield every figure that the labels allow."""
    for name in _CORRELATIONS:
        yield measure_name(name), getattr(one.items, name)
    for level, where in ((one.questions, "within questions"), (one.systems, "over systems")):
        if level is not None:
            yield from ((f"{measure_name(name)}, {where}", getattr(level, name)) for name in _CORRELATIONS)
    if one.systems is not None:
        yield "pairs ordered alike", one.systems.pairs.ordered
    if one.wins is not None:
        yield "pairs ordered alike, by wins", one.wins.ordered
    if one.decisions is not None:
        yield from ((measure_name(name), getattr(one.decisions, name)) for name in _DECISIONS)
    if one.grades is not None:
        yield from ((text, getattr(one.grades, name)) for name, text in _GRADES.items())
        yield "macro F1 of grades", one.grades.macro_f1
    if one.bias is not None:
        yield "metric - people", one.bias.overall
    if one.preferences is not None:
        yield from _of_preferences(one.preferences)


def _of_preferences(one: Preferences) -> Iterator[tuple[str, Estimate]]:
    yield from ((measure_name(name), getattr(one, name)) for name in ("accuracy", "kappa", "macro_f1"))
    if one.orders is not None:
        yield "consistent in both orders", one.orders.consistent
        yield "mean accuracy of both orders", one.orders.accuracy
        yield "for the answer shown first", one.orders.first
