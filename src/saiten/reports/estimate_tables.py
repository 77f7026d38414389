"""Prediction-powered estimates as a table."""

from saiten.meta_evaluation.prediction_powered import Estimates, Row
from saiten.reports.tables import Cell, Table

_CAPTION = (
    "What people would say on average of all items: from the labels alone, and from labels and judge together (PPI++). "
    "95 % intervals by question, valid only if the labelled items are a random sample of all. λ: how much the judge "
    "counts, 0 for one that says nothing. Saved: how many further labels would narrow the interval as the judge does."
)


def estimate_tables(found: Estimates) -> list[Table]:
    """One table, a row an estimate."""
    columns: tuple[str, ...] = ("aspect", "metric", "of", "judge alone", "labels alone", "95 % from", "to")
    columns += ("with the judge", "from", "up to", "λ", "labels", "items", "saved")
    if found.width is not None:
        columns += (f"labels for ± {found.width:g}", "without the judge")
    columns += ("remarks",)
    rows = tuple(_row(row, found.width) for row in found.rows)
    return [Table("What people would say of the whole set", columns, rows, _CAPTION)]


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
        needed = found.needed(width)
        every = "more than there are items"
        cells += ("–", "–") if needed is None else (needed.total or every, needed.alone or every)
    return (*cells, "; ".join(row.remarks))
