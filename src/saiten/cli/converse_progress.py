"""Progress of `saiten converse`: dialogues, turns, failures, what it cost so far, time left."""

import time
from collections import Counter
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from saiten.cli.output import outside
from saiten.data import BadRow
from saiten.dialogue.dialogue import Dialogue
from saiten.records import Sample, Usage
from saiten.reports.summary_tables import spent_text

_SHOWN = 5
"""Failures and bad rows that are named at once."""
_REASON = 300
"""Characters of a reason that is named."""
_LINE_EVERY = 30.0
"""Seconds between lines where the output is no terminal."""
_DRAW_EVERY = 0.1


class DialogueProgress:
    """A `dialogue.running.Watch` that draws one line; a line every 30 seconds where there is no terminal."""

    def __init__(self, console: Console, total: int | None, currency: str, *, quiet: bool = False) -> None:
        """`total`: how many pairs there are, None where that cannot be known beforehand."""
        self.pairs = 0
        self.dialogues = 0
        self.turns = 0
        self.failed: Counter[str] = Counter()
        self.bad_rows = 0
        self.usage = Usage()
        self._console = console
        self._total = total
        self._currency = currency
        self._quiet = quiet
        self._begun = self._last_line = self._last_drawn = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        if console.is_terminal and not quiet:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=20),
                MofNCompleteColumn(),
                TextColumn("{task.fields[more]}"),
                TimeRemainingColumn(elapsed_when_finished=True),
                console=console,
                transient=True,
            )
            self._task = self._bar.add_task("dialogues", total=total, more="")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def bad_row(self, row: BadRow) -> None:
        self.bad_rows += 1
        self._name(self.bad_rows, "kept apart", row.where, row.reason)

    def answered(self, usage: Usage) -> None:
        self.turns += 1
        self._show()

    def ended(self, pair: Sample, dialogue: Dialogue) -> None:
        self.pairs += 1
        self.dialogues += 1
        self.usage += dialogue.usage
        if dialogue.fault is not None:
            self.failed[f"failed by the {dialogue.fault}"] += 1
            self._name(self.failed.total(), "failed", pair.id, dialogue.reason or "")
        self._show()

    def done_before(self, pair: Sample) -> None:
        self.pairs += 1

    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self._begun

    def text(self) -> str:
        """Turns, failures and what was spent, in a few words."""
        rate = self.turns / max(self.seconds(), 1e-9)
        spent = spent_text(self.usage, self._currency)
        failed = [f"{n} {what}" for what, n in sorted(self.failed.items())]
        return ", ".join([f"{self.turns} turns, {rate:.1f}/s", *failed, *([spent] if spent else [])])

    def _name(self, number: int, what: str, where: str, reason: str) -> None:
        """The first few are named at once; all of them stand in the files."""
        if number <= _SHOWN:
            self._console.print(f"[yellow]{what}[/] {outside(where)}: {outside(reason[:_REASON])}")
        elif number == _SHOWN + 1:
            self._console.print(f"[yellow]{what}[/] for more of them; all reasons are written down")

    def _show(self) -> None:
        now = time.monotonic()
        if self._bar is not None and self._task is not None and now - self._last_drawn >= _DRAW_EVERY:
            self._last_drawn = now
            self._bar.update(self._task, completed=self.pairs, more=outside(self.text()))
        elif self._bar is None and not self._quiet and now - self._last_line > _LINE_EVERY:
            self._last_line = now
            of = "" if self._total is None else f" of {self._total}"
            self._console.print(f"{self.pairs}{of} dialogues, {self.text()}", markup=False)
