"""When a wave of requests is closed, and what is in it."""

import asyncio

import pytest
from virtual_time import run

from saiten.errors import BatchPending, NotWritten
from saiten.models.batch.waves import Waves
from saiten.models.http_client import HttpReply
from saiten.runs.batches import BatchFolder

QUIET = 5.0
REPLY = HttpReply(200, {}, b"{}")


class Answering:
    """Answers every batch after an hour."""

    by_hand = False

    def __init__(self):
        self.batches = []

    async def run(self, batch, shelf):
        self.batches.append(sorted(batch.keys))
        await asyncio.sleep(3600)
        batch.give(dict.fromkeys(batch.keys, REPLY), AssertionError)

    async def close(self):
        pass


def waves(folder, sending, most=100, largest=10**9):
    """A queue in front of it."""
    return Waves("m", lambda: BatchFolder(folder), sending, BatchPending, most=most, quiet=QUIET, largest=largest)


def batches_of(folder, *requests, **limits):
    """The keys of each batch, of requests (key, seconds before it, turns of the loop before it)."""

    async def one(queue, key, seconds, turns):
        await asyncio.sleep(seconds)
        for _ in range(turns):
            await asyncio.sleep(0)
        assert await queue.ask(key, {"messages": []}) == REPLY

    async def everything():
        sending = Answering()
        queue = waves(folder, sending, **limits)
        await asyncio.gather(*(one(queue, *request) for request in requests))
        await queue.close()
        return sending.batches

    return run(everything())


def test_a_request_that_comes_soon_is_in_the_same_wave(tmp_path):
    """However many steps of the program lie between, and up to five seconds after the one before."""
    found = batches_of(tmp_path, ("a", 0, 0), ("b", 0, 150), ("c", 4.9, 0), ("d", 9.5, 3))
    assert found == [["a", "b", "c", "d"]]


def test_a_request_that_comes_late_is_in_the_next_wave(tmp_path):
    """Which is sent without waiting for the first one."""
    assert batches_of(tmp_path, ("a", 0, 0), ("b", 6, 0), ("c", 4000, 0)) == [["a"], ["b"], ["c"]]


def test_a_wave_that_is_full_is_closed_at_once(tmp_path):
    """By the number of requests, or by their bytes."""
    requests = [(str(number), 0, 0) for number in range(5)]
    assert batches_of(tmp_path / "a", *requests, most=2) == [["0", "1"], ["2", "3"], ["4"]]
    assert batches_of(tmp_path / "b", *requests, largest=150) == [["0", "1"], ["2", "3"], ["4"]]


def test_a_request_whose_caller_is_gone_is_not_sent(tmp_path):
    """Canceled before the wave is closed, it costs nothing."""

    async def everything():
        sending = Answering()
        queue = waves(tmp_path, sending)
        asked = [asyncio.create_task(queue.ask(key, {})) for key in "abc"]
        await asyncio.sleep(1)
        asked[1].cancel()
        assert [await asked[0], await asked[2]] == [REPLY, REPLY]
        await queue.close()
        return sending.batches

    assert run(everything()) == [["a", "c"]]


def test_a_wave_that_cannot_be_written_fails_everyone_in_it(tmp_path):
    """Nobody waits forever, and nothing is sent."""
    (tmp_path / "batches").write_text("a file in the way")

    async def everything():
        sending = Answering()
        queue = waves(tmp_path, sending)
        ended = await asyncio.gather(*(queue.ask(key, {}) for key in "ab"), return_exceptions=True)
        await queue.close()
        assert sending.batches == []
        return ended

    assert [type(error) for error in run(everything())] == [NotWritten, NotWritten]


def test_an_error_of_a_batch_reaches_everyone_in_it(tmp_path):
    """Whatever it is; each gets an error of its own."""

    class Broken(Answering):
        async def run(self, batch, shelf):
            raise RuntimeError("a mistake")

    async def everything():
        queue = waves(tmp_path, Broken())
        ended = await asyncio.gather(*(queue.ask(key, {}) for key in "ab"), return_exceptions=True)
        await queue.close()
        return ended

    first, second = run(everything())
    assert (str(first), str(second)) == ("a mistake", "a mistake")
    assert first is not second


@pytest.mark.parametrize("ended", ["", "completed"])
def test_only_open_batches_of_earlier_commands_are_taken_up(tmp_path, ended):
    """A request in one waits for it; a request in one that has ended is sent."""
    shelf = BatchFolder(tmp_path)
    record = shelf.add("m", [b'{"custom_id": "a"}\n'], by_hand=False)
    if ended:
        from dataclasses import replace

        shelf.keep(replace(record, ended=ended))

    async def everything():
        sending = Answering()
        queue = waves(tmp_path, sending)
        await queue.earlier("a")
        waited = asyncio.get_running_loop().time()
        await queue.close()
        return waited > 3000

    assert run(everything()) is not bool(ended)
