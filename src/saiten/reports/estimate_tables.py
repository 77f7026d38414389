"""Prediction-powered estimates as tables: for the terminal one that fits 100 columns, else one with every figure."""

from itertools import groupby

from saiten.meta_evaluation.prediction_powered import Estimates, Row
from saiten.reports.tables import Cell, Interval, Table
from saiten.stats.prediction_powered import Mean

_TITLE = "What people would say of the whole set"
_CAPTION = (
    "What people would say on average of all items: from the labels alone, and from labels and judge together (PPI++). "
    "95 % intervals by question, valid only if the labelled items are a random sample of all. λ: how much the judge "
    "counts, 0 for one that says nothing. Saved: how many further labels would narrow the interval as the judge does."
)
_DRAWN = (Interval("labels alone", "95 % from", "to"), Interval("with the judge", "from", "up to"))
_AT_A_GLANCE = (
    "What people would say on average of all items, ± half of a 95 % interval by question, valid only if the labelled "
    "items are a random sample of all. Saved: how many further labels would narrow the interval as the judge does."
)
_FORECAST = " For ± {width:g}: labels needed with the judge, and without."


def estimate_tables(found: Estimates, *, glance: bool = False) -> list[Table]:
    """One table, a row an estimate; `glance`: one for each aspect and metric, fewer columns, remarks apart."""
    if glance:
        return _glance(found)
    columns: tuple[str, ...] = ("aspect", "metric", "of", "judge alone", "labels alone", "95 % from", "to")
    columns += ("with the judge", "from", "up to", "λ", "labels", "items", "saved")
    if found.width is not None:
        columns += (f"labels for ± {found.width:g}", "without the judge")
    columns += ("remarks",)
    rows = tuple(_row(row, found.width) for row in found.rows)
    return [Table(_TITLE, columns, rows, _CAPTION, _DRAWN, "several")]


def _row(row: Row, width: float | None) -> tuple[Cell, ...]:
    found = row.powered
    cells: tuple[Cell, ...] = (
        row.aspect,
        row.metric,
        row.what,
        found.judge,
        found.alone.value,
        found.alone.low,
        found.alone.high,
        found.powered.value,
        found.powered.low,
        found.powered.high,
        " / ".join(f"{weight:.2f}" for weight in found.lambdas),
        found.n,
        found.total,
        found.saved,
    )
    if width is not None:
        cells += _needed(row, width, "more than there are items")
    return (*cells, "; ".join(row.remarks))


def _needed(row: Row, width: float, every: str) -> tuple[Cell, Cell]:
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
        for (aspect, metric), rows in groupby(found.rows, lambda row: (row.aspect, row.metric))
    ]
    tables[-1] = Table(tables[-1].title, columns, tables[-1].rows, caption)
    remarks = tuple(
        (remark, ", ".join(dict.fromkeys(row.what for row in found.rows if remark in row.remarks)))
        for remark in dict.fromkeys(remark for row in found.rows for remark in row.remarks)
    )
    return [*tables, Table("Remarks", ("remark", "of"), remarks)] if remarks else tables


def _short(row: Row, width: float | None) -> tuple[Cell, ...]:
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
    """Without spaces, so that it stays on one line."""
    return f"{mean.value:.3f}" if mean.half is None else f"{mean.value:.3f}±{mean.half:.3f}"
