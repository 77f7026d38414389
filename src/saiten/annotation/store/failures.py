"""What can go wrong between the page and the database, in words for the person at the page or at the terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import exc

from saiten.errors import BadInput, ConfigurationError, SaitenError


class StoreUnavailable(SaitenError):
    """The database does not answer just now; nothing of this call is certain. Send it again: it is stored once."""


class NoSuchProject(ConfigurationError):
    """The database, or a project of this name in it, was never made."""


class NotTheirs(BadInput):
    """A person has no item of this number."""


class ShutOut(BadInput):
    """A person does not take part any more."""


class SaveConflict(BadInput):
    """Something else was stored under this save's id already; that stands, this was not stored."""


@contextmanager
def explained() -> Iterator[None]:
    """Errors of the database as ours. Their own texts are not shown to people: they may quote values."""
    try:
        yield
    except exc.TimeoutError as error:
        raise StoreUnavailable("the database has more to do than it can take; try again in a moment") from error
    except exc.DBAPIError as error:
        if _damaged(error):
            raise ConfigurationError(
                f"the annotation database is damaged ({error.orig}); save what can be read with: sqlite3 FILE .recover"
            ) from error
        if isinstance(error, exc.DataError):
            raise BadInput("the database cannot keep this text: it holds characters that are no text") from error
        if error.connection_invalidated or isinstance(error, exc.OperationalError | exc.InterfaceError):
            raise StoreUnavailable("the database does not answer just now; try again in a moment") from error
        raise


def worth_another_try(error: exc.DBAPIError) -> bool:
    """Whether the same transaction may well succeed now: two got into each other's way, and this one had to yield."""
    if isinstance(error, exc.IntegrityError):
        return True  # two inserted the same at once; the second try finds what the first one wrote
    state = getattr(error.orig, "sqlstate", None)
    return state in {"40001", "40P01"} or (state is None and "locked" in str(error.orig))


def _damaged(error: exc.DBAPIError) -> bool:
    return type(error.orig).__module__ == "sqlite3" and any(
        word in str(error.orig) for word in ("malformed", "not a database")
    )
