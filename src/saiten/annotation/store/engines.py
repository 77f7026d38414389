"""SQLAlchemy engines for a SQLite file and for a PostgreSQL server."""

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
"""`application_id` in the header of a SQLite file: "SAIA"."""
_PATIENCE = 30.0
"""Seconds a transaction waits for others before it fails."""
_CONNECTIONS = 16
"""Maximum size of the connection pool; more threads take turns."""
_SERVER_SETTINGS: dict[str, str | int] = {
    "connect_timeout": 10,
    "application_name": "saiten annotate",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds: detects a network that drops everything
}


def file_engine(address: FileAddress) -> Engine:
    """Return an engine for a SQLite file, created if missing, in WAL mode and synced at every commit.

    Raises:
        ConfigurationError: it is a folder, not an annotation database, or not writable.
    """
    _prepare_file(address.path)
    engine = create_engine(
        URL.create("sqlite", database=str(address.path)),
        hide_parameters=True,
        pool_size=_CONNECTIONS,
        max_overflow=0,
        pool_timeout=_PATIENCE,
        # transactions begin below, not in the driver, which begins them too late
        connect_args={"timeout": _PATIENCE, "isolation_level": None, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, record: Any) -> None:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")  # a save is on disk before it is acknowledged

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # take the lock before reading: upgrading later fails if another transaction wrote meanwhile
        immediate = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine


def server_engine(address: ServerAddress) -> Engine:
    """Return an engine for a database on a PostgreSQL server.

    Raises:
        ConfigurationError: the driver is not installed, or the connection is refused.
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
        pool_pre_ping=True,  # replaces connections that died while idle
        isolation_level="READ COMMITTED",
        connect_args=settings,
    )
    try:
        with engine.connect():
            pass
    except exc.DBAPIError as error:
        engine.dispose()
        raise ConfigurationError(f"the database {address} cannot be used: {_reason(error, address)}") from None
    return engine


def _options(given: Mapping[str, str | Sequence[str]]) -> str:
    """Return the address's own `options`, which come last and so take precedence."""
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
        raise ConfigurationError(f"{path} is damaged or not a database: {error}; it was not changed") from error
    finally:
        connection.close()


def _claim(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the file is empty or marked as saiten's, and mark it; two processes may do this at once."""
    if _application(connection) != _APPLICATION:
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _application(connection) != _APPLICATION:  # re-checked now that nobody else can write
                if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                    raise _foreign(path)
                connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        finally:
            connection.execute("COMMIT")
    switch_to_wal(connection)
    # a read-only file fails now rather than at the first save
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute("COMMIT")


def _application(connection: sqlite3.Connection) -> int:
    number: int = connection.execute("PRAGMA application_id").fetchone()[0]
    return number


def _reason(error: exc.DBAPIError, address: ServerAddress) -> str:
    """Return the driver's message on one line, with passwords masked."""
    lines = [line.strip() for line in str(error.orig).splitlines() if line.strip()]
    # the driver lists one line per resolved address, then hints
    text = "; ".join(lines)[:400] or type(error.orig).__name__
    for secret in (address.url.password, *(value for key, value in address.url.query.items() if "pass" in key)):
        text = text.replace(str(secret), "***") if secret else text
    return text


def _unusable(path: Path, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"the annotation database {path} cannot be used: {error}; it needs a writable folder on a local disk with free "
        "space, and must not be locked by another program"
    )


def _foreign(path: Path) -> ConfigurationError:
    return ConfigurationError(f"{path} is not a saiten annotation database, and was not changed; give another path")
