"""Transactions: work that reads, work that writes, tried again where two got into each other's way."""

import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection, Engine, exc

from saiten.annotation.store.failures import StoreUnavailable, explained, worth_another_try

T = TypeVar("T")

_TRIES = 5
_PATIENCE = 60.0
"""Seconds that a thread waits for the other writing threads of this process."""


class Database:
    """An engine, and what a transaction on it is like. For many threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._closed = False
        # SQLite lets one write at a time, and whoever waits asks again after a while: threads that stand in line are
        # sooner served, and each of them is
        self._line = threading.Lock() if engine.dialect.name == "sqlite" else None

    def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` finds, in one transaction."""
        return self._tried(work, _TRIES, writes=False)

    def write(self, work: Callable[[Connection], T], *, tries: int = _TRIES) -> T:
        """What `work` gives; all that it wrote is on disk, or nothing of it.

        `work` may be called again, from the beginning, where another transaction came in between; once only with
        `tries` 1.

        Raises:
            StoreUnavailable: the connection was lost or others took too long; whether it was written is not known.
        """
        if self._line is None:
            return self._tried(work, tries, writes=True)
        if not self._line.acquire(timeout=_PATIENCE):
            raise StoreUnavailable("the database has more to do than it can take; try again in a moment")
        try:
            return self._tried(work, tries, writes=True)
        finally:
            self._line.release()

    def close(self) -> None:
        """Let go of the file or the server."""
        self._closed = True
        self._engine.dispose()

    def _tried(self, work: Callable[[Connection], T], tries: int, *, writes: bool) -> T:
        if self._closed:
            raise StoreUnavailable("the annotation database was closed")
        engine = self._engine.execution_options(writes=True) if writes else self._engine
        with explained():
            for left in reversed(range(tries)):
                try:
                    with engine.begin() as connection:
                        return work(connection)
                except exc.DBAPIError as error:
                    if not left or not worth_another_try(error):
                        raise
                    time.sleep(random.uniform(0.001, 0.02))  # noqa: S311 - so that the two do not meet again
        raise AssertionError  # the last try returns or raises
