"""Progress of indexing: files, chunks, rate."""

from rich.console import Console

from saiten.cli.drawn_line import DrawnLine
from saiten.rag.knowledge.indexed import Indexed


class IndexProgress(DrawnLine):
    """Draws one line."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        super().__init__(console, "files", None, quiet=quiet)
        self.done = Indexed()
        """The progress so far, also after a stop."""

    def show(self, done: Indexed) -> None:
        """Show the current progress."""
        self.done = done
        rate = done.chunks / max(self.seconds(), 1e-9)
        self.draw(done.files, lambda: f"{done.chunks} chunks, {rate:.0f}/s", done.total)
