"""The local executor: bounds, order, back-pressure, errors, cancellation."""

import asyncio
import signal
import subprocess
import sys
import textwrap
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import CallFailed, ConfigurationError
from saiten.executor import LocalExecutor

AHEAD = 8


class Watch:
    """Counts what is open at a time: pulled from the source, in progress, done, handed out."""

    def __init__(self, number):
        self.number = number
        self.pulled = self.handed_out = self.in_work = self.most_in_work = self.most_open = 0

    def source(self):
        for item in range(self.number):
            self.pulled += 1
            self.most_open = max(self.most_open, self.pulled - self.handed_out)
            yield item

    async def async_source(self):
        for item in self.source():
            await asyncio.sleep(0)
            yield item

    def work(self, pauses):
        async def work(item):
            self.in_work += 1
            self.most_in_work = max(self.most_in_work, self.in_work)
            try:
                for _ in range(pauses[item % len(pauses)]):
                    await asyncio.sleep(0)
            finally:
                self.in_work -= 1
            return item

        return work


async def drain(stream, into):
    """Append the results to a list one by one, so that those before an exception are there."""
    async for result in stream:
        into.append(result)


@given(
    number=st.integers(0, 80),
    limit=st.integers(1, 20),
    pauses=st.lists(st.integers(0, 5), min_size=1, max_size=7),
    rests=st.lists(st.integers(0, 5), min_size=1, max_size=5),
    asynchronous=st.booleans(),
)
def test_every_item_once_within_the_bounds(number, limit, pauses, rests, asynchronous):
    """Whatever the speed of work and consumer: each item once, never more than the limit in progress, never more than
    the limit plus eight pulled and not handed out.
    """
    watch = Watch(number)

    async def main():
        items = watch.async_source() if asynchronous else watch.source()
        results = []
        async for result in LocalExecutor(limit).run(watch.work(pauses), items):
            watch.handed_out += 1
            results.append(result)
            for _ in range(rests[result % len(rests)]):
                await asyncio.sleep(0)
        return results

    assert sorted(asyncio.run(main())) == list(range(number))
    assert watch.most_in_work <= limit
    assert watch.most_open <= limit + AHEAD + 1
    assert watch.in_work == 0


async def test_as_many_are_in_work_as_are_allowed():
    """The limit is fully used: this many items wait for each other and all get through."""
    barrier = asyncio.Barrier(16)

    async def work(item):
        await barrier.wait()
        return item

    assert len([r async for r in LocalExecutor(16).run(work, range(64))]) == 64


async def test_results_come_as_they_are_done():
    """A slow item does not delay those after it."""
    gate = asyncio.Event()

    async def work(item):
        if item == 0:
            await gate.wait()
        return item

    results = []
    async for result in LocalExecutor(2).run(work, range(5)):
        results.append(result)
        if result == 4:
            gate.set()
    assert results == [1, 2, 3, 4, 0]


async def test_a_consumer_that_stops_stops_the_source():
    """While nobody requests results, work comes to rest and nothing more is pulled."""
    watch = Watch(10_000)
    async with aclosing(LocalExecutor(4).run(watch.work([0]), watch.source())) as results:
        await anext(results)
        watch.handed_out += 1
        for _ in range(200):
            await asyncio.sleep(0)
        assert watch.pulled <= 4 + AHEAD + 1
    assert watch.in_work == 0


async def test_the_first_exception_cancels_the_rest_and_is_raised():
    """An exception ends the run: what is in progress is canceled and awaited, nothing more is pulled, what was done
    before is handed out.
    """
    started, ended, results = [], [], []

    async def work(item):
        started.append(item)
        try:
            if item == 3:
                raise CallFailed("no")
            if item > 3:
                await asyncio.sleep(3600)
        finally:
            ended.append(item)
        return item

    with pytest.raises(CallFailed, match="no"):
        await drain(LocalExecutor(4).run(work, range(1_000)), results)
    assert results == [0, 1, 2]
    assert sorted(started) == sorted(ended)
    assert len(started) < 10


async def test_work_that_ends_in_spite_of_the_cancellation_is_handed_out():
    """A result that was paid for comes out, although another item failed in the meantime."""

    async def work(item):
        if item == "bad":
            raise CallFailed("no")
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
        return item

    results = []
    with pytest.raises(CallFailed):
        await drain(LocalExecutor(2).run(work, ["good", "bad"]), results)
    assert results == ["good"]


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_an_exception_of_the_source_is_raised(asynchronous):
    """An error of the source ends the run like an error of the work, after the results that were there."""

    def broken():
        yield 1
        raise OSError("disk")

    async def broken_async():
        for item in broken():
            yield item

    async def work(item):
        return item

    results = []
    with pytest.raises(OSError, match="disk"):
        await drain(LocalExecutor(3).run(work, broken_async() if asynchronous else broken()), results)
    assert results == [1]


async def test_several_failures_leave_no_noise(caplog):
    """Of several exceptions the first is raised; the others are not reported as never retrieved."""
    barrier = asyncio.Barrier(3)

    async def work(item):
        await barrier.wait()
        raise CallFailed(str(item))

    with pytest.raises(CallFailed):
        async for _ in LocalExecutor(3).run(work, range(3)):
            pass
    import gc

    gc.collect()
    await asyncio.sleep(0)
    assert not caplog.records


async def test_cancelling_the_consumer_ends_all_work():
    """If the reading task is canceled, every item in progress has ended before the cancellation continues."""
    under_way, ended = asyncio.Event(), []

    async def work(item):
        under_way.set()
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0)  # a slow ending is awaited
            ended.append(item)

    async def main():
        async for _ in LocalExecutor(3).run(work, range(100)):
            pass

    task = asyncio.create_task(main())
    await under_way.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == [0, 1, 2]
    assert len(asyncio.all_tasks()) == 1


async def test_leaving_early_ends_all_work():
    """A consumer that has enough closes the stream, and nothing keeps running."""
    watch = Watch(1_000)
    async with aclosing(LocalExecutor(5).run(watch.work([0, 1, 9]), watch.source())) as results:
        async for _ in results:
            break
    assert watch.in_work == 0
    assert len(asyncio.all_tasks()) == 1


async def test_work_that_is_canceled_from_inside_does_not_hang():
    """An unrequested cancellation is an error like any other, never a lost item."""

    async def work(_):
        raise asyncio.CancelledError

    async def main():
        return [r async for r in LocalExecutor(2).run(work, range(5))]

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(main())


def test_ctrl_c_ends_cleanly():
    """On SIGINT every item in progress ends, and the process prints only KeyboardInterrupt."""
    code = textwrap.dedent("""
        import asyncio
        from saiten.executor import LocalExecutor
        ended = []
        async def work(item):
            if item == 3:
                print("ready", flush=True)
            try:
                await asyncio.sleep(3600)
            finally:
                ended.append(item)
        async def main():
            async for _ in LocalExecutor(4).run(work, iter(range(100))):
                pass
        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            print(sorted(ended))
    """)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (out, err) == ("[0, 1, 2, 3]\n", "")


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit):
    """A limit of zero would wait forever."""
    with pytest.raises(ConfigurationError, match="at least one"):
        LocalExecutor(limit)


async def test_no_task_is_made_per_item():
    """Ten thousand items run in as many tasks as the limit says."""
    seen = set()

    async def work(_):
        seen.add(asyncio.current_task())

    async for _ in LocalExecutor(8).run(work, range(10_000)):
        pass
    assert len(seen) <= 8


async def test_workers_are_made_as_they_are_needed():
    """A limit of a million with ten items takes a task per item at most, and one more."""
    seen = []

    async def work(_):
        await asyncio.sleep(0)
        seen.append(len(asyncio.all_tasks()))

    assert len([r async for r in LocalExecutor(1_000_000).run(work, range(10))]) == 10
    assert max(seen) <= 12


async def test_a_free_worker_takes_the_next_item():
    """Items that come one after another need one worker, and one that waits for the next."""
    seen = set()

    async def source():
        for item in range(1_000):
            for _ in range(5):
                await asyncio.sleep(0)
            yield item

    async def work(_):
        seen.add(asyncio.current_task())

    async for _ in LocalExecutor(500).run(work, source()):
        pass
    assert len(seen) <= 2


async def test_work_that_resists_its_cancellation_begins_nothing_more():
    """After an error, whoever swallows the cancellation gets no further item, and the run ends."""
    begun = []

    async def work(item):
        begun.append(item)
        if item == 1:
            raise CallFailed("no")
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
        return item

    with pytest.raises(CallFailed):
        async with asyncio.timeout(20):
            await drain(LocalExecutor(2).run(work, range(100)), [])
    assert len(begun) <= 3
