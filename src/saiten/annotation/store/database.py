"""Database transactions, retried after conflicts, and their errors, worded for annotators and for the command line."""

import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import Connection, Engine, exc

from saiten.errors import BadInput, ConfigurationError, SaitenError

T = TypeVar("T")

_TRIES = 5
_PATIENCE = 60.0
"""Seconds a thread waits for the other writing threads of this process."""
_OVERLOADED = "the database is overloaded; try again in a moment"


class StoreUnavailable(SaitenError):
    """The database does not respond and the outcome is unknown; send the call again, it is stored once."""


class StoreFull(StoreUnavailable):
    """The disk refused a transaction, of which nothing is stored; it may be sent again once there is space."""


class NoSuchProject(ConfigurationError):
    """The database, or a project of this name in it, does not exist."""


class NotAssigned(BadInput):
    """The person has no item of this number."""


class LockedOut(BadInput):
    """The person may no longer take part."""


class SaveConflict(BadInput):
    """Another act is stored under this save's id; this one was not stored."""


class Database:
    """A thread-safe engine with retried transactions."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._closed = False
        # SQLite allows one writer at a time and waiters poll: queueing here is faster and fair
        self._line = threading.Lock() if engine.dialect.name == "sqlite" else None

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a transaction that only reads."""
        return self._retry(work, _TRIES, writes=False)

    def write(self, work: Callable[[Connection], T], *, tries: int = _TRIES) -> T:
        """Run `work` in a transaction that writes: all of it is on disk when this returns, or nothing.

        `work` may be called again after a conflict with another transaction, unless `tries` is 1.

        Raises:
            StoreUnavailable: the connection was lost or others took too long; the outcome is unknown.
        """
        if self._line is None:
            return self._retry(work, tries, writes=True)
        if not self._line.acquire(timeout=_PATIENCE):
            raise StoreUnavailable(_OVERLOADED)
        try:
            return self._retry(work, tries, writes=True)
        finally:
            self._line.release()

    def close(self) -> None:
        """Close the connections."""
        self._closed = True
        self.engine.dispose()

    def _retry(self, work: Callable[[Connection], T], tries: int, *, writes: bool) -> T:
        if self._closed:
            raise StoreUnavailable("the annotation database was closed")
        engine = self.engine.execution_options(writes=True) if writes else self.engine
        with _explained():
            for left in reversed(range(tries)):
                try:
                    with engine.begin() as connection:
                        return work(connection)
                except exc.DBAPIError as error:
                    if not left or not worth_another_try(error):
                        raise
                    time.sleep(random.uniform(0.001, 0.02))  # noqa: S311 - so that the two do not collide again
        raise AssertionError  # the last try returns or raises


def worth_another_try(error: exc.DBAPIError) -> bool:
    """Return whether the transaction lost a conflict with another, so that a retry may succeed."""
    if isinstance(error, exc.IntegrityError):
        return True  # two inserted the same at once; the retry finds the other's row
    state = getattr(error.orig, "sqlstate", None)
    return state in {"40001", "40P01"} or (state is None and "locked" in str(error.orig))


def _is_refused_by_disk(error: BaseException | None) -> bool:
    """Return whether the disk of a SQLite file is full or fails, or that of a PostgreSQL server is full."""
    return (
        getattr(error, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
        or getattr(error, "sqlstate", "") == "53100"
    )


@contextmanager
def _explained() -> Iterator[None]:
    """Translate database errors; their own messages are not shown, since they may quote values."""
    try:
        yield
    except exc.TimeoutError as error:
        raise StoreUnavailable(_OVERLOADED) from error
    except exc.DBAPIError as error:
        if type(error.orig).__module__ == "sqlite3" and any(
            word in str(error.orig) for word in ("malformed", "not a database")
        ):
            raise ConfigurationError(
                f"the annotation database is damaged ({error.orig}); to recover its data: sqlite3 FILE .recover"
            ) from error
        if _is_refused_by_disk(error.orig):
            raise StoreFull(
                "the annotation database cannot be written: its disk is full or fails; nothing of this was stored: "
                "free some space, and try again"
            ) from error
        if isinstance(error, exc.DataError):
            raise BadInput("the database cannot store this text: it contains invalid characters") from error
        if error.connection_invalidated or isinstance(error, exc.OperationalError | exc.InterfaceError):
            raise StoreUnavailable("the database does not respond; try again in a moment") from error
        raise
