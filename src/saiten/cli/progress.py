"""Progress of a run: samples, rate, what it cost so far, time left."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from saiten.cli.output import outside
from saiten.data import BadRow
from saiten.records import Sample, Scored, Usage
from saiten.reports.summary_tables import spent_text, usage_text

_SHOWN_BAD_ROWS = 5
_LINE_EVERY = 30.0
"""Seconds between lines where the output is no terminal."""
_DRAW_EVERY = 0.1
"""Seconds between changes of the bar; a run without a model has thousands of scores a second."""


class RunProgress:
    """A `scoring.Watch` that draws one line; a line every 30 seconds where there is no terminal.

    Not frozen: it counts. One is made for a run and closed after it.
    """

    def __init__(self, console: Console, total: int | None, currency: str, *, quiet: bool = False) -> None:
        """`total`: how many samples there are, None where that cannot be known beforehand."""
        self.usage = Usage()
        self.samples = 0
        self.answers = 0
        self.scores = 0
        self.bad_rows = 0
        self.not_measured = 0
        self._console = console
        self._total = total
        self._currency = currency
        self._quiet = quiet
        self._begun = self._last_line = self._last_drawn = time.monotonic()
        self._under_way: set[str] = set()
        self._measured = 0
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        if console.is_terminal and not quiet:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=20),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(elapsed_when_finished=True),
                TextColumn("{task.fields[spent]}"),
                console=console,
                transient=True,
            )
            self._task = self._bar.add_task("samples", total=total, rate="", spent="")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def sample_read(self, sample: Sample) -> None:
        """Nothing to show yet; whether anything was answered is told in the end."""
        self.answers += sample.answer is not None

    def bad_row(self, row: BadRow) -> None:
        """The first few are named at once; all are counted and stand in `errors.jsonl`."""
        self.bad_rows += 1
        if self.bad_rows <= _SHOWN_BAD_ROWS:
            self._console.print(f"[yellow]kept apart[/] {outside(row.where)}: {outside(row.reason)}")
        elif self.bad_rows == _SHOWN_BAD_ROWS + 1:
            self._console.print("[yellow]kept apart[/] more rows; all of them stand in errors.jsonl")

    def scored(self, sample: Sample, scored: Scored) -> None:
        self.scores += 1
        self.usage += scored.score.usage
        self.not_measured += scored.score.status in {"failed", "unreadable"}
        self._under_way.add(sample.id)
        self._draw()

    def sample_done(self, sample: Sample) -> None:
        self.samples += 1
        if sample.id in self._under_way:  # else it was scored in an earlier run, which says nothing about the rate
            self._under_way.discard(sample.id)
            self._measured += 1
        self._draw()
        if self._bar is None and not self._quiet and time.monotonic() - self._last_line > _LINE_EVERY:
            self._last_line = time.monotonic()
            of = "" if self._total is None else f" of {self._total}"
            spent = usage_text(self.usage, self._currency)
            self._console.print(f"{self.samples}{of} samples, {self._rate()}, {self._left()}{spent}", markup=False)

    def _draw(self) -> None:
        now = time.monotonic()
        if self._bar is not None and self._task is not None and now - self._last_drawn >= _DRAW_EVERY:
            self._last_drawn = now
            spent = outside(spent_text(self.usage, self._currency))
            self._bar.update(self._task, completed=self.samples, rate=self._rate(), spent=spent)

    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self._begun

    def _rate(self) -> str:
        return f"{self._measured / max(self.seconds(), 1e-9):.1f}/s"

    def _left(self) -> str:
        if self._total is None or not self._measured:
            return ""
        left = self.seconds() / self._measured * max(self._total - self.samples, 0)
        return f"about {left / 60:.0f} min left, " if left > 90 else f"about {left:.0f} s left, "
