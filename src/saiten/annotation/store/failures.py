"""Errors of the store, worded for annotators and for the command line."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import exc

from saiten.errors import BadInput, ConfigurationError, SaitenError


class StoreUnavailable(SaitenError):
    """The database does not respond and the outcome is unknown; send the call again, it is stored once."""


class NoSuchProject(ConfigurationError):
    """The database, or a project of this name in it, does not exist."""


class NotAssigned(BadInput):
    """The person has no item of this number."""


class LockedOut(BadInput):
    """The person may no longer take part."""


class SaveConflict(BadInput):
    """Another act is stored under this save's id; this one was not stored."""


@contextmanager
def explained() -> Iterator[None]:
    """Translate database errors; their own messages are not shown, since they may quote values."""
    try:
        yield
    except exc.TimeoutError as error:
        raise StoreUnavailable("the database is overloaded; try again in a moment") from error
    except exc.DBAPIError as error:
        if _damaged(error):
            raise ConfigurationError(
                f"the annotation database is damaged ({error.orig}); to recover its data: sqlite3 FILE .recover"
            ) from error
        if isinstance(error, exc.DataError):
            raise BadInput("the database cannot store this text: it contains invalid characters") from error
        if error.connection_invalidated or isinstance(error, exc.OperationalError | exc.InterfaceError):
            raise StoreUnavailable("the database does not respond; try again in a moment") from error
        raise


def worth_another_try(error: exc.DBAPIError) -> bool:
    """Return whether the transaction lost a conflict with another, so that a retry may succeed."""
    if isinstance(error, exc.IntegrityError):
        return True  # two inserted the same at once; the retry finds the other's row
    state = getattr(error.orig, "sqlstate", None)
    return state in {"40001", "40P01"} or (state is None and "locked" in str(error.orig))


def _damaged(error: exc.DBAPIError) -> bool:
    return type(error.orig).__module__ == "sqlite3" and any(
        word in str(error.orig) for word in ("malformed", "not a database")
    )
