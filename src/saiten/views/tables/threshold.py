"""Thresholds as a table: what was asked, what the run has, and why that is not enough."""

from collections.abc import Sequence

from saiten.choices import By
from saiten.results.thresholds import Outcome
from saiten.views.table import Cell, Table
from saiten.views.tables.summary import interval_text

_ALL = "(all)"


def threshold_table(outcomes: Sequence[Outcome], each: By | None = None, *, glance: bool = False) -> Table:
    """A row a threshold, and a system or group where there are any; `glance`: for the terminal."""
    missed = sum(outcome.missed for outcome in outcomes)
    columns = (
        "threshold",
        *((each,) if each else ()),
        *(() if glance else ("metric", "figure", "bound", "limit")),
        "value",
        *(("95 % interval",) if glance else ("95 % from", "to")),
        "n",
        "of",
        "verdict",
        "why",
    )
    return Table(
        "Thresholds",
        columns,
        tuple(_row(outcome, each, glance=glance) for outcome in outcomes),
        f"{missed} of {len(outcomes)} missed. n: samples with a value, of all there are; where they are too few the "
        "threshold is missed, whatever the value.",
    )


def _row(outcome: Outcome, each: By | None, *, glance: bool) -> tuple[Cell, ...]:
    asked = outcome.threshold
    parts = (asked.metric, asked.figure, ">=" if asked.side == "under" else "<=", asked.limit)
    return (
        str(asked),
        *((outcome.place if outcome.place is not None else _ALL,) if each else ()),
        *(() if glance else parts),
        outcome.value,
        *((interval_text(outcome.low, outcome.high),) if glance else (outcome.low, outcome.high)),
        outcome.n,
        outcome.samples,
        outcome.verdict,
        outcome.why,
    )


def missed_line(outcome: Outcome, each: By | None = None) -> str:
    """A missed threshold in one line: `faithfulness >= 0.8: 0.712 is under 0.8 [0.661, 0.760], n 40 of 42`."""
    where = f" ({each} {outcome.place})" if outcome.place is not None else ""
    interval = f" {interval_text(outcome.low, outcome.high)}" if outcome.low is not None else ""
    return f"{outcome.threshold}{where}: {outcome.why}{interval}, n {outcome.n} of {outcome.samples}"
