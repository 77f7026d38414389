"""A batch with everyone who waits for its replies, and what sends batches."""

import asyncio
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Protocol

from saiten.errors import BatchPending, SaitenError
from saiten.models.batch.shelf import BatchRecord, Shelf
from saiten.models.http_client import HttpReply


@dataclass(eq=False)
class Batch:
    """A wave that was closed. Not frozen: its record changes, and callers come and go."""

    record: BatchRecord
    keys: frozenset[str]
    ours: bool = False
    """Whether it is of this command, not of an earlier one."""
    waiting: dict[str, asyncio.Future[HttpReply]] = field(default_factory=dict)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when its replies are kept, or when that has failed."""
    failed: Exception | None = None
    stop: BatchPending | None = None
    """Why no further batch is to be sent."""

    def give(self, replies: Mapping[str, HttpReply], missing: Callable[[], SaitenError]) -> None:
        """Hand out the replies; the error to everyone whose request has none."""
        for key, future in self.waiting.items():
            if not future.done():
                if key in replies:
                    future.set_result(replies[key])
                else:
                    future.set_exception(missing())
        self.waiting.clear()
        self.ended.set()

    def fail(self, error: Exception) -> None:
        """Raise the error in everyone who waits for this batch."""
        self.failed = error
        for future in self.waiting.values():
            raise_in(future, error)
        self.waiting.clear()
        self.ended.set()


class Sending(Protocol):
    """What becomes of a wave that was closed."""

    by_hand: bool
    """Whether the user runs its file, so that there is nothing to wait for."""

    async def run(self, batch: Batch, shelf: Shelf) -> None:
        """Submit the batch unless it was, wait for it, keep all its replies, and hand them out.

        A batch that the user runs is left as it is until there are results.
        """

    async def close(self) -> None:
        """Close the connections."""


def raise_in(future: asyncio.Future[HttpReply], error: Exception) -> None:
    """Raise the error in the one who waits for this, if anybody still does."""
    if not future.done():
        future.set_exception(copy(error))
        future.exception()  # retrieved, so that asyncio does not complain if no caller is left
