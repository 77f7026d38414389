"""One budget and one rate limit for many processes: the lessor hands out leases, and dead workers' leases return.

A lease is a number of calls to one server, for which money and tokens are set aside. No process makes a call without
one, so limits hold over all. A worker that dies may have made calls that it had not reported, so they may be exceeded
by what was leased to it; and costs, which are known only afterwards, by what the calls of a lease cost beyond the
largest before.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import ceil

from saiten.models.limits import Pace

_SHARE = 2
"""Each lease is at most one in `_SHARE` × workers of what is left, so that nobody holds much when others need it."""
_SECONDS = 0.25
"""A lease of requests is at most as many as all workers may send in this time."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits of a run; None for none."""

    max_calls: int | None = None
    max_cost: float | None = None
    currency: str = "USD"
    requests_per_minute: float | None = None
    """At each server."""
    tokens_per_minute: float | None = None

    @property
    def limits_anything(self) -> bool:
        """Whether leases are needed at all."""
        limits = (self.max_calls, self.max_cost, self.requests_per_minute, self.tokens_per_minute)
        return any(limit is not None for limit in limits)


@dataclass(frozen=True, slots=True)
class LeaseRequest:
    """What a worker reports and wants."""

    worker: str
    budget: str
    """The budget's name: the models of a run share one, a system under test has another."""
    server: str
    calls: int = 0
    """Calls that it wants to make; 0 to report only."""
    cost: float = 0.0
    """The likely cost of one of them."""
    tokens: int = 0
    """The likely tokens of one of them."""
    made: int = 0
    """Leased calls that have ended since the last report."""
    spent: float = 0.0
    """What these have cost."""
    returned: int = 0
    """Leased calls that will not be made."""
    tokens_more: int = 0
    """Tokens that were used beyond those that were leased; negative for less."""
    largest: float | None = None
    """The largest cost of a call, if any is known."""


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker may spend."""

    calls: int = 0
    largest: float | None = None
    """The largest cost of a call that any worker has seen."""
    spent: str = ""
    """Why there is nothing more; "" if there is."""


@dataclass(slots=True)
class _Budget:
    """What is spent of one budget, and how many calls each worker holds."""

    allowance: Allowance
    calls: int = 0
    """Made by now."""
    cost: float = 0.0
    """Spent by now."""
    held: dict[str, int] = field(default_factory=dict)
    """Worker → its leased calls that have not ended."""
    largest: float | None = None

    def report(self, wanted: LeaseRequest) -> None:
        self.calls += wanted.made
        self.cost += wanted.spent
        left = self.held.get(wanted.worker, 0) - wanted.made - wanted.returned
        self.held[wanted.worker] = max(left, 0)  # a worker that was given up may still report
        if wanted.largest is not None:
            self.largest = max(self.largest or 0.0, wanted.largest)

    def granted(self, wanted: LeaseRequest, workers: int) -> Lease | None:
        """Return a lease, or None while all that is left is leased to others."""
        held, each = sum(self.held.values()), max(wanted.cost, self.largest or 0.0)
        how, calls = self.allowance, wanted.calls
        if how.max_calls is not None:
            calls = _share(calls, how.max_calls - self.calls - held, workers)
        if how.max_cost is not None:
            if self.largest is None and held:
                return None  # the first call runs alone, until the cost of one is known
            money = how.max_cost * (1 + 1e-12) - self.cost
            fitting = calls + held if not each else int(money / each)
            calls = _share(calls, fitting - held, workers) if self.largest is not None else min(calls, fitting, 1)
        if calls <= 0:
            return None if held else Lease(spent=self._sentence(each))
        self.held[wanted.worker] = self.held.get(wanted.worker, 0) + calls
        return Lease(calls, self.largest)

    def _sentence(self, each: float) -> str:
        how = self.allowance
        if how.max_calls is not None and self.calls >= how.max_calls:
            return f"the budget of {how.max_calls} calls is spent; re-run the command to continue with as many more"
        return (
            f"the budget of {how.max_cost:g} {how.currency} is spent: {self.cost:.4g} so far, and the next call may "
            f"cost {each:.4g}; raise --max-cost and re-run the command to continue"
        )


def _share(calls: int, left: int, workers: int) -> int:
    """Return how many of these calls are leased at a time, if so many are left for all workers."""
    return min(calls, max(ceil(left / (_SHARE * workers)), 1), left)


class Lessor:
    """Hands out leases; lives in one process, such as an actor of a cluster."""

    def __init__(self, budgets: Mapping[str, Allowance], workers: int) -> None:
        """`budgets`: name → limits; `workers`: their number, about."""
        self._budgets = {name: _Budget(allowance) for name, allowance in budgets.items()}
        self._workers = max(workers, 1)
        self._paces: dict[tuple[str, str], tuple[Pace, Pace, asyncio.Lock]] = {}
        self._changed = asyncio.Condition()

    async def lease(self, wanted: LeaseRequest) -> Lease:
        """Take the report, and return a lease as soon as there is one; one without calls if the budget is spent."""
        budget = self._budgets[wanted.budget]
        requests, tokens, turn = self._pace(wanted)
        budget.report(wanted)
        requests.take(-wanted.returned)
        tokens.take(wanted.tokens_more)
        async with self._changed:
            self._changed.notify_all()
            if not wanted.calls:
                return Lease(largest=budget.largest)
            lease: Lease | None = None

            def granted() -> bool:
                nonlocal lease
                lease = budget.granted(self._at_a_time(wanted), self._workers)
                return lease is not None

            await self._changed.wait_for(granted)
        if lease is None or not lease.calls:
            return lease or Lease()
        async with turn:
            loop = asyncio.get_running_loop()
            while (wait := max(requests.wait(loop.time()), tokens.wait(loop.time()))) > 0:  # noqa: ASYNC110 - time alone
                await asyncio.sleep(wait)
            requests.take(lease.calls)
            tokens.take(wanted.tokens * lease.calls)
        return lease

    async def gone(self, worker: str) -> None:
        """Take back what was leased to a worker that is gone and that it has not reported as spent."""
        for budget in self._budgets.values():
            budget.held.pop(worker, None)
        async with self._changed:
            self._changed.notify_all()

    def _at_a_time(self, wanted: LeaseRequest) -> LeaseRequest:
        """Return what is wanted, with no more calls than all workers may make in a moment."""
        how, most = self._budgets[wanted.budget].allowance, wanted.calls
        if how.requests_per_minute is not None:
            most = min(most, int(how.requests_per_minute / 60 * _SECONDS))
        if how.tokens_per_minute is not None and wanted.tokens:
            most = min(most, int(how.tokens_per_minute / 60 * _SECONDS / wanted.tokens))
        return replace(wanted, calls=max(most, 1))

    def _pace(self, wanted: LeaseRequest) -> tuple[Pace, Pace, asyncio.Lock]:
        key = (wanted.budget, wanted.server)
        if key not in self._paces:
            how = self._budgets[wanted.budget].allowance
            self._paces[key] = Pace(how.requests_per_minute), Pace(how.tokens_per_minute), asyncio.Lock()
        return self._paces[key]
