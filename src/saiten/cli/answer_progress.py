"""Progress of `saiten answer`: questions, rate, failures, what it cost so far, time left."""

import time
from collections import Counter
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from saiten.answering.collecting import Outcome
from saiten.cli.output import outside
from saiten.data import BadRow
from saiten.errors import SystemFailed
from saiten.records import Sample, Usage

_SHOWN = 5
"""Failures and bad rows that are named at once."""
_REASON = 300
"""Characters of a reason that is named."""
_LINE_EVERY = 30.0
"""Seconds between lines where the output is no terminal."""
_DRAW_EVERY = 0.1


class AnswerProgress:
    """An `answering.collecting.Watch` that draws one line; a line every 30 seconds where there is no terminal."""

    def __init__(self, console: Console, total: int | None, currency: str, *, quiet: bool = False) -> None:
        """`total`: how many questions there are, None where that cannot be known beforehand."""
        self.questions = 0
        self.answers = 0
        self.failures: Counter[str] = Counter()
        self.bad_rows = 0
        self.usage = Usage()
        self._console = console
        self._total = total
        self._currency = currency
        self._quiet = quiet
        self._begun = self._last_line = self._last_drawn = time.monotonic()
        self._asked = 0
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
            self._task = self._bar.add_task("questions", total=total, more="")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def done_before(self, sample: Sample) -> None:
        self.questions += 1

    def answered(self, sample: Sample, outcome: Outcome) -> None:
        self.questions += 1
        self._asked += 1
        self.usage += outcome.usage
        if isinstance(outcome, SystemFailed):
            self.failures[outcome.kind] += 1
            self._name(sum(self.failures.values()), "no answer", sample.id, str(outcome))
        else:
            self.answers += 1
        self._show()

    def bad_row(self, row: BadRow) -> None:
        self.bad_rows += 1
        self._name(self.bad_rows, "kept apart", row.where, row.reason)

    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self._begun

    def text(self) -> str:
        """Rate, failures and what was spent, in a few words."""
        parts = [f"{self._asked / max(self.seconds(), 1e-9):.1f}/s"]
        parts += [f"{n} {kind}" for kind, n in sorted(self.failures.items())]
        tokens = self.usage.prompt_tokens + self.usage.completion_tokens
        parts += [f"{tokens:,} tokens"] if tokens else []
        parts += [f"{self.usage.cost:.4f} {self._currency}"] if self.usage.cost else []
        return ", ".join(parts)

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
            self._bar.update(self._task, completed=self.questions, more=outside(self.text()))
        elif self._bar is None and not self._quiet and now - self._last_line > _LINE_EVERY:
            self._last_line = now
            of = "" if self._total is None else f" of {self._total}"
            self._console.print(f"{self.questions}{of} questions, {self.text()}", markup=False)
