"""Prediction-powered estimates as tables: for the terminal within 100 columns, otherwise with every figure."""

from itertools import groupby

from saiten.results.estimate import Estimates, MeanEstimate
from saiten.stats.prediction_powered_records import Mean
from saiten.views.table import Cell, Table
from saiten.views.tables.interval_columns import IntervalColumns

_TITLE = "What people would say of the whole set"
_CAPTION = (
    "What people would say on average of all items: from the labels alone, and from labels and judge together (PPI++). "
    "95 % intervals by question, valid only if the labelled items are a random sample of all. λ: how much the judge "
    "counts, 0 for one that says nothing. Saved: how many further labels would narrow the interval as the judge does."
)
_FORM = IntervalColumns(numbers=True)
_MEANS = ("labels alone", "with the judge")
_AT_A_GLANCE = (
    "What people would say on average of all items, ± half of a 95 % interval by question, valid only if the labelled "
    "items are a random sample of all. Saved: how many further labels would narrow the interval as the judge does."
)
_FORECAST = " For ± {width:g}: labels needed with the judge, and without."
_NEEDED = " Labels needed: for the half width, with the judge and without; empty where all items would not do."


def estimate_tables(found: Estimates, *, glance: bool = False) -> list[Table]:
    """Return one table with a row per estimate; `glance`: one per aspect and metric, with fewer columns."""
    if glance:
        return _glance(found)
    columns: tuple[str, ...] = ("aspect", "metric", "of", "judge alone", *_FORM.columns(*_MEANS))
    columns += ("λ", "labels", "questions", "items", "saved")
    if found.width is not None:
        columns += ("half width", "labels needed", "labels needed without the judge")
    columns += ("remarks",)
    rows = tuple(_row(row, found.width) for row in found.means)
    caption = _CAPTION if found.width is None else _CAPTION + _NEEDED
    return [Table(_TITLE, columns, rows, caption, _FORM.intervals(*_MEANS))]


def _row(row: MeanEstimate, width: float | None) -> tuple[Cell, ...]:
    found = row.powered
    one = found.lambdas[0] if len(found.lambdas) == 1 else None
    several = "" if one is not None else f"λ of each part: {', '.join(f'{each:.2f}' for each in found.lambdas)}"
    cells: tuple[Cell, ...] = (row.aspect, row.metric, row.what, found.judge)
    for mean in (found.alone, found.powered):
        cells += (mean.value, *_FORM.ends(mean.low, mean.high))
    cells += (one, found.n, found.clusters, found.total, found.saved)
    if width is not None:
        needed = found.needed(width)
        cells += (width, needed.total, needed.alone) if needed else (width, None, None)
    return (*cells, "; ".join((*row.remarks, several)) if several else "; ".join(row.remarks))


def _needed(row: MeanEstimate, width: float, every: str) -> tuple[Cell, Cell]:
    needed = row.powered.needed(width)
    return ("–", "–") if needed is None else (needed.total or every, needed.alone or every)


def _glance(found: Estimates) -> list[Table]:
    columns: tuple[str, ...] = ("of", "judge", "labels alone", "with the judge", "labels", "items", "saved")
    caption = _AT_A_GLANCE
    if found.width is not None:
        columns += (f"for ± {found.width:g}", "without")
        caption += _FORECAST.format(width=found.width)
    tables = [
        Table(
            f"{_TITLE}: {metric}" + (f", {aspect}" if aspect else ""),
            columns,
            tuple(_short(row, found.width) for row in rows),
        )
        for (aspect, metric), rows in groupby(found.means, lambda row: (row.aspect, row.metric))
    ]
    tables[-1] = Table(tables[-1].title, columns, tables[-1].rows, caption)
    remarks = tuple(
        (remark, ", ".join(dict.fromkeys(row.what for row in found.means if remark in row.remarks)))
        for remark in dict.fromkeys(remark for row in found.means for remark in row.remarks)
    )
    return [*tables, Table("Remarks", ("remark", "of"), remarks)] if remarks else tables


def _short(row: MeanEstimate, width: float | None) -> tuple[Cell, ...]:
    found = row.powered
    cells: tuple[Cell, ...] = (
        row.what,
        found.judge,
        _with_half(found.alone),
        _with_half(found.powered),
        found.n,
        found.total,
        found.saved,
    )
    return cells if width is None else cells + _needed(row, width, f"> {found.total}")


def _with_half(mean: Mean) -> str:
    """Format without spaces, to stay on one line; with both ends if ± would exceed the possible range."""
    if mean.half is not None and not mean.cut:
        return f"{mean.value:.3f}±{mean.half:.3f}"
    if mean.low is None or mean.high is None:
        return f"{mean.value:.3f}"
    return f"{mean.value:.3f}[{mean.low:.3f},{mean.high:.3f}]"
