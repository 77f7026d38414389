"""One budget and one rate limit for many processes: the lessor hands out leases, and dead workers' leases return.

A lease is a number of calls to one server, for which money and tokens are set aside. No process makes a call without
one, so limits hold over all. A worker that dies may have made calls that it had not reported, so they may be exceeded
by what was leased to it; and costs, which are known only afterwards, by what the calls of a lease cost beyond the
largest before.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
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
    """The likely tokens of one of them, on average."""
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
    tokens: int | None = None
    """The tokens of these calls together; None for no limit."""


@dataclass(slots=True)
class _Budget:
    """What is spent of one budget, and how many calls each worker holds."""

    allowance: Allowance
    calls: int = 0
    """Made by now."""
    cost: float = 0.0
    """Spent by now."""
    held: Counter[str] = field(default_factory=Counter)
    """Worker → its leased calls that have not ended."""
    all_held: int = 0
    """Their sum, since thousands of workers may hold some."""
    largest: float | None = None
    waiting: deque[tuple[LeaseRequest, "asyncio.Future[Lease]"]] = field(default_factory=deque)
    """Who waits for what others hold, in turn."""

    def report(self, wanted: LeaseRequest) -> None:
        self.calls += wanted.made
        self.cost += wanted.spent
        self.let_go(wanted.worker, wanted.made + wanted.returned)
        if wanted.largest is not None:
            self.largest = max(self.largest or 0.0, wanted.largest)

    def let_go(self, worker: str, calls: int) -> None:
        """Note that a worker holds so many calls less; fewer if it was given up, since it may still report."""
        calls = min(calls, self.held[worker])
        self.all_held -= calls
        self.held[worker] -= calls
        if not self.held[worker]:
            del self.held[worker]

    def give_up(self, worker: str) -> None:
        """Take back what the worker holds, and end its waiting: it would hold forever what it is leased now."""
        self.let_go(worker, self.held[worker])
        for wanted, future in self.waiting:
            if wanted.worker == worker and not future.done():
                future.set_result(Lease())

    def hand_out(self, workers: int) -> None:
        """Give those who wait what there is, in turn; only as many are looked at as are given something."""
        while self.waiting:
            wanted, future = self.waiting[0]
            if not future.done():
                lease = self.granted(wanted, workers)
                if lease is None:
                    return
                future.set_result(lease)
            self.waiting.popleft()

    def granted(self, wanted: LeaseRequest, workers: int) -> Lease | None:
        """Return a lease, or None while all that is left is leased to others."""
        held, each = self.all_held, max(wanted.cost, self.largest or 0.0)
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
        self.held[wanted.worker] += calls
        self.all_held += calls
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


@dataclass(slots=True)
class _Rates:
    """The rates at one server, and whose turn it is."""

    requests: Pace
    tokens: Pace
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    sooner: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when something was given back, so that whoever waits need not wait as long."""

    def report(self, wanted: LeaseRequest) -> None:
        self.requests.take(-wanted.returned)
        self.tokens.take(wanted.tokens_more)
        if wanted.returned or wanted.tokens_more < 0:
            self.sooner.set()

    async def wait(self, wanted: Callable[[], bool]) -> bool:
        """Return whether it still is wanted when requests may pass."""
        loop = asyncio.get_running_loop()
        while wanted():
            wait = max(self.requests.wait(loop.time()), self.tokens.wait(loop.time()))
            if wait <= 0:
                return True
            self.sooner.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self.sooner.wait()
        return False


class Lessor:
    """Hands out leases; lives in one process, such as an actor of a cluster."""

    def __init__(self, budgets: Mapping[str, Allowance], workers: int) -> None:
        """`budgets`: name → limits; `workers`: their number, about."""
        self._budgets = {name: _Budget(allowance) for name, allowance in budgets.items()}
        self._workers = max(workers, 1)
        self._rates: dict[tuple[str, str], _Rates] = {}
        self._losses: Counter[str] = Counter()
        """Worker → times that it was given up."""

    async def lease(self, wanted: LeaseRequest) -> Lease:
        """Take the report, and return a lease as soon as there is one; one without calls if the budget is spent.

        One without calls and without a reason is for a worker that was given up meanwhile; if it lives, it asks again.
        """
        budget = self._budgets[wanted.budget]
        budget.report(wanted)
        self._rates_for(wanted).report(wanted)
        if not wanted.calls:
            budget.hand_out(self._workers)
            return Lease(largest=budget.largest)
        losses = self._losses[wanted.worker]
        future: asyncio.Future[Lease] = asyncio.get_running_loop().create_future()
        budget.waiting.append((self._at_a_time(wanted), future))
        budget.hand_out(self._workers)
        try:
            lease = await future
            return await self._paced(wanted, lease, losses) if lease.calls else lease
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and self._losses[wanted.worker] == losses:
                budget.let_go(wanted.worker, future.result().calls)
            budget.hand_out(self._workers)
            raise

    async def _paced(self, wanted: LeaseRequest, lease: Lease, losses: int) -> Lease:
        """Return the lease when the rates allow it; one without calls if its worker was given up meanwhile."""
        rates, leased = self._rates_for(wanted), wanted.tokens * lease.calls
        async with rates.turn:
            if not await rates.wait(lambda: self._losses[wanted.worker] == losses):
                return Lease()
            rates.requests.take(lease.calls)
            rates.tokens.take(leased)
        limited = self._budgets[wanted.budget].allowance.tokens_per_minute is not None
        return replace(lease, tokens=leased) if limited else lease

    async def gone(self, worker: str) -> None:
        """Take back what was leased to a worker that is gone and that it has not reported as spent."""
        self._losses[worker] += 1
        for budget in self._budgets.values():
            budget.give_up(worker)
            budget.hand_out(self._workers)
        for rates in self._rates.values():
            rates.sooner.set()

    def _at_a_time(self, wanted: LeaseRequest) -> LeaseRequest:
        """Return what is wanted, with no more calls than all workers may make in a moment."""
        how, most = self._budgets[wanted.budget].allowance, wanted.calls
        if how.requests_per_minute is not None:
            most = min(most, int(how.requests_per_minute / 60 * _SECONDS))
        if how.tokens_per_minute is not None and wanted.tokens:
            most = min(most, int(how.tokens_per_minute / 60 * _SECONDS / wanted.tokens))
        return replace(wanted, calls=max(most, 1))

    def _rates_for(self, wanted: LeaseRequest) -> _Rates:
        key = (wanted.budget, wanted.server)
        if key not in self._rates:
            how = self._budgets[wanted.budget].allowance
            self._rates[key] = _Rates(Pace(how.requests_per_minute), Pace(how.tokens_per_minute))
        return self._rates[key]
