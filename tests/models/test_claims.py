"""Claims: equal requests of all processes that share a store are asked once, whoever dies or hangs."""

import asyncio
import errno
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from claiming_crowd import half_way, ours, sent_again, waiting, worker

from saiten.errors import CallFailed
from saiten.models import key_locks, sqlite_store
from saiten.models.answer_store import ClaimedKeys
from saiten.models.cache import CachedChat
from saiten.models.scripted import ScriptedChat
from saiten.models.sqlite_store import SQLiteStore
from saiten.protocols import ChatMessage, ChatRequest
from saiten.records import Usage
from servers import OpenAIServer

PLAIN = ChatRequest((ChatMessage("user", "?"),))


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


@pytest.mark.slow
@pytest.mark.witness
def test_four_processes_ask_everything_once(store_name):
    """Each question and text reaches the server once, and exactly one process pays for each."""
    with OpenAIServer() as server:
        server.latency = 0.02
        crowd = [worker(store_name, server, seed, 100) for seed in range(4)]
        ends = [process.communicate(timeout=120) for process in crowd]
        assert [process.returncode for process in crowd] == [0] * 4, ends
        assert sent_again(server) == ([0, 0], 100, 100)
        assert sum(int(out.split()[-1]) for out, _ in ends) == 100


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_its_questions_to_the_others(store_name):
    """Only what it had in flight is sent again."""
    with OpenAIServer() as server:
        server.latency = 0.05
        crowd = half_way(store_name, server)
        crowd[0].kill()
        ends = [process.communicate(timeout=120) for process in crowd]
        assert [process.returncode for process in crowd[1:]] == [0, 0], ends
        (questions, texts), asked, embedded = sent_again(server)
        assert (asked, embedded) == (120, 120)
        assert questions <= 8
        assert texts <= 3 * 8


@pytest.fixture
def files(tmp_path):
    """Opens stores on one file, as several processes have them."""
    return lambda count: [SQLiteStore(tmp_path / "answers.sqlite") for _ in range(count)]


HOLDER = """
import asyncio, sys, time
from saiten.models.sqlite_store import SQLiteStore

async def hold():
    await SQLiteStore(sys.argv[1]).claim([b"k"])
    print("held", flush=True)
    await asyncio.sleep(600)

asyncio.run(hold())
"""


@pytest.fixture
def holder(files):
    """A process that holds the claim on `k` of a file, and files with which others wait."""
    stores = files(3)
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(stores[0].path)], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    yield process, stores
    process.kill()
    process.communicate()


async def test_a_claim_in_a_file_ends_with_its_process(holder):
    """Killed with SIGKILL: one of those who wait has the claim, the others its value."""
    process, (a, b, c) = holder
    waiters = [await waiting(each.claim([b"k"])) for each in (a, b)]
    process.kill()
    await asyncio.wait(waiters, return_when=asyncio.FIRST_COMPLETED)
    (first,) = [each for each in waiters if each.done()]
    assert await first == ours(b"k")
    await (a if first is waiters[0] else b).put("m", {b"k": b"v"})
    assert {tuple((await each).found) for each in waiters} == {(), (b"k",)}
    assert (await c.claim([b"k"])).found == {b"k": b"v"}


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
async def test_a_claim_whose_process_hangs_passes_to_one_of_the_others(holder, monkeypatch):
    """A stopped process blocks nobody for ever, and what it was asking for is sent by one process, not by all."""
    process, (a, b, c) = holder
    os.kill(process.pid, signal.SIGSTOP)
    monkeypatch.setattr(key_locks, "_HUNG", 0.2)
    assert await asyncio.wait_for(a.claim([b"k"]), 20) == ours(b"k")
    monkeypatch.setattr(key_locks, "_HUNG", 60.0)
    waiters = [await waiting(each.claim([b"k"])) for each in (b, c)]
    await a.put("m", {b"k": b"v"})
    assert [(await waiter).found for waiter in waiters] == [{b"k": b"v"}] * 2


async def test_a_slow_holder_keeps_its_claim(files, monkeypatch):
    """As long as its event loop runs, a call may take any time: it gives signs of life."""
    monkeypatch.setattr(key_locks, "_SIGNS", 0.02)
    monkeypatch.setattr(key_locks, "_HUNG", 0.4)
    monkeypatch.setattr(key_locks, "_LOOK", 0.02)  # twenty looks without a sign
    monkeypatch.setattr(sqlite_store, "_LOOKS", (0.01, 0.02))
    a, b = files(2)
    assert await a.claim([b"k"]) == ours(b"k")
    waiter = asyncio.create_task(b.claim([b"k"]))
    await asyncio.wait([waiter], timeout=1.5)
    assert not waiter.done()
    a.release([b"k"])
    assert await waiter == ours(b"k")


async def test_where_files_cannot_be_locked_everybody_may_ask(files, monkeypatch):
    """Some network drives have no locks: two processes may then pay for the same, and none waits for ever."""

    def refuse(*_, **__):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(key_locks, "_lock", refuse)
    a, b = files(2)
    assert await a.claim([b"k"]) == await b.claim([b"k"]) == ours(b"k")
    await a.put("m", {b"k": b"v"})
    assert (await b.claim([b"k"])).found == {b"k": b"v"}


async def test_the_end_of_one_claim_leaves_the_others(files):
    """A value that is found, or a key that was never claimed, ends nobody's claim."""
    a, b = files(2)
    await a.put("m", {b"damaged": b"{"})
    assert await a.claim([b"k", b"l"]) == ours(b"k", b"l")
    a.release([b"lacking", b"k"])
    assert await b.claim([b"k", b"l"]) == ours(b"k")
    await a.claim([b"damaged"])
    waiter = await waiting(b.claim([b"l"]))
    await a.close()
    assert await waiter == ours(b"l")


async def test_whoever_waits_for_a_file_looks_a_few_times_a_second(files, monkeypatch):
    """Waiting takes little of a processor: the pause between two looks grows to a quarter of a second."""
    pauses = []

    async def noted(seconds):
        pauses.append(seconds)
        if len(pauses) == 9:
            a.release([b"k"])

    a, b = files(2)
    await a.claim([b"k"])
    monkeypatch.setattr(asyncio, "sleep", noted)
    assert await b.claim([b"k"]) == ours(b"k")
    assert pauses == [0.01, 0.02, 0.04, 0.08, 0.16, 0.25, 0.25, 0.25, 0.25]
