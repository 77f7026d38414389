"""Batches: what many coroutines request one by one is processed together, and no failure affects others."""

import asyncio
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saiten.errors import ConfigurationError
from saiten.models.batches import Batches


class Work:
    """Doubles texts, and records the batches."""

    def __init__(self, refuses=(), largest=99):
        self.seen = []
        self.refuses = refuses
        self.largest = largest
        self.threads = set()

    def __call__(self, items):
        self.seen.append(list(items))
        self.threads.add(threading.current_thread().name)
        if len(items) > self.largest:
            raise MemoryError("too many at once")
        if bad := set(items) & set(self.refuses):
            raise ValueError(f"cannot do {sorted(bad)}")
        return [item * 2 for item in items]


async def test_batches_are_full_sorted_and_in_one_thread_of_their_own():
    """Twelve simultaneous callers make three batches of four, the longest together, outside the event loop's thread."""
    work = Work()
    batches = Batches(work, size=4, length=len)
    items = ["x" * (1 + (7 * n) % 12) for n in range(12)]
    assert await asyncio.gather(*map(batches.of, items)) == [item * 2 for item in items]
    assert [len(batch) for batch in work.seen] == [4, 4, 4]
    assert [len(item) for batch in work.seen for item in batch] == list(range(12, 0, -1))
    assert work.threads == {"saiten network_0"}
    batches.close()


async def test_equal_items_are_worked_on_once():
    """Three metrics that need the same figure of the same texts pay for it once."""
    work = Work()
    batches = Batches(work, size=4, length=len)
    assert await asyncio.gather(*(batches.of("same") for _ in range(3))) == ["samesame"] * 3
    assert work.seen == [["same"]]
    assert await batches.of("same") == "samesame"
    assert len(work.seen) == 2  # nothing is kept after it was returned
    batches.close()


async def test_one_that_cannot_be_done_fails_alone():
    """Of eight the refused one gets its error; the seven others get their results."""
    work = Work(refuses=["c"])
    batches = Batches(work, size=8, length=len)
    results = await asyncio.gather(*map(batches.of, "abcdefgh"), return_exceptions=True)
    assert [r for r in results if isinstance(r, str)] == ["aa", "bb", "dd", "ee", "ff", "gg", "hh"]
    assert str(results[2]) == "cannot do ['c']"
    batches.close()


async def test_a_batch_that_does_not_fit_is_halved():
    """If eight are too many for the memory, the halves are tried, and their halves."""
    work = Work(largest=2)
    batches = Batches(work, size=8, length=len)
    assert await asyncio.gather(*map(batches.of, "abcdefgh")) == [c * 2 for c in "abcdefgh"]
    assert max(len(batch) for batch in work.seen[-2:]) == 2
    batches.close()


async def test_a_wrong_setup_is_reported_to_all_at_once():
    """A network that cannot be loaded is not retried for each half of the batch."""
    calls = []

    def broken(items):
        calls.append(items)
        raise ConfigurationError("no such model")

    batches = Batches(broken, size=8, length=len)
    results = await asyncio.gather(*map(batches.of, "abcd"), return_exceptions=True)
    assert [type(r) for r in results] == [ConfigurationError] * 4
    assert len(calls) == 1
    batches.close()


async def test_what_nobody_waits_for_is_left_out():
    """A caller canceled before its batch began costs nothing; one that shares an item does not harm the others."""
    begun, go_on = threading.Event(), threading.Event()
    seen = []

    def slow(items):
        seen.append(list(items))
        begun.set()
        go_on.wait(10)
        return items

    batches = Batches(slow, size=1, length=len)
    first = asyncio.create_task(batches.of("first"))
    await asyncio.to_thread(begun.wait, 10)
    given_up, shared, other = (asyncio.create_task(batches.of(text)) for text in ("gone", "both", "both"))
    await asyncio.sleep(0)
    given_up.cancel()
    shared.cancel()
    await asyncio.sleep(0)
    go_on.set()
    assert await first == "first"
    assert await other == "both"
    assert seen == [["first"], ["both"]]
    batches.close()


def test_two_event_loops_one_after_the_other():
    """The Python API runs each evaluation in its own loop; the network stays."""
    batches = Batches(Work(), size=2, length=len)
    assert asyncio.run(batches.of("a")) == "aa"
    assert asyncio.run(batches.of("b")) == "bb"
    batches.close()


@given(
    st.lists(st.text(max_size=5), max_size=30),
    st.integers(1, 7),
    st.sets(st.text(max_size=2), max_size=3),
    st.integers(1, 4),
)
@settings(max_examples=40)
def test_everybody_gets_an_own_answer(items, size, refused, largest):
    """Whatever is requested, refused or too big: each caller gets the result or the error of its own item."""

    async def ask():
        batches = Batches(Work(refuses=refused, largest=largest), size=size, length=len)
        results = await asyncio.gather(*map(batches.of, items), return_exceptions=True)
        batches.close()
        return results

    for item, result in zip(items, asyncio.run(ask()), strict=True):
        assert (str(result) == f"cannot do {[item]}") if item in refused else (result == item * 2)


async def test_a_network_that_loses_items_is_found_out():
    """Fewer results than items are an error, never somebody else's result."""
    batches = Batches(lambda items: items[1:], size=2, length=len)
    with pytest.raises(RuntimeError, match="1 items gave 0 results"):
        await batches.of("a")
    batches.close()
