"""Judges by the evidence that they saw: mean and correlation with people, compared with the baselines (spec 01)."""

from saiten.results.meta_evaluation import AspectResult, MetaEvaluation, MetricResult
from saiten.stats.estimate import Estimate
from saiten.views.table import Cell, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns

_MODES = {"answer": ", E2", "reference": ", E3", "none": ", no evidence", "": ""}
"""Suffix of each mode's columns, with the papers' name if it has one."""


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
    names = [f"Pearson{_MODES[mode]}" for mode in modes]
    columns = [column for mode in modes for column in _columns(_MODES[mode], form)]
    places = any(one.made.place for one in aspect.metrics)
    cells = [
        (*_key(*key, places=places), *(cell for mode in modes for cell in _cells(by.get(mode), form)))
        for key, by in rows.items()
    ]
    people: tuple[Cell, ...] = (*_key("people", "", "", places=places), *_people(aspect, modes, form))
    caption = (
        "E2: the judge saw what the system retrieved; E3: what question and reference retrieve together. The mean is "
        "over the items that people graded, too; people's over all of them. 95 % interval: bootstrap over questions."
    )
    return Table(
        f"{aspect.aspect or 'labels'}: judges and evidence",
        (*_key("metric", "judge", "run", places=places), *columns),
        (*cells, people) if several else (),
        caption,
        form.intervals(*names),
    )


def _key(metric: str, judge: str, run: str, *, places: bool) -> tuple[str, ...]:
    return (metric, judge, run) if places else (metric, judge)


def _columns(mode: str, form: IntervalColumns) -> tuple[str, ...]:
    return (f"mean{mode}", *form.columns(f"Pearson{mode}"), f"n{mode}")


def _cells(one: MetricResult | None, form: IntervalColumns) -> Cells:
    if one is None:
        return (None, *form.cells(Estimate(None, 0)), None)
    return (one.mean, *form.cells(one.items.pearson), one.n)


def _people(aspect: AspectResult, modes: list[str], form: IntervalColumns) -> Cells:
    """Return people's mean once, in the columns without a mode if any."""
    at = modes.index("") if "" in modes else 0
    none = form.cells(Estimate(None, 0))
    return tuple(
        cell
        for place in range(len(modes))
        for cell in ((aspect.mean, *none, aspect.n) if place == at else (None, *none, None))
    )
