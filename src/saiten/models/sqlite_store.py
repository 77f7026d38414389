"""The answer store on one machine: a SQLite file with every complete answer, so that nothing is paid for twice.

Each answer is written on arrival, in WAL mode: processes may share the file, and may be killed at any moment. Only a
power cut can lose the last few answers. Claims are locks in a file next to it, which end with their process.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from saiten.durable.private import private_file, private_folder
from saiten.errors import ConfigurationError, NotWritten
from saiten.models.answer_store import ClaimedKeys
from saiten.models.key_locks import KeyLocks, Waiting


def switch_to_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL mode, retrying while another process switches, which the busy time-out does not cover.

    A file that stays locked for four seconds keeps its slower but equally safe mode.

    Raises:
        sqlite3.OperationalError: the mode cannot be used here at all.
    """
    for patience in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            time.sleep(patience)
        else:
            return


def refuse_other_files(path: Path, what: str, foreign: ConfigurationError) -> None:
    """Raise ConfigurationError if the path is a folder, and `foreign` if it is a file that is not SQLite's."""
    if path.is_dir():
        raise ConfigurationError(f"{what} {path} is a folder; give the path of a file")
    if path.exists():
        with path.open("rb") as file:
            head = file.read(16)
        if head and head != b"SQLite format 3\0":
            raise foreign


_APPLICATION = 0x53414954  # "SAIT", in the file's header
_LAYOUT = 1
_PATIENCE = 30.0  # seconds to wait for another process's write lock
_SLICE = 500  # keys per query, below SQLite's limit on variables
_LOOKS = 0.01, 0.25
"""The first and the longest pause between two looks whether others have what they asked for, in seconds; each is twice
the one before."""

_CREATE = f"""
CREATE TABLE answers (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    model TEXT NOT NULL,
    value BLOB NOT NULL,
    written REAL NOT NULL
);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_LAYOUT};
"""


class SQLiteStore:
    """An `AnswerStore` in a file, whose claims hold over all processes of one machine that use it.

    A process that dies loses its claims, and others ask; so does one that hangs for a minute.

    The file is opened at once, so that a wrong file is noticed before the first call; `close()`d stores reopen on use.
    """

    def __init__(self, path: Path | str, *, failed: Callable[[ConfigurationError], object] = lambda _: None) -> None:
        """Raises ConfigurationError if the file is no answer store, is damaged, or is not writable.

        `failed` is called with every later error before it is raised.
        """
        self.path = Path(path)
        self._failed = failed
        self._connection: sqlite3.Connection | None = None
        self._locks = KeyLocks(self.path.with_name(f"{self.path.name}-claims"), self.path)
        self._open()

    async def get(self, key: bytes) -> bytes | None:
        """Return the value stored under the key, if any."""
        with self._explained():
            row = self._open().execute("SELECT value FROM answers WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

    async def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values stored under these keys; missing keys are skipped."""
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _SLICE):
            part = keys[start : start + _SLICE]
            marks = ",".join("?" * len(part))
            with self._explained():
                rows = self._open().execute(f"SELECT key, value FROM answers WHERE key IN ({marks})", part)  # noqa: S608 - question marks only
                found.update(rows)
        return found

    async def put(self, model: str, values: Mapping[bytes, bytes]) -> None:
        """Store or replace these values, all or none. `model` is only for people who inspect the file."""
        now = time.time()
        model = model.encode("utf-8", "replace").decode()
        rows: Iterable[tuple[bytes, str, bytes, float]] = ((key, model, value, now) for key, value in values.items())
        with self._explained():
            connection = self._open()
            if len(values) == 1:  # its own transaction
                connection.execute(_PUT, next(iter(rows)))
            else:
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    connection.executemany(_PUT, rows)
        self.release([*values])

    async def claim(self, keys: Sequence[bytes]) -> ClaimedKeys:
        """Wait until one of the keys has a value or is the caller's to ask for; return all those."""
        waits = {key: Waiting(self._locks, key) for key in keys}
        pause, longest = _LOOKS
        while True:
            ours = {key for key, wait in waits.items() if wait.over()}
            try:
                found = await self.get_many(keys)  # after the locks: a holder writes the value, then ends its claim
            except BaseException:
                self.release([*ours])
                raise
            self.release([*ours & found.keys()])
            if ours or found:
                return ClaimedKeys(found, frozenset(ours - found.keys()))
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)

    def release(self, keys: Sequence[bytes]) -> None:
        """End claims without a value; others may ask then."""
        for key in keys:
            self._locks.end(key)

    def drop(self, key: bytes) -> None:
        """Delete the value of the key."""
        with self._explained():
            self._open().execute("DELETE FROM answers WHERE key = ?", (key,))

    def __len__(self) -> int:
        with self._explained():
            return int(self._open().execute("SELECT count(*) FROM answers").fetchone()[0])

    async def close(self) -> None:
        """Close the file."""
        self._locks.close()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            with self._explained():
                self._connection = self._connect()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        refuse_other_files(self.path, "the answer store", _foreign(self.path))
        private_folder(self.path.parent)
        private_file(self.path)
        # no thread check: a notebook opens in one thread and runs in another; SQLite itself is serialized
        connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except ConfigurationError as error:
            self._failed(error)
            raise
        except (sqlite3.DatabaseError, OSError) as error:
            explained = self._explain(error)
            self._failed(explained)
            raise explained from error

    def _explain(self, error: Exception) -> ConfigurationError:
        if isinstance(error, sqlite3.OperationalError):
            return NotWritten(
                f"the answer store {self.path} cannot be used: {error}; it needs a writable folder on a local disk "
                "with free space, not locked by another program. No further call is made: fix this and re-run the "
                "command"
            )
        if isinstance(error, sqlite3.DatabaseError):
            return ConfigurationError(
                f"the answer store {self.path} is damaged: {error}; move it away (its answers will be requested "
                f"again), or save what can be read with: sqlite3 {self.path} .recover"
            )
        return ConfigurationError(f"the answer store {self.path} cannot be opened: {error}")


_PUT = (
    "INSERT INTO answers (key, model, value, written) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (key) DO UPDATE SET value = excluded.value, written = excluded.written"
)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the file is an answer store, or create the table in a new one. Safe against concurrent processes."""
    _check(connection, path)
    switch_to_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")  # safe against kills in WAL mode; a power cut may lose the tail
    if _header(connection)[0] == _APPLICATION:
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if _header(connection)[0] != _APPLICATION:  # check again under the write lock
            for statement in _CREATE.split(";"):
                connection.execute(statement)
    _check(connection, path)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Check the header without writing, so that another program's file stays unchanged."""
    # before the header, since another process may be writing both: whoever sees the table then sees its mark, too
    has_tables = connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    application, layout = _header(connection)
    if application != _APPLICATION and has_tables:
        raise _foreign(path)
    if application == _APPLICATION and layout != _LAYOUT:
        raise ConfigurationError(
            f"the answer store {path} has layout {layout}, this saiten reads {_LAYOUT}; update saiten, or give "
            "another path"
        )


def _header(connection: sqlite3.Connection) -> tuple[int, int]:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    return application, connection.execute("PRAGMA user_version").fetchone()[0]


def _foreign(path: Path) -> ConfigurationError:
    return ConfigurationError(f"{path} is not a saiten answer store and was left unchanged: give another path")
