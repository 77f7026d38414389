"""Database transactions, retried after conflicts."""

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
"""Seconds a thread waits for the other writing threads of this process."""


class Database:
    """A thread-safe engine with retried transactions."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._closed = False
        # SQLite allows one writer at a time and waiters poll: queueing here is faster and fair
        self._line = threading.Lock() if engine.dialect.name == "sqlite" else None

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a transaction that only reads."""
        return self._tried(work, _TRIES, writes=False)

    def write(self, work: Callable[[Connection], T], *, tries: int = _TRIES) -> T:
        """Run `work` in a transaction that writes: all of it is on disk when this returns, or nothing.

        `work` may be called again after a conflict with another transaction, unless `tries` is 1.

        Raises:
            StoreUnavailable: the connection was lost or others took too long; the outcome is unknown.
        """
        if self._line is None:
            return self._tried(work, tries, writes=True)
        if not self._line.acquire(timeout=_PATIENCE):
            raise StoreUnavailable("the database is overloaded; try again in a moment")
        try:
            return self._tried(work, tries, writes=True)
        finally:
            self._line.release()

    def close(self) -> None:
        """Close the connections."""
        self._closed = True
        self.engine.dispose()

    def _tried(self, work: Callable[[Connection], T], tries: int, *, writes: bool) -> T:
        if self._closed:
            raise StoreUnavailable("the annotation database was closed")
        engine = self.engine.execution_options(writes=True) if writes else self.engine
        with explained():
            for left in reversed(range(tries)):
                try:
                    with engine.begin() as connection:
                        return work(connection)
                except exc.DBAPIError as error:
                    if not left or not worth_another_try(error):
                        raise
                    time.sleep(random.uniform(0.001, 0.02))  # noqa: S311 - so that the two do not collide again
        raise AssertionError  # the last try returns or raises
