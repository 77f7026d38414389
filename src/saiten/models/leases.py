"""The layer of a worker's requests that spends leases, and sends nothing while nobody would learn of the reply."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from math import ceil

from saiten.errors import BudgetSpent, ConfigurationError, JudgeError
from saiten.models.layers import A, Load
from saiten.models.lessor import Lease, LeaseRequest
from saiten.models.prices import Price, Quote
from saiten.records import Usage

Ask = Callable[[LeaseRequest], Awaitable[Lease]]
"""Asks the lessor; raises whatever the way to it raises."""

_AHEAD = 0.25
"""Seconds for which calls are leased in advance."""
_IDLE = 0.5
"""Seconds after which what is not used is returned."""
_DEAF, _GAPS = 0.3, 3.0
"""A driver that has taken no results for so many seconds, and three of its usual gaps, counts as gone."""


class Listening:
    """Whether the driver takes results: if not, requests wait, since their replies might be paid for twice."""

    def __init__(self) -> None:
        self._heard: float | None = None
        self._gap = 0.0
        self._waiting: asyncio.Event | None = None

    def hear(self) -> None:
        """Note that the driver is there."""
        now = asyncio.get_running_loop().time()
        self._gap = max(0.9 * self._gap, min(now - (self._heard or now), 10.0))
        self._heard = now
        if self._waiting is not None:
            self._waiting.set()
            self._waiting = None

    async def wait(self) -> None:
        """Return at once if the driver was there a moment ago, otherwise when it is back."""
        loop = asyncio.get_running_loop()
        while self._heard is not None and loop.time() - self._heard > _DEAF + _GAPS * self._gap:
            self._waiting = self._waiting or asyncio.Event()
            await self._waiting.wait()


@dataclass
class _Purse:
    """What this worker may spend at one server, and what it has not reported. Not frozen: it is spent."""

    budget: str
    server: str
    calls: int = 0
    largest: float | None = None
    made: int = 0
    spent: float = 0.0
    tokens: int | None = None
    """What is left of the leased tokens; None for no limit."""
    tokens_more: int = 0
    waiting: int = 0
    tokens_waiting: int = 0
    asking: "asyncio.Task[None] | None" = None
    taken: int = 0
    """Calls since `since`."""
    tokens_taken: int = 0
    since: float = 0.0
    idle: asyncio.TimerHandle | None = None

    @property
    def empty(self) -> bool:
        """Whether a call needs another lease; as with `Pace`, one call may use more tokens than are left."""
        return not self.calls or (self.tokens is not None and self.tokens < 0)


class Leases:
    """The leases of one worker, for all its models and systems."""

    def __init__(self, worker: str, ask: Ask | None, listening: Listening) -> None:
        """`ask` is None if nothing limits the run."""
        self.worker, self._ask, self._listening = worker, ask, listening
        self._purses: dict[tuple[str, str], _Purse] = {}
        self._reports: set[asyncio.Task[Lease]] = set()

    def layer(self, budget: str, server: str, quote: Quote) -> "Leased":
        """Return the layer of the requests to one server."""
        purse = self._purses.setdefault((budget, server), _Purse(budget, server))
        return Leased(self, purse, quote.price or Price(0.0))

    async def take(self, purse: _Purse, cost: float, load: Load) -> float:
        """Return the cost set aside for a call, once it is leased.

        Raises:
            BudgetSpent: There will be no lease.
            ConfigurationError: The lessor is gone.
        """
        await self._listening.wait()
        if self._ask is None:
            return 0.0
        tokens = load.prompt + load.completion
        if purse.empty:
            await self._refilled(purse, cost, tokens)
        purse.calls -= 1
        purse.taken += 1
        purse.tokens_taken += tokens
        if purse.tokens is not None:
            purse.tokens -= tokens
        return max(cost, purse.largest or 0.0)

    def settle(self, purse: _Purse, aside: float, usage: Usage, load: Load, *, answered: bool) -> None:
        """Note what a call has cost; that of one without an answer does not say what others may cost."""
        if self._ask is None:
            return
        cost = max(usage.cost, aside) if usage.unpriced else usage.cost
        purse.made += 1
        purse.spent += cost
        dearer = purse.largest is None or (answered and cost > purse.largest)  # than the calls of this lease may be
        if answered:
            purse.largest = max(purse.largest or 0.0, cost)
        known = usage.prompt_tokens + usage.completion_tokens
        if known:
            purse.tokens_more += known - load.prompt - load.completion
        if dearer:
            self._return_rest(purse)
        else:
            self._return_later(purse)

    def _return_later(self, purse: _Purse) -> None:
        if purse.idle is not None:
            purse.idle.cancel()
        purse.idle = asyncio.get_running_loop().call_later(_IDLE, self._return_rest, purse)

    def _return_rest(self, purse: _Purse) -> None:
        """Report and return what is not used; also while more is asked for, which may depend on this report."""
        if purse.idle is not None:
            purse.idle.cancel()
            purse.idle = None
        if not purse.calls and not purse.made:
            return
        task = asyncio.ensure_future(self._asked(self._report(purse)))
        self._reports.add(task)
        task.add_done_callback(self._reported)

    def _reported(self, task: "asyncio.Task[Lease]") -> None:
        self._reports.discard(task)
        if not task.cancelled():
            task.exception()  # whoever asks next meets it

    async def _refilled(self, purse: _Purse, cost: float, tokens: int) -> None:
        """Return once there is a lease; whoever comes first asks for all who wait."""
        purse.waiting += 1
        purse.tokens_waiting += tokens
        try:
            while purse.empty:
                if purse.asking is None:
                    purse.asking = asyncio.create_task(self._more(purse, cost))
                await asyncio.shield(purse.asking)
        finally:
            purse.waiting -= 1
            purse.tokens_waiting -= tokens

    async def _more(self, purse: _Purse, cost: float) -> None:
        now = asyncio.get_running_loop().time()
        ahead = int(purse.taken / max(now - purse.since, 0.01) * _AHEAD)
        tokens = ceil((purse.tokens_taken + purse.tokens_waiting) / max(purse.taken + purse.waiting, 1))
        purse.taken, purse.tokens_taken, purse.since = 0, 0, now
        calls = max(purse.waiting, ahead, 1)
        try:
            lease = await self._asked(replace(self._report(purse), calls=calls, cost=cost, tokens=tokens))
        finally:
            purse.asking = None
        if lease.spent:
            raise BudgetSpent(lease.spent)
        purse.calls, purse.tokens = lease.calls, lease.tokens
        self._return_later(purse)  # whoever waited may have been canceled
        if lease.largest is not None:
            purse.largest = max(purse.largest or 0.0, lease.largest)

    def _report(self, purse: _Purse) -> LeaseRequest:
        """Return what has happened since the last report, and what is left of the lease, which ends."""
        report = LeaseRequest(
            self.worker,
            purse.budget,
            purse.server,
            made=purse.made,
            spent=purse.spent,
            returned=purse.calls,
            tokens_more=purse.tokens_more - (purse.tokens or 0),
            largest=purse.largest,
        )
        purse.calls, purse.tokens = 0, None
        purse.made, purse.spent, purse.tokens_more = 0, 0.0, 0
        return report

    async def _asked(self, wanted: LeaseRequest) -> Lease:
        if self._ask is None:
            raise AssertionError("nothing is leased")
        try:
            return await self._ask(wanted)
        except Exception as error:
            raise ConfigurationError(
                f"the process that keeps the budget of all workers is gone ({type(error).__name__}); everything so far "
                "is kept: re-run the command to resume"
            ) from error


@dataclass(frozen=True, slots=True)
class Leased:
    """The layer around each request to one server."""

    leases: Leases
    purse: _Purse
    price: Price

    async def run(self, attempt: Callable[[], Awaitable[A]], load: Load) -> A:
        aside = await self.leases.take(self.purse, self.price.of(load.prompt, load.completion), load)
        usage, answered = Usage(calls=1, unpriced=1), False  # if canceled: it may have been charged
        try:
            answer = await attempt()
        except JudgeError as error:
            usage = error.usage
            raise
        else:
            usage, answered = answer.usage, True
            return answer
        finally:
            self.leases.settle(self.purse, aside, usage, load, answered=answered)
