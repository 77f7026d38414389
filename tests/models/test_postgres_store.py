"""Answers in a PostgreSQL database: equal requests of all processes are asked once, whoever dies, and nothing leaks."""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from saiten.errors import CallFailed, ConfigurationError
from saiten.models import postgres_store
from saiten.models.answer_store import ClaimedKeys
from saiten.models.cache import CachedChat
from saiten.models.scripted import ScriptedChat
from saiten.protocols import ChatMessage, ChatRequest
from saiten.records import Usage
from saiten.wiring.stores import open_store
from servers import OpenAIServer

pytestmark = pytest.mark.slow

psycopg = pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed")

WORKER = Path(__file__).with_name("claiming_worker.py")
PLAIN = ChatRequest((ChatMessage("user", "?"),))
NOTHING = ClaimedKeys({}, frozenset())


@pytest.fixture
def database(postgres_server):
    """The address of an empty database."""
    return postgres_server.new_database()


@pytest.fixture
async def stores(database):
    """Two stores on one database, as two processes have them."""
    two = [open_store(database, lambda _: None) for _ in range(2)]
    yield two
    for store in two:
        await store.close()


def ours(*keys):
    """What a claim returns that gets all these keys."""
    return ClaimedKeys({}, frozenset(keys))


async def waiting(work):
    """A task that is given time to end, and has not."""
    task = asyncio.create_task(work)
    await asyncio.wait([task], timeout=0.3)
    assert not task.done()
    return task


async def test_a_claim_is_one_process_at_a_time(stores):
    """The other waits, and gets the value, or the claim if there is none."""
    a, b = stores
    assert await a.claim([b"k", b"l"]) == ours(b"k", b"l")
    assert await b.claim([b"m", b"k"]) == ours(b"m")
    waiter = await waiting(b.claim([b"k"]))
    await a.put("m", {b"k": b"value"})
    assert await waiter == ClaimedKeys({b"k": b"value"}, frozenset())
    waiter = await waiting(b.claim([b"l"]))
    a.release([b"l"])
    assert await waiter == ours(b"l")


async def test_two_models_of_one_process_share_claims(stores):
    """Several chats use one store: the second waits for the first, as another process would."""
    store = stores[0]
    assert await store.claim([b"k"]) == ours(b"k")
    waiter = await waiting(store.claim([b"k"]))
    await store.put("m", {b"k": b"v"})
    assert (await waiter).found == {b"k": b"v"}


async def test_the_claim_of_a_caller_that_gave_up_is_free(stores):
    """Canceled at any moment: before the order is read, while it is carried out, or after."""
    a, b = stores
    for moment in range(60):
        key = b"%d" % moment
        task = asyncio.create_task(a.claim([key]))
        await asyncio.sleep(0)
        await asyncio.sleep(moment * 0.0001)
        task.cancel()
        held = (await asyncio.gather(task, return_exceptions=True))[0]
        if isinstance(held, ClaimedKeys):
            a.release([key])
        assert await asyncio.wait_for(b.claim([key]), 20) == ours(key)


async def test_a_value_whose_caller_gave_up_is_written(stores):
    """It was paid for."""
    a, b = stores
    task = asyncio.create_task(a.put("m", {b"k": b"v"}))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    await a.close()
    assert await b.get(b"k") == b"v"


async def test_close_ends_claims_and_the_store_opens_again(stores):
    """Others may ask what a closed store had claimed, also once it is open again."""
    a, b = stores
    await a.claim([b"k"])
    await a.close()
    await a.put("m", {b"l": b"v"})
    assert await b.get(b"l") == b"v"
    assert await asyncio.wait_for(b.claim([b"k"]), 20) == ours(b"k")


async def test_a_call_that_fails_or_has_no_answer_to_keep_lets_others_ask(stores):
    """An error, an empty answer and a cancelation end the claim."""

    async def never(_):
        await asyncio.sleep(3600)

    for seed, script in enumerate([[CallFailed("no", Usage(calls=1))], [""], never]):
        request = replace(PLAIN, seed=seed)
        first, second = (
            CachedChat(ScriptedChat(each), store) for each, store in zip([script, ["good"]], stores, strict=True)
        )
        task = asyncio.create_task(first.complete(request))
        done, _ = await asyncio.wait([task], timeout=2 if script is never else 20)
        task.cancel()
        assert bool(done) is (script is not never)
        answer = await asyncio.wait_for(second.complete(request), 20)
        assert (answer.text, answer.usage.calls) == ("good", 1)
        await asyncio.gather(task, return_exceptions=True)


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


async def test_many_keys_at_once(stores):
    """More than fit into a statement; values of any bytes."""
    a, b = stores
    values = {bytes([number % 256, number // 256]): bytes([number % 256]) * 300 for number in range(1700)}
    claimed = await a.claim([*values])
    assert claimed == ours(*values)
    await a.put("m\0odel\ud800", values)
    assert await b.get_many([*values, b"lacking"]) == values
    assert (await b.claim([*values, b"lacking"])) == ClaimedKeys(values, frozenset([b"lacking"]))
    b.drop(b"\x01\x00")
    assert await b.get(b"\x01\x00") is None


def worker(database, server, seed, count):
    """A process that asks `count` questions and embeds as many texts, once started."""
    command = [sys.executable, str(WORKER), database, server.base_url, str(seed), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def half_way(database, server):
    """Three workers that ask the same 120 questions, of which some are answered."""
    crowd = [worker(database, server, seed, 120) for seed in range(3)]
    assert [process.stdout.readline() for process in crowd] == ["begun\n"] * 3
    while len(server.requests) < 60:
        time.sleep(0.01)
    return crowd


def sent_again(server):
    """How many questions, and how many texts, were sent more than once."""
    questions, texts = Counter(), Counter()
    for asked in server.requests:
        if "input" in asked.body:
            texts.update(asked.body["input"])
        else:
            questions[asked.text] += 1
    return [counts.total() - len(counts) for counts in (questions, texts)], len(questions), len(texts)


@pytest.mark.witness
def test_four_processes_ask_everything_once(database):
    """Each question and text reaches the server once, and exactly one process pays for each."""
    with OpenAIServer() as server:
        server.latency = 0.02
        crowd = [worker(database, server, seed, 100) for seed in range(4)]
        ends = [process.communicate(timeout=120) for process in crowd]
        assert [process.returncode for process in crowd] == [0] * 4, ends
        assert sent_again(server) == ([0, 0], 100, 100)
        assert sum(int(out.split()[-1]) for out, _ in ends) == 100


def test_a_process_that_is_killed_leaves_its_questions_to_the_others(database):
    """Only what it had in flight is sent again."""
    with OpenAIServer() as server:
        server.latency = 0.05
        crowd = half_way(database, server)
        crowd[0].kill()
        ends = [process.communicate(timeout=120) for process in crowd]
        assert [process.returncode for process in crowd[1:]] == [0, 0], ends
        (questions, texts), asked, embedded = sent_again(server)
        assert (asked, embedded) == (120, 120)
        assert questions <= 8
        assert texts <= 3 * 8


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
