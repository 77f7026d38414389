"""Progress of `saiten tune judge`: steps and loss while it learns, then answers while it is measured."""

from collections.abc import Callable

from rich.console import Console
from rich.status import Status

from saiten.cli.output import escape_untrusted
from saiten.cli.progress import DrawnLine


class MakingProgress:
    """A `MakingWatch` that draws one line: of the steps first, then of the held-out answers."""

    def __init__(self, console: Console, notify: Callable[[str], None], *, quiet: bool = False) -> None:
        self._console, self._quiet = console, quiet
        self.notify = notify
        """Callback that prints a note."""
        self._line: _Line | None = None
        self._loading: Status | None = None

    def loading(self, what: str) -> None:
        self.close()
        if self._console.is_terminal and not self._quiet:
            self._loading = self._console.status(f"loading {escape_untrusted(what)}")
            self._loading.start()

    def step(self, done: int, total: int, examples: int, loss: float | None) -> None:
        line = self._of("steps", total)
        shown = "" if loss is None else f"loss {loss:.3f}, "
        line.since(done - 1)
        line.draw(done, lambda: f"{shown}{examples / max(line.seconds(), 1e-9):.1f} examples/s")

    def graded(self, judge: str, done: int, total: int) -> None:
        line = self._of(f"held-out answers, {judge}", total)
        line.draw(done, lambda: f"{done / max(line.seconds(), 1e-9):.1f}/s")

    def close(self) -> None:
        """Remove the line."""
        if self._loading is not None:
            self._loading.stop()
            self._loading = None
        if self._line is not None:
            self._line.__exit__(None, None, None)
            self._line = None

    def _of(self, what: str, total: int) -> "_Line":
        if self._line is None or self._line.what != what:
            self.close()
            self._line = _Line(self._console, what, total, quiet=self._quiet)
            self._line.__enter__()
        return self._line


class _Line(DrawnLine):
    """A line that excludes earlier work when it estimates the time left of a resumed run."""

    def __init__(self, console: Console, what: str, total: int, *, quiet: bool) -> None:
        super().__init__(console, what, total, quiet=quiet)
        self.what = what
        self._before: int | None = None

    def since(self, before: int) -> None:
        """Set the amount done before, the first time only."""
        self._before = before if self._before is None else self._before

    def measured(self, done: int) -> int:
        return done - (self._before or 0)
