"""What every server of batches can do, in OpenAI's words."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

ENDED = frozenset(("completed", "failed", "expired", "cancelled"))
"""Statuses that do not change any more."""


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """A batch as the server sees it."""

    id: str
    status: str
    """In OpenAI's words."""
    total: int = 0
    done: int = 0
    """Requests that were answered or failed."""
    files: tuple[str, ...] = ()
    """The server's names of the files with replies and with errors: two, "" for none."""
    said: str = ""
    """Why it failed."""


LARGEST = 190_000_000
"""Bytes of requests per batch; OpenAI takes 200 MB, Anthropic 256."""


class BatchServer(Protocol):
    """Takes batches."""

    largest: int
    """Bytes of requests, in OpenAI's form."""

    async def upload(self, file: Path) -> str:
        """Send a file of requests, and return the server's name for it."""

    async def create(self, file: str, mark: str) -> BatchStatus:
        """Start a batch of the requests in an uploaded file."""

    async def look(self, batch: str) -> BatchStatus:
        """Return how far a batch is."""

    async def find(self, mark: str) -> BatchStatus | None:
        """Return the batch that was created with this mark, if there is one."""

    async def fetch(self, batch: BatchStatus, name: str, sink: Callable[[bytes], object]) -> None:
        """Pass a file of results to `sink`, piece by piece, as lines in OpenAI's form."""

    def cancelling(self, batch: str) -> str:
        """Return what to type to cancel a batch."""

    async def close(self) -> None:
        """Close the connections."""
