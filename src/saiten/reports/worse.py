"""Is a run worse than the one before? The verdict of the comparison, for whoever must not let it pass.

Worse is what the paired test calls worse, corrected as in the table beside it, and by more than a margin; a difference
that may be noise is not. Where too few samples were measured on both sides it cannot be told, which is as bad.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from saiten.errors import BadInput, ConfigurationError
from saiten.reports.comparison import higher_is_better
from saiten.reports.tables import Table
from saiten.reports.threshold_reading import find_metric
from saiten.reports.thresholds import COVERAGE


@dataclass(frozen=True, slots=True)
class Limit:
    """How much worse a metric may become."""

    metric: str
    """As it was typed."""
    margin: float = 0.0
    """In the metric's own unit; a difference up to it passes, however sure it is."""


def read_limit(text: str) -> Limit:
    """`METRIC` or `METRIC=MARGIN`; an `=` in the brackets of a name is none of ours.

    Raises:
        ConfigurationError: the margin is no number of 0 or more.
    """
    name, sign, number = text.rpartition("=")
    if not sign or number.rstrip().endswith("]"):
        name, number = text, "0"
    try:
        margin = float(number)
    except ValueError:
        margin = -1.0
    if not 0 <= margin < float("inf") or not name.strip():
        raise ConfigurationError(f"--fail-if-worse takes METRIC or METRIC=MARGIN, the margin 0 or more, not {text!r}")
    return Limit(name.strip(), margin)


def worse_table(
    tables: Sequence[Table], limits: Sequence[Limit], lost: Sequence[int], coverage: float = COVERAGE
) -> Table:
    """A row a limit and a run after the first; `passed` tells whether it may pass.

    Args:
        tables: as `comparison_tables` makes them, one a run after the first.
        limits: what must not become worse.
        lost: by table, how many rows could be used on neither side.
        coverage: the share of the samples measured on either side that must have been measured on both.

    Raises:
        BadInput: a metric was not measured on both sides.
        ConfigurationError: neither direction of a metric is better.
    """
    rows = [_row(table, limit, n, coverage) for limit in limits for table, n in zip(tables, lost, strict=True)]
    failed = sum(not row[3] for row in rows)
    caption = f"{failed} of {len(rows)} failed. Worse: by the paired test above, and by more than the margin."
    return Table("Worse than before", ("runs", "metric", "margin", "passed", "why"), tuple(rows), caption)


def _row(table: Table, limit: Limit, lost: int, coverage: float) -> tuple[str, str, float, bool, str]:
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    try:
        metric = find_metric(limit.metric, [str(row["metric"]) for row in rows])
    except ConfigurationError as error:
        raise BadInput(f"--fail-if-worse, {table.title}: {error}") from error
    if higher_is_better(metric) is None:
        raise ConfigurationError(f"neither direction of {metric} is better, so it cannot become worse; name another")
    row = next(row for row in rows if row["metric"] == metric)
    n, apart, difference = (row[key] for key in ("n", "one side only", "difference"))
    assert isinstance(n, int)  # noqa: S101 - counts, in every comparison
    assert isinstance(apart, int)  # noqa: S101 - the same
    why = ""
    samples = n + apart + lost
    if n < coverage * samples - 1e-9:
        rows_lost = f" (rows that could not be used: {lost})" if lost else ""
        why = f"only {n} of {samples} samples were measured on both sides{rows_lost}, {coverage:.0%} are asked for"
    elif row["verdict"] == "worse" and isinstance(difference, float) and abs(difference) > limit.margin:
        why = f"worse by {abs(difference):.4g}, p {row['p']:.3g}"
    return table.title, metric, limit.margin, not why, why
