"""Progress of `saiten tune judge`: steps and loss while it learns, then answers while it is measured."""

from contextlib import ExitStack

from rich.console import Console

from saiten.cli.output import escape_untrusted, notifier
from saiten.cli.progress import DrawnLine
from saiten.words import Message, joined


class MakingProgress:
    """A `MakingWatch` that draws one line: of the steps first, then of the held-out answers."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self._console, self._quiet = console, quiet
        self.notify = notifier(console)
        """Callback that prints a note."""
        self._line: DrawnLine | None = None
        self._shown = ExitStack()

    def loading(self, what: str) -> None:
        self.close()
        if self._console.is_terminal and not self._quiet:
            self._shown.enter_context(self._console.status(escape_untrusted(Message("progress", "loading", what=what))))

    def step(self, done: int, total: int, examples: int, loss: float | None) -> None:
        line = self._of(Message("progress", "steps"), total, before=done - 1)
        shown = None if loss is None else Message("progress", "loss", loss=loss)

        def text() -> Message:
            rate = Message("progress", "examples_rate", rate=examples / max(line.seconds(), 1e-9))
            return joined([shown, rate], "listed")

        line.draw(done, text)

    def graded(self, judge: str, done: int, total: int) -> None:
        line = self._of(Message("progress", "held_out", judge=judge), total)
        line.draw(done, lambda: Message("progress", "rate", rate=done / max(line.seconds(), 1e-9)))

    def close(self) -> None:
        """Remove the line."""
        self._shown.close()
        self._line = None

    def _of(self, what: Message, total: int, before: int = 0) -> DrawnLine:
        if self._line is None or self._line.what != what:
            self.close()
            self._line = self._shown.enter_context(
                DrawnLine(self._console, what, total, before=before, quiet=self._quiet)
            )
        return self._line
