"""One budget and one rate limit over many workers, by leases."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leasing_crowd import PRICED, Crowd
from virtual_time import run as run_virtually

from saiten.errors import BudgetSpent, CallFailed, ConfigurationError
from saiten.models.layers import Load
from saiten.models.leases import Leases, Listening
from saiten.models.lessor import Allowance, LeaseRequest, Lessor
from saiten.protocols import Completion
from saiten.records import Usage


@given(st.integers(0, 120), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), min_size=1, max_size=6))
def test_all_workers_together_make_exactly_the_calls_of_the_budget(most, wishes):
    """Whoever has work gets what is left, to the last call; nobody waits forever for what another holds."""

    async def main() -> None:
        crowd = Crowd(Allowance(max_calls=most), len(wishes))
        made = await asyncio.gather(*(crowd.work(n, calls, wide) for n, (calls, wide) in enumerate(wishes)))
        wanted = sum(calls for calls, _ in wishes)
        assert len(crowd.calls) == sum(made) == min(most, wanted)

    run_virtually(main())


@given(st.floats(0.0, 0.5), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), min_size=1, max_size=5))
def test_the_cost_of_all_workers_stays_within_the_budget(most, wishes):
    """Each call costs 0.01: as many are made as the budget allows, and the first runs alone."""

    async def main() -> None:
        crowd = Crowd(Allowance(max_cost=most), len(wishes), cost=0.01)
        await asyncio.gather(*(crowd.work(n, calls, wide) for n, (calls, wide) in enumerate(wishes)))
        assert crowd.spent <= max(most, 0.0101) + 1e-9
        wanted = sum(calls for calls, _ in wishes)
        assert len(crowd.calls) >= min(wanted, int(most / 0.01 + 1e-6))
        if len(crowd.calls) > 1:
            assert crowd.calls[1][0] >= crowd.calls[0][0] + crowd.seconds

    run_virtually(main())


@given(st.integers(1, 5), st.sampled_from([60, 600, 6000]))
def test_the_rate_of_all_workers_together_is_the_rate_asked_for(workers, rate):
    """In any minute, all workers send the requests of a minute and at most one lease of each more; none is idle."""

    async def main() -> None:
        crowd = Crowd(Allowance(requests_per_minute=rate), workers)
        each = 3 * rate // workers // 2
        await asyncio.gather(*(crowd.work(n, each, 8) for n in range(workers)))
        times = sorted(time for time, _ in crowd.calls)
        slack = workers * max(rate / 60 * 0.25, 1) + 0.1 * rate / 60 + 1
        for start in range(0, len(times), 7):
            assert sum(times[start] <= time < times[start] + 60 for time in times) <= rate + slack
        assert times[-1] <= each * workers / rate * 60 * 1.1 + 2

    run_virtually(main())


async def test_what_a_lost_worker_held_goes_to_the_others():
    """Calls that were leased to it and not reported are free again."""
    lessor = Lessor({"models": Allowance(max_calls=10)}, 1)
    first = await lessor.lease(LeaseRequest("a", "models", "s", calls=4))
    assert first.calls == 4
    waiting = [asyncio.create_task(lessor.lease(LeaseRequest("b", "models", "s", calls=1))) for _ in range(7)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert sum(task.done() for task in waiting) == 6
    await lessor.gone("a")
    assert (await asyncio.gather(*waiting))[-1].calls == 1
    await lessor.lease(LeaseRequest("a", "models", "s", made=4))  # it was not dead after all: what it did counts
    done = await lessor.lease(LeaseRequest("b", "models", "s", calls=1, made=7))
    assert done.spent.startswith("the budget of 10 calls is spent")


def test_few_messages_are_enough():
    """A worker that makes 160 calls a second asks for leases about four times a second."""

    async def main() -> None:
        crowd = Crowd(Allowance(max_calls=10**6), 4)
        await asyncio.gather(*(crowd.work(n, 1600, 8) for n in range(4)))
        seconds = max(time for time, _ in crowd.calls)
        assert seconds == pytest.approx(10, rel=0.1)
        assert max(crowd.asked.values()) <= 6 * seconds

    run_virtually(main())


async def test_a_failed_call_and_a_canceled_one_are_reported():
    """Both were made; a canceled one may have been charged."""
    lessor = Lessor({"models": Allowance(max_calls=2)}, 1)
    layer = Leases("a", lessor.lease, Listening()).layer("models", "server", PRICED)

    async def failing() -> Completion:
        raise CallFailed("down", Usage(calls=1))

    with pytest.raises(CallFailed):
        await layer.run(failing, Load(1))
    started = asyncio.Event()

    async def hanging() -> Completion:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError

    task = asyncio.create_task(layer.run(hanging, Load(1)))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(BudgetSpent, match="2 calls"):
        await layer.run(failing, Load(1))


async def test_a_lessor_that_is_gone_ends_the_run():
    """The error says that the run can be resumed."""

    async def ask(_: LeaseRequest):
        raise ConnectionError("gone")

    layer = Leases("a", ask, Listening()).layer("models", "server", PRICED)
    with pytest.raises(ConfigurationError, match=r"budget of all workers is gone .*re-run the command to resume"):
        await layer.run(lambda: asyncio.sleep(0), Load(1))


def test_nothing_is_sent_while_the_driver_takes_no_results():
    """A reply that nobody writes down would be paid for twice; the next sign of the driver lets requests go on."""

    async def main() -> None:
        listening, sent = Listening(), []
        layer = Leases("a", None, listening).layer("models", "server", PRICED)

        async def attempt() -> Completion:
            sent.append(asyncio.get_running_loop().time())
            return Completion("x", Usage(1))

        listening.hear()
        await layer.run(attempt, Load(1))
        await asyncio.sleep(5)
        task = asyncio.create_task(layer.run(attempt, Load(1)))
        await asyncio.sleep(5)
        assert sent == [0.0]
        listening.hear()
        await task
        assert sent == [0.0, 10.0]

    run_virtually(main())
