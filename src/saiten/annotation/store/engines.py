"""Database addresses and their engines: a SQLite file, or a database on a PostgreSQL server."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, exc, make_url

from saiten.durable.private import private_file, private_folder
from saiten.errors import ConfigurationError
from saiten.models.networks import require
from saiten.models.postgres_server import SETTINGS, check_host, reason
from saiten.models.sqlite_store import refuse_other_files, switch_to_wal
from saiten.options import check_place_of_database

_EXPECTED = "give the path of a file, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE"
_APPLICATION = 0x53414941
"""`application_id` in the header of a SQLite file: "SAIA"."""
_PATIENCE = 30.0
"""Seconds a transaction waits for others before it fails."""
DATABASE_CONNECTIONS = 8
"""The most at once, as many as the page's threads; a program with more threads lets them take turns."""
_POOL: dict[str, Any] = {
    "hide_parameters": True,
    "pool_size": DATABASE_CONNECTIONS,
    "max_overflow": 0,
    "pool_timeout": _PATIENCE,
}
_SERVER_SETTINGS: dict[str, Any] = {**SETTINGS, "application_name": "saiten annotate"}


def read_address(text: str) -> URL:
    """Parse an address: a file path, `sqlite:///FILE`, or `postgresql://USER:PASSWORD@HOST/DATABASE`.

    Raises:
        ConfigurationError: it is invalid or of another kind; the message contains no password.
    """
    scheme, separator, rest = text.partition("://")
    if separator and scheme.lower() in {"postgresql", "postgres", "postgresql+psycopg"}:
        try:
            url = make_url(f"postgresql+psycopg://{rest}")
        except (exc.ArgumentError, ValueError):
            raise ConfigurationError(f"the address of the PostgreSQL database cannot be read; {_EXPECTED}") from None
        check_host(url.host)
        return url
    if separator and scheme.lower() != "sqlite":
        raise ConfigurationError(f"{scheme[:40]!r} databases are not supported for labels; {_EXPECTED}")
    if separator and "?" in rest:
        raise ConfigurationError(f"sqlite:// takes no parameters after a question mark; {_EXPECTED}")
    file = rest.removeprefix("/") if separator else text
    if not file or file == ":memory:":
        raise ConfigurationError(f"an in-memory database would lose all labels; {_EXPECTED}")
    check_place_of_database("--db", file)
    if "\0" in file:
        raise ConfigurationError(f"the path of the database contains a NUL character; {_EXPECTED}")
    return URL.create("sqlite", database=str(Path(file).expanduser()))


def is_missing(address: URL) -> bool:
    """Return whether the address is a file that does not exist."""
    return address.drivername == "sqlite" and not Path(address.database or "").exists()


def named(address: URL) -> str:
    """Return the address for a message, without password and parameters."""
    if address.drivername == "sqlite":
        return address.database or ""
    shown = URL.create("postgresql", address.username, None, address.host, address.port, address.database)
    return shown.render_as_string()


def engine_of(address: URL) -> Engine:
    """Return an engine: a SQLite file is created if missing, in WAL mode and synced at every commit.

    Raises:
        ConfigurationError: the file is a folder, not an annotation database, or not writable; PostgreSQL's driver is
            not installed, or the connection is refused.
    """
    if address.drivername == "sqlite":
        _prepare_file(Path(address.database or ""))
        # transactions begin below, not in the driver, which begins them too late
        settings: dict[str, Any] = {"timeout": _PATIENCE, "isolation_level": None, "check_same_thread": False}
        engine = create_engine(address, connect_args=settings, **_POOL)
        event.listen(engine, "connect", _sqlite_connected)
        event.listen(engine, "begin", _sqlite_begin)
        return engine
    require("a PostgreSQL database", "postgres", "psycopg")
    given = address.query
    settings = {key: value for key, value in _SERVER_SETTINGS.items() if key not in given}
    options = given.get("options", "")  # come last and so take precedence
    options = options if isinstance(options, str) else " ".join(options)
    settings["options"] = f"-c lock_timeout={round(_PATIENCE * 1000)} {options}".strip()
    # dead idle connections are replaced
    engine = create_engine(
        address, connect_args=settings, pool_pre_ping=True, isolation_level="READ COMMITTED", **_POOL
    )
    try:
        engine.connect().close()
    except exc.DBAPIError as error:
        engine.dispose()
        secrets = (address.password, *(value for key, value in address.query.items() if "pass" in key))
        why = reason(error.orig, secrets)
        raise ConfigurationError(f"the database {named(address)} cannot be used: {why}") from None
    return engine


def _sqlite_connected(connection: Any, record: Any) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")  # a save is on disk before it is acknowledged
    # 256 KiB instead of 2 MB: the pages are dropped whenever another connection has written, so keeping more is no use
    connection.execute("PRAGMA cache_size = -256")


def _sqlite_begin(connection: Connection) -> None:
    # take the lock before reading: upgrading later fails if another transaction wrote meanwhile
    immediate = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _prepare_file(path: Path) -> None:
    try:
        refuse_other_files(path, "the annotation database", _foreign(path))
        private_folder(path.parent)
        private_file(path)
        with closing(sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)) as connection:
            _claim(connection, path)
            switch_to_wal(connection)
    except (OSError, sqlite3.OperationalError) as error:
        raise ConfigurationError(
            f"the annotation database {path} cannot be used: {error}; it needs a writable folder on a local disk with "
            "free space, and must not be locked by another program"
        ) from error
    except sqlite3.DatabaseError as error:
        raise ConfigurationError(f"{path} is damaged or not a database: {error}; it was not changed") from error


def _claim(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the file is empty or marked as saiten's, and mark it; a read-only file fails here, not at a save."""
    connection.execute("BEGIN IMMEDIATE")  # two processes may do this at once
    with connection:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if application != _APPLICATION and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise _foreign(path)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")


def _foreign(path: Path) -> ConfigurationError:
    return ConfigurationError(f"{path} is not a saiten annotation database, and was not changed; give another path")
