"""Connections as the store needs them: one engine for a SQLite file, one for a PostgreSQL server."""

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, exc

from saiten.annotation.store.addresses import FileAddress, ServerAddress
from saiten.errors import ConfigurationError
from saiten.models.networks import require
from saiten.models.write_ahead import switch_to_wal

_APPLICATION = 0x53414941
"""In the header of a SQLite file: "SAIA"."""
_PATIENCE = 30.0
"""Seconds that a transaction waits for others before the page is told to try again."""
_CONNECTIONS = 16
"""At most, to one server or file; more threads than that take turns."""
_SERVER_SETTINGS: dict[str, str | int] = {
    "connect_timeout": 10,
    "application_name": "saiten annotate",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds: a network that swallows everything is noticed
}


def file_engine(address: FileAddress) -> Engine:
    """For a SQLite file, which is made if it is not there, in WAL mode and synced at every commit.

    Raises:
        ConfigurationError: it is a folder, no annotation database, or cannot be written.
    """
    _prepare_file(address.path)
    engine = create_engine(
        URL.create("sqlite", database=str(address.path)),
        hide_parameters=True,
        pool_size=_CONNECTIONS,
        max_overflow=0,
        pool_timeout=_PATIENCE,
        # transactions are begun below, and not by the driver, which would begin them too late
        connect_args={"timeout": _PATIENCE, "isolation_level": None, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, record: Any) -> None:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")  # a save is on the disk before the page hears of it

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # a transaction that will write takes the lock first: one that read before would fail where another wrote
        immediate = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine


def server_engine(address: ServerAddress) -> Engine:
    """For a database on a PostgreSQL server.

    Raises:
        ConfigurationError: the driver is not installed, or the server does not let us in.
    """
    require("a PostgreSQL database", "postgres", "psycopg")
    given = address.url.query
    settings: dict[str, str | int] = {key: value for key, value in _SERVER_SETTINGS.items() if key not in given}
    settings["options"] = f"-c lock_timeout={round(_PATIENCE * 1000)} {_options(given)}".strip()
    engine = create_engine(
        address.url,
        hide_parameters=True,
        pool_size=_CONNECTIONS,
        max_overflow=0,
        pool_timeout=_PATIENCE,
        pool_pre_ping=True,  # a connection that died while nobody used it is replaced, and nobody notices
        isolation_level="READ COMMITTED",
        connect_args=settings,
    )
    try:
        with engine.connect():
            pass
    except exc.DBAPIError as error:
        engine.dispose()
        raise ConfigurationError(f"the database {address} cannot be used: {_said(error, address)}") from None
    return engine


def _options(given: Mapping[str, str | Sequence[str]]) -> str:
    """What the address sets for its connections; where it says the same as we do, it has the last word."""
    options = given.get("options", "")
    return options if isinstance(options, str) else " ".join(options)


def _prepare_file(path: Path) -> None:
    if path.is_dir():
        raise ConfigurationError(f"the annotation database {path} is a folder; give the path of a file")
    try:
        if path.exists():
            with path.open("rb") as file:
                head = file.read(16)
            if head and head != b"SQLite format 3\0":
                raise _foreign(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise _unusable(path, error) from error
    try:
        _claim(connection, path)
    except sqlite3.OperationalError as error:
        raise _unusable(path, error) from error
    except sqlite3.DatabaseError as error:
        raise ConfigurationError(f"{path} is damaged, or no database: {error}; it was left as it is") from error
    finally:
        connection.close()


def _claim(connection: sqlite3.Connection, path: Path) -> None:
    """Make sure that the file is ours or empty, and mark it as ours; two processes may do this at once."""
    if _application(connection) != _APPLICATION:
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _application(connection) != _APPLICATION:  # still, now that nobody else can write
                if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                    raise _foreign(path)
                connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        finally:
            connection.execute("COMMIT")
    switch_to_wal(connection)
    # shows now, and not at the first save, that nothing can be written here
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute("COMMIT")


def _application(connection: sqlite3.Connection) -> int:
    number: int = connection.execute("PRAGMA application_id").fetchone()[0]
    return number


def _said(error: exc.DBAPIError, address: ServerAddress) -> str:
    """The driver's reason on one line, without the password should it stand there."""
    lines = [line.strip() for line in str(error.orig).splitlines() if line.strip()]
    # of several addresses of one host the last one's reason is told; hints follow on lines of their own
    text = "; ".join(lines)[:400] or type(error.orig).__name__
    for secret in (address.url.password, *(value for key, value in address.url.query.items() if "pass" in key)):
        text = text.replace(str(secret), "***") if secret else text
    return text


def _unusable(path: Path, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"the annotation database {path} cannot be used: {error}; it needs a writable folder on a local disk with free "
        "space, and nobody else holding it locked"
    )


def _foreign(path: Path) -> ConfigurationError:
    return ConfigurationError(f"{path} is no annotation database of saiten; it was left as it is: give another path")
