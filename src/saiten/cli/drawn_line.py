"""One line of progress: a bar in a terminal, a line every 30 seconds elsewhere."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from saiten.cli.output import escape_untrusted

_LINE_EVERY = 30.0
"""Seconds between lines if the output is not a terminal."""
_DRAW_EVERY = 0.1
"""Seconds between changes of the bar; a run without a model has thousands of scores a second."""
_NAMED = 5
"""Failures and bad rows per kind that are printed."""
_REASON = 300
"""Maximum characters of a printed reason."""


class DrawnLine:
    """The common part of every command's progress. Not frozen: it remembers when it drew."""

    def __init__(self, console: Console, what: str, total: int | None, *, quiet: bool) -> None:
        """`what`: the unit, for example samples; `total`: their number, None if unknown in advance."""
        self._console = console
        self._what = what
        self._total = total
        self._quiet = quiet
        self._since = self._last = time.monotonic()
        self._bar: Progress | None = None
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
            self._bar.add_task(what, total=total, more="")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._since

    def draw(self, done: int, more: Callable[[], str], total: int | None = None) -> None:
        """Draw the progress unless it was drawn a moment ago; `total` if it has become known."""
        now = time.monotonic()
        if self._quiet or now - self._last < (_LINE_EVERY if self._bar is None else _DRAW_EVERY):
            return
        self._last = now
        self._total = self._total if total is None else total
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], total=self._total, completed=done, more=escape_untrusted(more()))
            return
        of = "" if self._total is None else f" of {self._total}"
        self._console.print(f"{done}{of} {self._what}, {more()}{self._left(done)}", markup=False)

    def name(self, number: int, what: str, where: str, reason: str) -> None:
        """Print the first few failures or bad rows; the files have all of them."""
        if number <= _NAMED:
            self._console.print(f"[yellow]{what}[/] {escape_untrusted(where)}: {escape_untrusted(reason[:_REASON])}")
        elif number == _NAMED + 1:
            self._console.print(f"[yellow]{what}[/] for more of them; all reasons are written down")

    def measured(self, done: int) -> int:
        """Return how many items were finished in this run, from which the time left is estimated."""
        return done

    def _left(self, done: int) -> str:
        measured = self.measured(done)
        if self._total is None or not measured:
            return ""
        left = self.seconds() / measured * max(self._total - done, 0)
        return f", about {left / 60:.0f} min left" if left > 90 else f", about {left:.0f} s left"
