"""Which store of answers a name means: the path of a file, or the address of a PostgreSQL database."""

from collections.abc import Callable
from pathlib import Path

from saiten.errors import ConfigurationError
from saiten.models.answer_store import AnswerStore, is_on_server
from saiten.models.sqlite_store import SQLiteStore


def open_store(name: str, failed: Callable[[ConfigurationError], object]) -> AnswerStore:
    """Return the store, opened at once, so that a wrong one is noticed before the first call.

    `failed` is called with every later error before it is raised.

    Raises:
        ConfigurationError: it cannot be opened, or holds something else.
    """
    if not is_on_server(name):
        return SQLiteStore(Path(name), failed=failed)
    from saiten.models.postgres_store import PostgresStore  # noqa: PLC0415 - needs an extra

    return PostgresStore(name, failed=failed)
