"""What is kept of batches on disk, so that a killed command finds its batches again."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRecord:
    """A batch, from the moment when its requests are on disk."""

    number: int
    """Counted from 1 within a run."""
    model: str
    """The full name, without secrets."""
    requests: int
    mark: str
    """Unique, and sent along, so that the server's list of batches shows which one this is."""
    by_hand: bool = False
    """Whether the user runs the file."""
    created: str = ""
    """In UTC."""
    file: str = ""
    """The server's name of the uploaded file."""
    id: str = ""
    """The server's name of the batch; "" until it is known."""
    cancel: str = ""
    """What to type to cancel it."""
    booked: bool = False
    """Whether the requests are among the spending."""
    ended: str = ""
    """How it ended, once its replies are kept; "" while it is open."""


class Shelf(Protocol):
    """The batches of a run; every change is on disk when the method returns, and raises NotWritten if it cannot be."""

    def records(self) -> Sequence[BatchRecord]:
        """Return the batches so far, in order."""

    def add(self, model: str, lines: Sequence[bytes], *, by_hand: bool) -> BatchRecord:
        """Write the requests of a new batch, one line each."""

    def keep(self, record: BatchRecord) -> None:
        """Replace the record of this number."""

    def requests(self, record: BatchRecord) -> Path:
        """Return the file with the requests."""

    def results(self, record: BatchRecord) -> Sequence[Path]:
        """Return the places of the files with replies and with errors, there or not."""

    def writing(self, path: Path) -> AbstractContextManager[IO[bytes]]:
        """Open one of these for writing; it is replaced as a whole at the end."""
