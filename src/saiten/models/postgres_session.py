"""A session of the answer store on a PostgreSQL server: its tables and its statements.

Two tables: `saiten_answers`, and `saiten_claims` with the keys that somebody is asking for. A claim counts while its
owner, a random number, is locked by the owner's session (an advisory lock). The server frees it when the session
ends, so claims of a process that was killed count no longer. Claims are taken by an upsert, whose row lock decides
between processes.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from secrets import randbits
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from saiten.errors import ConfigurationError
from saiten.models.answer_store import ClaimedKeys
from saiten.models.postgres_server import SETTINGS, check_host, reason

_LAYOUT = "answers of saiten, layout 1"
"""The comment on the table of answers."""
_CREATING = 0x53414954
"""The advisory lock of whoever creates the tables."""
_AT_ONCE = 500
"""Keys per statement."""
_SETTINGS: dict[str, Any] = {**SETTINGS, "application_name": "saiten cache"}
_OPTIONS = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"
"""For the server: it ends the session of a machine that vanished after a minute, not after two hours."""

_CREATE = f"""
CREATE TABLE IF NOT EXISTS saiten_answers (
    key bytea PRIMARY KEY, model text NOT NULL, value bytea NOT NULL, written timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE saiten_answers IS '{_LAYOUT}';
CREATE UNLOGGED TABLE IF NOT EXISTS saiten_claims (key bytea PRIMARY KEY, owner bigint NOT NULL)
"""
_FIND = "SELECT key, value FROM saiten_answers WHERE key = ANY(%s)"
# Keys in one order, so that no two processes wait for each other. Live claims are left out first, without locking them.
_CLAIM = """
INSERT INTO saiten_claims AS claim (key, owner)
SELECT key, %(owner)s::bigint FROM unnest(%(keys)s::bytea[]) AS wanted (key)
WHERE NOT EXISTS (SELECT FROM saiten_answers WHERE saiten_answers.key = wanted.key)
AND NOT EXISTS (
    SELECT FROM saiten_claims AS other WHERE other.key = wanted.key AND NOT other.owner = ANY(%(mine)s::bigint[])
    AND NOT pg_try_advisory_xact_lock_shared(other.owner)
)
ORDER BY key
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner
WHERE claim.owner = ANY(%(mine)s::bigint[]) OR pg_try_advisory_xact_lock_shared(claim.owner)
RETURNING claim.key
"""
_PUT = """
WITH written AS (
    INSERT INTO saiten_answers (key, model, value)
    SELECT * FROM unnest(%(keys)s::bytea[], %(models)s::text[], %(values)s::bytea[]) ORDER BY 1
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, written = excluded.written
)
DELETE FROM saiten_claims WHERE key = ANY(%(keys)s::bytea[]) AND owner = ANY(%(mine)s::bigint[])
"""
_RELEASE = "DELETE FROM saiten_claims WHERE key = ANY(%s) AND owner = ANY(%s::bigint[])"
_DROP = "DELETE FROM saiten_answers WHERE key = ANY(%s)"
_CLEAN = "DELETE FROM saiten_claims WHERE pg_try_advisory_xact_lock_shared(owner)"


class PostgresSession:
    """A connection that is made when it is needed, and again when it was lost. For one thread at a time.

    Every method raises `psycopg.Error`, and may be called again after it: nothing is done twice.
    """

    def __init__(self, address: str) -> None:
        """`address` is a URL as libpq reads it. Raises ConfigurationError if it has another form."""
        try:
            given = conninfo_to_dict(address)
            options = f"{_OPTIONS} {given.get('options', '')}".strip()  # what is given comes last, and so decides
            self._conninfo = make_conninfo(**_SETTINGS | given | {"options": options})
        except (psycopg.Error, UnicodeError):
            raise ConfigurationError(
                "the address of the cache cannot be read; expected postgresql://HOST:PORT/DATABASE, with user and "
                "password before the host and an @, or in PGUSER and PGPASSWORD"
            ) from None
        check_host(given.get("host"), given.get("port"))
        self.name = _shown(given)
        """The address without secrets."""
        self._secrets = [value for name, value in given.items() if "pass" in name]
        self._connection: psycopg.Connection | None = None
        self._owners: list[int] = []
        self._ours: set[bytes] = set()

    def prepare(self) -> None:
        """Make the tables, if there are none, and remove claims that no longer count.

        Raises:
            ConfigurationError: the tables are not saiten's, or of another version.
        """
        connection = self._connected()
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_CREATING,))
            ((table, comment),) = connection.execute(
                "SELECT to_regclass('saiten_answers'), obj_description(to_regclass('saiten_answers'))"
            )
            if table is not None and comment != _LAYOUT:
                raise ConfigurationError(
                    f"the table saiten_answers of {self.name} is not an answer store of this version ({_LAYOUT}), and "
                    "was not changed; use another database or schema"
                )
            if table is None:
                connection.execute(_CREATE)
        connection.execute(_CLEAN)

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that have one."""
        found: dict[bytes, bytes] = {}
        for part in _parts(keys):
            found |= dict(self._connected().execute(_FIND, (part,), binary=True))
        return found

    def claim(self, keys: Iterable[bytes]) -> ClaimedKeys:
        """Return the values of those keys that have one, and those that are now this session's to ask for."""
        found: dict[bytes, bytes] = {}
        ours: set[bytes] = set()
        try:
            for part in _parts([key for key in keys if key not in self._ours]):
                ours |= self._take(part)
                self._ours |= ours
                # A value that was stored, and its claim ended, just before ours began is seen only by a new statement.
                found |= self.find(part)
            self.release([key for key in ours if key in found])
        except psycopg.Error:
            self._ours -= ours  # to be taken when this is tried again
            raise
        return ClaimedKeys(found, frozenset(ours - found.keys()))

    def _take(self, keys: Sequence[bytes]) -> set[bytes]:
        connection = self._connected()
        order = {"keys": sorted(keys), "owner": self._owners[-1], "mine": self._owners}
        return {key for (key,) in connection.execute(_CLAIM, order, binary=True)}

    def put(self, rows: Mapping[bytes, tuple[str, bytes]]) -> None:
        """Write key → model and value, and end the claims to them."""
        for keys in _parts(sorted(rows)):
            models = [rows[key][0].encode("utf-8", "replace").decode().replace("\0", "") for key in keys]
            values = [rows[key][1] for key in keys]
            connection = self._connected()
            connection.execute(_PUT, {"keys": keys, "models": models, "values": values, "mine": self._owners})
            self._ours.difference_update(keys)

    def release(self, keys: Sequence[bytes]) -> None:
        """End the claims to these keys."""
        if keys:
            self._connected().execute(_RELEASE, (keys, self._owners))
            self._ours.difference_update(keys)

    def drop(self, keys: Sequence[bytes]) -> None:
        """Delete these values."""
        self._connected().execute(_DROP, (keys,))

    def disconnect(self) -> None:
        """End the connection, if there is one, and with it all claims."""
        connection, self._connection = self._connection, None
        self._owners, self._ours = [], set()
        if connection is not None:
            with suppress(psycopg.Error):
                connection.close()

    def reason(self, error: psycopg.Error) -> str:
        """Return what the server or the driver said, on one line and without secrets."""
        return reason(error, self._secrets)

    def _connected(self) -> psycopg.Connection:
        if self._connection is None or self._connection.closed:
            self._connection = None
            connection = psycopg.connect(self._conninfo, autocommit=True)
            try:
                self._lock_owner(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
            # Claims of the session that was lost are kept, except those that others took meanwhile.
            self._ours = set().union(*(self._take(part) for part in _parts(list(self._ours))))
        return self._connection

    def _lock_owner(self, connection: psycopg.Connection) -> None:
        owner = randbits(63)
        ((process,),) = connection.execute("SELECT pg_backend_pid()")
        if process != connection.info.backend_pid:
            raise ConfigurationError(
                f"{self.name} is a connection pooler, behind which nobody can see whether a process still runs; give "
                "the address of the PostgreSQL server itself"
            )
        connection.execute("SELECT pg_advisory_lock(%s)", (owner,))
        connection.execute(  # an idle session keeps its claims
            "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'"
        )
        self._owners.append(owner)


def _parts(keys: Sequence[bytes]) -> Iterable[list[bytes]]:
    return (list(keys[start : start + _AT_ONCE]) for start in range(0, len(keys), _AT_ONCE))


def _shown(given: Mapping[str, Any]) -> str:
    """Return the address for messages: no user, no password, no parameters."""
    port = f":{given['port']}" if given.get("port") else ""
    return f"postgresql://{given.get('host', '')}{port}/{given.get('dbname', '')}"
