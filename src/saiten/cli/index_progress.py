"""Progress of indexing: files, chunks, rate."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from saiten.knowledge.indexed import Indexed

_LINE_EVERY, _DRAW_EVERY = 30.0, 0.1
"""Seconds between lines where there is no terminal, and between changes of the bar."""


class IndexProgress:
    """Draws one line; a line every 30 seconds where there is no terminal. Not frozen: it remembers when it drew."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self._console = console
        self._quiet = quiet
        self._begun = self._last = time.monotonic()
        self.done = Indexed()
        """As far as it came, also where it was stopped."""
        self._bar: Progress | None = None
        if console.is_terminal and not quiet:
            columns = (TextColumn("files"), BarColumn(bar_width=20), MofNCompleteColumn())
            self._bar = Progress(*columns, TextColumn("{task.fields[chunks]}"), console=console, transient=True)
            self._bar.add_task("files", total=None, chunks="")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, done: Indexed) -> None:
        """As far as it is now, unless that was shown a moment ago."""
        self.done = done
        now = time.monotonic()
        if self._quiet or now - self._last < (_LINE_EVERY if self._bar is None else _DRAW_EVERY):
            return
        self._last = now
        chunks = f"{done.chunks} chunks, {done.chunks / max(self.seconds(), 1e-9):.0f}/s"
        if self._bar is None:
            self._console.print(f"{done.files} of {done.total} files, {chunks}", markup=False)
        else:
            self._bar.update(self._bar.task_ids[0], total=done.total, completed=done.files, chunks=chunks)

    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._begun
