"""Judges by the evidence that they saw: mean and correlation with people, compared with the baselines (spec 01)."""

from saiten.results.aspect_result import AspectResult
from saiten.results.meta_evaluation import MetaEvaluation
from saiten.results.metric_result import MetricResult
from saiten.stats.estimate import Estimate
from saiten.views.table import Cell, Heading, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.words import Message

_MODES = ("answer", "reference", "none", "")
"""Kinds of evidence, in the order of the columns; "" for a metric without evidence."""


def judge_tables(found: MetaEvaluation, *, glance: bool = False) -> list[Table]:
    """Return one row per metric, judge and run; three columns per mode. Empty if one judge graded in one mode."""
    form = IntervalColumns(numbers=not glance)
    tables = [_table(aspect, form) for aspect in found.aspects if not aspect.pairs]
    return [table for table in tables if table.rows]


def _table(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: dict[tuple[str, str, str], dict[str, MetricResult]] = {}
    for one in sorted(aspect.metrics, key=lambda one: not one.made.judge):  # baselines at the end
        rows.setdefault((one.made.family, one.made.judge, one.made.place), {})[one.made.evidence] = one
    modes = [mode for mode in _MODES if any(mode in by_mode for by_mode in rows.values())]
    several = len([one for one in aspect.metrics if one.made.judge and one.made.evidence]) > 1
    kept = 3 if any(one.made.place for one in aspect.metrics) else 2
    cells = [
        (*key[:kept], *(cell for mode in modes for cell in _cells(by.get(mode), form))) for key, by in rows.items()
    ]
    people: Cells = (*(Message("column", "people"), "", "")[:kept], *_people(aspect, modes, form))
    columns = [
        column for mode in modes for column in (_of("mean", mode), *form.columns(_of("pearson", mode)), _of("n", mode))
    ]
    return Table(
        Message("title", "judges", aspect=aspect.aspect or Message("cell", "labels")),
        (*("metric", "judge", "run")[:kept], *columns),
        (*cells, people) if several else (),
        (Message("caption", "judges"),),
        form.intervals(*(_of("pearson", mode) for mode in modes)),
    )


def _of(column: str, mode: str) -> Heading:
    """Return the heading of a mode's column, with the papers' name of the mode if it has one."""
    heading = Message("column", column)
    return Message("column", "of_mode", column=heading, mode=Message("evidence", mode)) if mode else heading


def _cells(one: MetricResult | None, form: IntervalColumns) -> Cells:
    if one is None:
        return (None, *form.cells(Estimate(None, 0)), None)
    return (one.mean, *form.cells(one.items.pearson), one.n)


def _people(aspect: AspectResult, modes: list[str], form: IntervalColumns) -> Cells:
    """Return people's mean once, in the columns without a mode if any."""
    at = modes.index("") if "" in modes else 0
    none = form.cells(Estimate(None, 0))
    each: list[tuple[Cell, ...]] = [(None, *none, None)] * len(modes)
    each[at] = (aspect.mean, *none, aspect.n)
    return tuple(cell for cells in each for cell in cells)
