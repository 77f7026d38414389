"""Answers in a PostgreSQL database: equal requests of all processes are asked once, whoever dies, and nothing leaks."""

import asyncio
import time

import pytest
from claiming_crowd import half_way, ours, sent_again, waiting

from saiten.errors import ConfigurationError
from saiten.models import postgres_store
from saiten.wiring.stores import open_store
from servers import OpenAIServer

pytestmark = pytest.mark.slow

psycopg = pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed")


@pytest.fixture
def database(postgres_server):
    """The address of an empty database."""
    return postgres_server.new_database()


@pytest.fixture
def store_name(database):
    """What the fixture `stores` opens."""
    return database


async def test_a_connection_that_is_cut_is_made_again_with_its_claims(stores, postgres_server):
    """Nothing is lost; what others claimed meanwhile stays theirs."""
    a, b = stores
    await a.claim([b"k", b"taken"])
    postgres_server.cut_connections()
    assert await asyncio.wait_for(b.claim([b"taken"]), 20) == ours(b"taken")
    assert await a.get(b"x") is None  # connects again
    waiter = await waiting(b.claim([b"k"]))
    await a.put("m", {b"k": b"v"})
    assert (await waiter).found == {b"k": b"v"}
    waiter = await waiting(a.claim([b"taken"]))
    await b.put("m", {b"taken": b"w"})
    assert (await waiter).found == {b"taken": b"w"}


def test_a_server_that_is_started_again_costs_no_more_than_what_was_in_flight(database, postgres_server):
    """A crash of the database in the middle: all processes go on, and no answer that was written is asked again."""
    with OpenAIServer() as server:
        server.latency = 0.05
        crowd = half_way(database, server)
        postgres_server.stop()
        time.sleep(0.5)
        postgres_server.start()
        ends = [process.communicate(timeout=120) for process in crowd]
        assert [process.returncode for process in crowd] == [0] * 3, ends
        (questions, texts), asked, embedded = sent_again(server)
        assert (asked, embedded) == (120, 120)
        assert questions <= 3 * 8
        assert texts <= 3 * 3 * 8


async def test_a_database_that_stays_away_ends_the_run(database, postgres_server, monkeypatch):
    """The error says what happened and what to do; whoever spends is stopped."""
    monkeypatch.setattr(postgres_store, "_PATIENCE", 0.3)
    stopped = []
    store = open_store(database, stopped.append)
    postgres_server.stop()
    try:
        with pytest.raises(
            ConfigurationError, match=r"the cache postgresql://127.0.0.1:\d+/postgres .* re-run"
        ) as raised:
            await store.get(b"k")
        assert stopped == [raised.value]
    finally:
        postgres_server.start()
    assert await store.get(b"k") is None
    await store.close()


def tell(database, statement):
    """The rows that a statement returns."""
    with psycopg.connect(database, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def test_claims_of_the_dead_are_removed_when_a_store_opens(database):
    """The table does not grow with every process that was killed."""
    asyncio.run(open_store(database, print).close())
    tell(database, "INSERT INTO saiten_claims SELECT n::text::bytea, n FROM generate_series(1, 2000) AS n")
    asyncio.run(open_store(database, print).close())
    assert tell(database, "SELECT count(*) FROM saiten_claims") == [(0,)]


def test_a_table_of_somebody_else_is_refused_and_left_alone(database):
    """Also one of another version."""
    tell(database, "CREATE TABLE saiten_answers (mine text)")
    with pytest.raises(ConfigurationError, match="was not changed; use another database or schema"):
        open_store(database, print)
    assert tell(database, "SELECT to_regclass('saiten_claims')") == [(None,)]


def test_a_pooler_is_refused(database, monkeypatch):
    """Its sessions outlive the processes; it names another process than the server itself, as PgBouncer does."""
    monkeypatch.setattr(psycopg.ConnectionInfo, "backend_pid", property(lambda _: -1))
    with pytest.raises(ConfigurationError, match="is a connection pooler"):
        open_store(database, print)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda address: address.replace("pass%20word", "wrong-secret"), "password authentication failed"),
        (lambda address: address.replace("/postgres?", "/nowhere?"), "nowhere"),
        (lambda address: address.replace("?options=", "?opti%ons="), "cannot be read; expected postgresql://HOST"),
        (lambda address: address.split("?")[0] + "?password=other-secret", "password authentication failed"),
        (lambda _: "postgresql://tester:a@secret@127.0.0.1:9/db", "write an @ in the user name or password"),
        (lambda _: "postgresql://tester:a@b:secret@127.0.0.1:9/db", "write an @ in the user name or password"),
    ],
)
def test_an_address_that_does_not_work_is_named_without_its_password(database, spoil, said):
    """At once, before any call, and in one line."""
    with pytest.raises(ConfigurationError) as raised:
        open_store(spoil(database), print)
    text = str(raised.value)
    assert said in text
    assert "\n" not in text
    assert all(secret not in text for secret in ("secret", "pass word", "pass%20word"))
