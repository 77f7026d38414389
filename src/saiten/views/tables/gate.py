"""Requirements on a run as tables: its thresholds, and whether it became worse."""

from collections.abc import Sequence

from saiten.choices import By
from saiten.results.threshold import Outcome
from saiten.results.worse import Worsening
from saiten.views.table import Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns, interval_text
from saiten.words import Message


def threshold_table(outcomes: Sequence[Outcome], each: By | None = None, *, glance: bool = False) -> Table:
    """Return one row per threshold, and system or group if any; `glance`: for the terminal."""
    place = (each,) if each else ()
    parts = () if glance else ("metric", "figure", "bound", "limit")
    ends = ("interval",) if glance else ("ci_low", "ci_high")
    missed = sum(outcome.missed for outcome in outcomes)
    return Table(
        Message("title", "thresholds"),
        ("threshold", *place, *parts, "value", *ends, "n", "of", "verdict", "why"),
        tuple(_row(outcome, each, glance=glance) for outcome in outcomes),
        (Message("caption", "thresholds", n=missed, of=len(outcomes)),),
    )


def _row(outcome: Outcome, each: By | None, *, glance: bool) -> Cells:
    threshold = outcome.threshold
    bound = ">=" if threshold.side == "under" else "<="
    parts: Cells = () if glance else (threshold.metric, threshold.figure, bound, threshold.limit)
    place = outcome.place if outcome.place is not None else Message("gate", "all")
    ends = IntervalColumns(numbers=not glance).ends(outcome.low, outcome.high)
    found = (outcome.value, *ends, outcome.n, outcome.samples, Message("gate", outcome.verdict), outcome.why or "")
    return (str(threshold), *((place,) if each else ()), *parts, *found)


def missed_line(outcome: Outcome, each: By | None = None) -> Message:
    """Return a missed threshold in one line: `faithfulness >= 0.8: 0.712 is under 0.8 [0.661, 0.760], n 40 of 42`."""
    where = f" ({each} {outcome.place})" if outcome.place is not None else ""
    interval = f" {interval_text(outcome.low, outcome.high)}" if outcome.low is not None else ""
    values = {"why": outcome.why, "n": outcome.n, "of": outcome.samples}
    return Message("gate", "missed_line", threshold=f"{outcome.threshold}{where}", interval=interval, **values)


def worse_table(found: Sequence[Worsening]) -> Table:
    """Return one row per margin and run after the first."""
    rows: list[Cells] = []
    for each in found:
        runs = Message("title", "comparison", first=each.first, second=each.second)
        rows.append((runs, each.metric, each.margin, each.passed, each.why or ""))
    failed = sum(not each.passed for each in found)
    caption = Message("caption", "worse", n=failed, of=len(found))
    return Table(Message("title", "worse"), ("runs", "metric", "margin", "passed", "why"), tuple(rows), (caption,))
