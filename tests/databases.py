"""The two kinds of database that keep labels and answers: a SQLite file, and a PostgreSQL server that is started here.

    def test_something(annotation_database):
        store = open_project(annotation_database, settings)

runs on both, each time on an empty database; `postgres_server` is the server itself, for tests that break it.
"""

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_PASSWORD = "pass word:/%"  # characters that need escaping in a URL
_QUOTED = "pass%20word%3A%2F%25"
_PLACES = ["/usr/lib/postgresql", "/usr/local/lib/postgresql", "/opt/homebrew/opt/postgresql"]
_SETTINGS = {
    "fsync": "off",  # it lives for a few seconds
    "full_page_writes": "off",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "autovacuum": "off",
}


class NoPostgres(Exception):
    """PostgreSQL is not installed or cannot be started; the text says why."""


_HEIR = """
read -r _  # ends when nobody holds the other end of the pipe any more
"$1/pg_ctl" -D "$2/data" -m immediate -w stop > /dev/null 2>&1
rm -rf "$2"
"""
"""Stops the server and removes its folder when we are gone, however we went: Ctrl-C, kill, kill -9."""


class PostgresServer:
    """A PostgreSQL server on loopback, in its own folder; stopping it leaves no trace."""

    def __init__(self) -> None:
        self._programs = _programs()
        # not below pytest's own folder, which other users may not enter
        self._folder = Path(tempfile.mkdtemp(prefix="saiten-pg-"))
        self._user = "postgres" if hasattr(os, "geteuid") and os.geteuid() == 0 else None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        try:
            self._hand_over()
            self._heir = self._start_heir()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        try:
            self._initialize()
            self.start()
        except BaseException:
            self.remove()
            raise

    def url(self, database: str = "postgres", password: str = _QUOTED) -> str:
        """The address of a database on the server."""
        return f"postgresql://tester:{password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The address of an empty database: in fact a new schema, which is a hundred times faster than a database."""
        name = f"test_{secrets.token_hex(6)}"
        self.tell(f"CREATE SCHEMA {name}")
        return f"{self.url()}?options=-csearch_path%3D{name}"

    def empty(self, database: str) -> None:
        """Reset its tables to their initial state: no rows, and numbering starts at 1."""
        self.cut_connections()  # of a process that was killed and may still hold locks
        schema = database.rpartition("%3D")[2]
        named = f"FROM pg_tables WHERE schemaname = '{schema}' AND tablename <> 'saiten_version'"
        ((tables,),) = self.tell(f"SELECT string_agg(schemaname || '.' || tablename, ', ') {named}")
        self.tell(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")

    def tell(self, statement: str) -> list[tuple]:
        """The server's reply to an administrator's statement."""
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def cut_connections(self) -> int:
        """Cut connections as an administrator or a network failure would; returns how many."""
        return len(
            self.tell(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
        )

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        self._run("pg_ctl", "-D", f"{self._folder}/data", "-l", f"{self._folder}/log", "-w", "-t", "30", "start")

    def stop(self) -> None:
        """Stop it at once, as a power failure would."""
        self._run("pg_ctl", "-D", f"{self._folder}/data", "-m", "immediate", "-w", "stop")

    def remove(self) -> None:
        """Stop it if it runs, and remove its folder."""
        self._heir.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)  # where its user is not allowed to remove the folder itself

    def _hand_over(self) -> None:
        """Give the folder and the password file to the user that the server runs as."""
        secret = self._folder / "secret"
        secret.write_text(_PASSWORD)
        if self._user:
            for path in (self._folder, secret):
                try:
                    shutil.chown(path, self._user)
                except LookupError as error:
                    raise NoPostgres("PostgreSQL does not run as root, and there is no user postgres") from error

    def _start_heir(self) -> subprocess.Popen:
        try:
            return subprocess.Popen(
                ["/bin/sh", "-c", _HEIR, "sh", self._programs, self._folder],
                user=self._user,
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C must not reach it
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise NoPostgres(f"sh cannot be run as {self._user or 'this user'}: {error}") from error

    def _initialize(self) -> None:
        secret = self._folder / "secret"
        self._run("initdb", "-D", f"{self._folder}/data", "-U", "tester", "--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync", "-E", "UTF8", "--locale=C")  # fmt: skip
        settings = {**_SETTINGS, "port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
        with (self._folder / "data" / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())

    def _run(self, program: str, *arguments: str) -> None:
        try:
            done = subprocess.run(
                [self._programs / program, *arguments],
                user=self._user,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # the server would keep a pipe open
                stderr=subprocess.DEVNULL,
                timeout=60,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise NoPostgres(f"{program} cannot be run: {error}") from error
        if done.returncode:
            raise NoPostgres(f"{program} failed with status {done.returncode}")


def _programs() -> Path:
    """The folder of the PostgreSQL programs, newest release first."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    folders = [path.parent for place in _PLACES for path in Path(place).glob("**/bin/initdb")]
    if not folders:
        raise NoPostgres("PostgreSQL is not installed (there is no initdb)")
    return max(folders, key=lambda folder: [int(part) for part in folder.parts if part.isdigit()])


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for the tests of this process; they are skipped if it cannot be started."""
    pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed")
    try:
        server = PostgresServer()
    except NoPostgres as error:
        pytest.skip(str(error))
    yield server
    server.remove()


# Tests on PostgreSQL are slow; one test of each kind of database access is a witness.
KINDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]


@pytest.fixture(params=KINDS)
def fresh_database(request, tmp_path) -> str:
    """The address of an empty database: first a file that does not exist yet, then a database on a server."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/labels.db"
    return request.getfixturevalue("postgres_server").new_database()


@pytest.fixture(params=KINDS)
def annotation_database(request, tmp_path) -> str:
    """The address of a database whose tables exist and are empty; faster than a fresh one."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("_file_with_tables"), tmp_path / "labels.db")
        return f"sqlite:///{tmp_path}/labels.db"
    server = request.getfixturevalue("postgres_server")
    server.empty(database := request.getfixturevalue("_schema_with_tables"))
    return database


@pytest.fixture(scope="session")
def _file_with_tables(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("tables") / "labels.db"
    _make_tables(str(file))
    return file


@pytest.fixture(scope="session")
def _schema_with_tables(postgres_server) -> str:
    _make_tables(database := postgres_server.new_database())
    return database


def _make_tables(url: str) -> None:
    from saiten.annotation.store.database import Database
    from saiten.annotation.store.engines import engine_of, read_address
    from saiten.annotation.store.migrating import migrate

    database = Database(engine_of(read_address(url)))
    database.write(lambda connection: migrate(connection, url))
    database.close()
