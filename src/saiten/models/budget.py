"""The budget: how many requests may be sent and what they may cost, exact however many are in flight.

The account: what was sent, written down before it is sent and again when the reply is there.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Protocol

from saiten.errors import BudgetSpent, ConfigurationError, JudgeError, SaitenError
from saiten.models.layers import A, Load
from saiten.models.prices import Price
from saiten.records import Usage


class Book(Protocol):
    """Where spending is written down: its entries add up to what was spent."""

    def enter(self, usage: Usage) -> None:
        """Add this to what was spent; raises `NotWritten` where that is impossible."""


_SENT = Usage(calls=1, unpriced=1)
"""A request whose reply is not there yet: it may cost, nobody knows how much."""


class Account:
    """What one command spends, over all its models and systems: every request, whatever becomes of its reply.

    A request is written into the book before it is sent, so that one that is cut off counts as well. What cannot be
    written stops all further requests.
    """

    def __init__(self) -> None:
        self.book: Book | None = None
        """Set as soon as there is one; what was sent before is in no book."""
        self.usage = Usage()
        self._stopped: Callable[[], SaitenError] | None = None

    @contextmanager
    def booked(self, book: Book) -> Iterator[None]:
        """Write what is spent meanwhile into this book."""
        before, self.book = self.book, book
        try:
            yield
        finally:
            self.book = before

    def stop(self, why: SaitenError) -> None:
        """Let no further request be sent; each raises this error, the first that was given."""
        self._stopped = self._stopped or partial(type(why), str(why))  # one that is raised holds on to all frames

    def send(self) -> None:
        """Count a request that is about to be sent.

        Raises:
            NotWritten: it cannot be written down, or something else could not be; it must not be sent.
        """
        if self._stopped is not None:
            raise self._stopped()
        self._enter(_SENT)
        if self._stopped is not None:
            raise self._stopped()

    def receive(self, usage: Usage) -> None:
        """Count what a request that was sent has cost in fact."""
        self._enter(
            Usage(
                usage.calls - _SENT.calls,
                usage.prompt_tokens,
                usage.completion_tokens,
                usage.cost,
                usage.unpriced - _SENT.unpriced,
            )
        )

    def _enter(self, usage: Usage) -> None:
        self.usage += usage
        if self.book is not None:
            try:
                self.book.enter(usage)
            except SaitenError as error:  # a reply that is there is not lost for it; the next request is not sent
                self.stop(error)


class Budget:
    """What a run may spend; one object is shared by everything that spends.

    A call is booked before it is sent, so `max_calls` is never exceeded. A cost is known only afterwards: the largest
    seen so far is set aside for each call in flight, calls wait while that money might be needed, and `BudgetSpent` is
    raised once nothing is in flight and the next call would go over.
    """

    def __init__(
        self,
        max_calls: int | None = None,
        max_cost: float | None = None,
        currency: str = "USD",
        account: Account | None = None,
    ) -> None:
        for name, value in (("max_calls", max_calls), ("max_cost", max_cost)):
            if value is not None and not (isfinite(value) and value >= 0):
                raise ConfigurationError(f"{name} is a number of at least 0, got {value}")
        self.max_calls = max_calls
        self.max_cost = max_cost
        self.currency = currency
        self.account = account or Account()
        self.calls = 0
        self.cost = 0.0
        self._aside = 0.0
        self._in_flight = 0
        self._alone = False
        self._settled: asyncio.Future[None] | None = None

    async def reserve(self, guess: Callable[[], tuple[float, bool]]) -> float:
        """Book a call; returns the guess that was set aside for it.

        `guess` says what the call may cost, and whether no other may start until that is better known. It is asked
        again after every wait, since what came back meanwhile may have taught more.

        Raises:
            BudgetSpent: the call would go over the budget.
        """
        cost, alone = guess()
        while self.max_cost is not None and not self._affords(cost, alone=alone):
            if not self._in_flight:
                raise BudgetSpent(
                    f"the budget of {self.max_cost:g} {self.currency} is spent: {self.cost:.4g} so far, and the next "
                    f"call may cost {cost:.4g}; raise --max-cost and run the same command to go on"
                )
            await self._next_settlement()
            cost, alone = guess()
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetSpent(
                f"the budget of {self.max_calls} calls is spent; the same command goes on, with as many calls again"
            )
        self.calls += 1
        self._in_flight += 1
        self._aside += cost
        self._alone = alone
        return cost

    def settle(self, guess: float, cost: float) -> None:
        """A call that was booked with this guess is over and cost so much."""
        self.cost += cost
        self._in_flight -= 1
        self._aside = self._aside - guess if self._in_flight else 0.0
        self._alone = False
        if self._settled is not None:
            self._settled.set_result(None)
            self._settled = None

    def _affords(self, guess: float, *, alone: bool) -> bool:
        if self._alone or (alone and self._in_flight):
            return False
        return self.max_cost is None or self.cost + self._aside + guess <= self.max_cost * (1 + 1e-12)

    async def _next_settlement(self) -> None:
        if self._settled is None:
            self._settled = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._settled)


class Budgeted:
    """The layer that prices each request and books it on the budget."""

    def __init__(self, price: Price | None = None, budget: Budget | None = None) -> None:
        """Raises ConfigurationError if a cost is bounded that cannot be known."""
        if price is None and budget is not None and budget.max_cost is not None:
            raise ConfigurationError(
                "--max-cost needs the model's price, which is not known: set it in saiten.toml, for example "
                '[prices] "gpt-4o-mini" = {prompt = 0.15, completion = 0.6} (per million tokens; 0 for a server of '
                "your own), or bound the calls with --max-calls instead"
            )
        self._price = price or Price(0.0)
        self._priced = price is not None
        self._budget = budget or Budget()
        self._largest: float | None = None

    async def run(self, attempt: Callable[[], Awaitable[A]], load: Load) -> A:
        guess = await self._budget.reserve(partial(self._guess, load))
        cost = guess  # a call that was cut off may have been charged
        account = self._budget.account
        try:
            account.send()
            answer = await attempt()
            usage = self._price_of(answer.usage)
            account.receive(usage)
            cost = max(usage.cost, guess) if usage.unpriced else usage.cost
            self._largest = max(self._largest or 0.0, cost)
            return answer if usage is answer.usage else replace(answer, usage=usage)
        except JudgeError as error:
            error.usage = self._price_of(error.usage)
            account.receive(error.usage)
            cost = max(error.usage.cost, guess) if error.usage.unpriced else error.usage.cost
            raise
        finally:
            self._budget.settle(guess, cost)

    def _guess(self, load: Load) -> tuple[float, bool]:
        # what a call costs is learned from the first one, which goes alone so that not 64 go before it is known
        alone = self._largest is None and self._budget.max_cost is not None
        return max(self._price.of(load.prompt, load.completion), self._largest or 0.0), alone

    def _price_of(self, usage: Usage) -> Usage:
        return self._price.priced(usage) if self._priced else usage
