"""Leases of workers that die, cancel their calls, or meet calls unlike those before."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leasing_crowd import PRICED, Crowd
from virtual_time import run as run_virtually

from saiten.errors import BudgetSpent, CallFailed
from saiten.models.layers import Load
from saiten.models.leases import Leases, Listening
from saiten.models.lessor import Allowance, LeaseRequest, Lessor
from saiten.protocols import Completion
from saiten.records import Usage

DEATHS = st.lists(st.tuples(st.floats(0.0, 3.0), st.sampled_from([0.0, 0.01, 1.0])), max_size=5)


def wanted(worker: str, **of: float) -> LeaseRequest:
    """Return what a worker asks for."""
    return LeaseRequest(worker, "models", "server", **of)


@given(st.integers(0, 120), DEATHS, st.integers(1, 9), st.sampled_from([None, 1200.0]))
def test_others_use_what_lost_workers_held_whenever_they_die(most, deaths, wide, rate):
    """Whoever lives makes all calls that are left, and no more than lost workers may not have made."""

    async def main() -> None:
        crowd = Crowd(Allowance(max_calls=most, requests_per_minute=rate), len(deaths) + 1)

        async def die(number: int, after: float, noticed_after: float) -> None:
            await asyncio.sleep(after)
            await crowd.kill(number, noticed_after)

        working = [crowd.work(number, 200, wide) for number in range(len(deaths) + 1)]
        dying = [die(number, *when) for number, when in enumerate(deaths, 1)]
        async with asyncio.timeout(600):
            await asyncio.gather(*working, *dying)
        assert most <= len(crowd.calls) <= most + crowd.lost

    run_virtually(main())


def test_nothing_is_leased_to_a_worker_that_was_lost_while_it_waited():
    """Its question outlives it; the others would wait forever for what it was given."""

    async def main() -> None:
        lessor = Lessor({"models": Allowance(max_calls=1)}, 2)
        await lessor.lease(wanted("a", calls=1))
        of_lost = asyncio.create_task(lessor.lease(wanted("b", calls=1)))
        await asyncio.sleep(1)
        await lessor.gone("b")
        await lessor.lease(wanted("a", returned=1))
        async with asyncio.timeout(60):
            assert (await lessor.lease(wanted("a", calls=1))).calls == 1
        assert (await of_lost).calls == 0

    run_virtually(main())


def test_a_worker_that_is_lost_while_the_rate_delays_its_lease_delays_nobody():
    """Neither its calls nor its turn are kept for it."""

    async def main() -> None:
        lessor = Lessor({"models": Allowance(max_calls=2, requests_per_minute=1)}, 2)
        await lessor.lease(wanted("a", calls=1))
        of_lost = asyncio.create_task(lessor.lease(wanted("b", calls=1)))
        await asyncio.sleep(1)
        await lessor.gone("b")
        assert (await lessor.lease(wanted("a", calls=1, made=1))).calls == 1
        assert asyncio.get_running_loop().time() == pytest.approx(60, abs=1)
        assert (await of_lost).calls == 0
        assert (await lessor.lease(wanted("a", calls=1, made=1))).spent

    run_virtually(main())


@pytest.mark.parametrize("after", [0.05, 0.15, 0.25, 0.35])
def test_a_canceled_worker_that_lives_keeps_nothing(after):
    """Whether its question, the answer or the call is on its way: what it does not use goes to the others."""

    async def main() -> None:
        lessor = Lessor({"models": Allowance(max_calls=3)}, 1)
        sent = 0

        async def ask(request: LeaseRequest):
            await asyncio.sleep(0.1)
            lease = await lessor.lease(request)
            await asyncio.sleep(0.1)
            return lease

        async def attempt() -> Completion:
            nonlocal sent
            sent += 1
            await asyncio.sleep(0.1)
            return Completion("x", Usage(1, 1, 1))

        one, other = (Leases(name, ask, Listening()).layer("models", "server", PRICED) for name in "ab")
        tasks = [asyncio.create_task(one.run(attempt, Load(1))) for _ in range(2)]
        await asyncio.sleep(after)
        for task in tasks:
            task.cancel()

        async def use_up() -> None:
            while True:
                await other.run(attempt, Load(1))

        with pytest.raises(BudgetSpent):
            await asyncio.wait_for(use_up(), 60)
        assert sent == 3

    run_virtually(main())


@given(st.integers(1, 4), st.lists(st.sampled_from([1, 30, 500, 1000, 3000]), min_size=1, max_size=9))
def test_the_tokens_of_all_workers_are_those_asked_for_however_calls_differ(workers, loads):
    """In any minute, workers exceed the rate by a lease and a call each at most; what they may use is used."""

    async def main() -> None:
        rate = 60_000
        crowd = Crowd(Allowance(tokens_per_minute=rate), workers, loads=loads)
        each = max(2 * rate // (sum(loads) // len(loads) + 1) // workers, 1)
        await asyncio.gather(*(crowd.work(number, min(each, 300), 8) for number in range(workers)))
        of = sorted((time, tokens) for (time, _), tokens in zip(crowd.calls, crowd.tokens, strict=True))
        slack = rate / 600 + workers * (rate / 60 * 0.25 + 2 * max(loads))
        for start, _ in of[:: max(len(of) // 50, 1)]:
            assert sum(tokens for time, tokens in of if start <= time < start + 60) <= rate + slack
        assert of[-1][0] <= sum(crowd.tokens) / rate * 60 * 1.1 + len(of) * crowd.seconds + 2

    run_virtually(main())


def spend(costs: list[float | None], most: float, wide: int) -> float:
    """Return what is spent on calls with these costs, the last repeated; None for one that fails and is free."""

    async def main() -> float:
        lessor = Lessor({"models": Allowance(max_cost=most)}, 1)
        layer = Leases("a", lessor.lease, Listening()).layer("models", "server", PRICED)
        left, spent = iter(costs), 0.0

        async def attempt() -> Completion:
            nonlocal spent
            cost = next(left, costs[-1])
            await asyncio.sleep(0.1)
            if cost is None:
                raise CallFailed("busy", Usage(calls=1), status=429)
            spent += cost
            return Completion("x", Usage(1, 10, 10, cost=cost))

        async def many() -> None:
            for _ in range(50):
                try:
                    await layer.run(attempt, Load(10))
                except CallFailed:
                    continue

        ended = await asyncio.gather(*(many() for _ in range(wide)), return_exceptions=True)
        assert all(isinstance(error, BudgetSpent) for error in ended)
        return spent

    return run_virtually(main())


def test_a_first_call_that_fails_does_not_let_all_others_start():
    """It says nothing of what calls cost: they still go one at a time until one is answered."""
    assert spend([None, None, 0.1], 1.0, 64) == pytest.approx(1.0)


def test_what_is_leased_is_given_back_once_a_call_was_dearer():
    """The calls of a lease were priced lower: only those in flight may cost more than was set aside."""
    assert spend([0.01] * 4 + [0.1], 1.0, 2) <= 1.0 + 2 * 0.1
