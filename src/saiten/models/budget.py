"""Budget and account: limits on requests and cost, exact under concurrency, and a record of all spending."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from math import isfinite
from typing import Protocol

from saiten.errors import BudgetSpent, ConfigurationError, JudgeError, SaitenError
from saiten.models.layers import A, Load
from saiten.models.prices import Price, Quote
from saiten.records import Usage

CALLS_NAME, PRICES_NAME = "calls.jsonl", "prices.jsonl"
"""The files of a book in a folder."""


class Book(Protocol):
    """A ledger of spending: its entries add up to the total spent."""

    def enter(self, usage: Usage) -> None:
        """Add this to the total; raises `NotWritten` if that is impossible."""

    def quote(self, quote: Quote) -> None:
        """Keep a price that costs are computed with; raises `NotWritten` if that is impossible."""


@lru_cache(64)
def _sent(price: Price | None, calls: int) -> Usage:
    """Return the usage of requests whose replies have not arrived: they may cost an unknown amount, unless free."""
    if price is None:
        return Usage(calls=calls, unpriced=calls)
    return Usage(calls=calls) if price.free else Usage(calls=calls, unpriced=calls, unanswered=calls)


class Account:
    """Everything one command spends, over all its models and systems, whatever the outcome of each request.

    A request is booked before it is sent, so that interrupted requests count too. If booking fails, no further request
    is sent.
    """

    def __init__(self) -> None:
        self.book: Book | None = None
        """Set once a run has one; earlier spending is not in it."""
        self.usage = Usage()
        self._stopped: Callable[[], SaitenError] | None = None

    @contextmanager
    def booked(self, book: Book) -> Iterator[None]:
        """Write spending within the block into this book."""
        before, self.book = self.book, book
        try:
            yield
        finally:
            self.book = before

    def stop(self, why: SaitenError) -> None:
        """Block all further requests: each raises this error, or the first one given."""
        self._stopped = self._stopped or partial(type(why), str(why))  # a raised exception keeps its frames alive

    def send(self, quote: Quote, calls: int = 1) -> None:
        """Book requests that are about to be sent, and their model's price.

        Raises:
            NotWritten: this or earlier spending could not be recorded; the request must not be sent.
        """
        if self._stopped is not None:
            raise self._stopped()
        self._enter(_sent(quote.price, calls), quote)
        if self._stopped is not None:
            raise self._stopped()

    def receive(self, usage: Usage, quote: Quote, calls: int = 1) -> None:
        """Book the actual cost of requests that were sent with this price; none if they did not arrive."""
        sent = _sent(quote.price, calls)
        calls, unpriced = usage.calls - sent.calls, usage.unpriced - sent.unpriced
        self._enter(replace(usage, calls=calls, unpriced=unpriced, unanswered=-sent.unanswered, reused=0))

    def _enter(self, usage: Usage, quote: Quote | None = None) -> None:
        self.usage += usage
        if self.book is not None:
            try:
                if quote is not None:
                    self.book.quote(quote)
                self.book.enter(usage)
            except SaitenError as error:  # keep the reply that has arrived, but block the next request
                self.stop(error)


class Budget:
    """A run's spending limit, shared by everything that spends.

    A call is booked before it is sent, so `max_calls` is never exceeded. Costs are known only afterwards: the largest
    cost seen so far is reserved for each call in flight, calls wait while that reserve might be needed, and
    `BudgetSpent` is raised once nothing is in flight and the next call would exceed the budget.
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
                raise ConfigurationError(f"{name} must be a number of at least 0, got {value}")
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
        """Book a call and return the cost reserved for it.

        `guess` returns the estimated cost of the call, and whether it must run alone until costs are better known. It
        is called again after every wait, since the estimate may have changed.

        Raises:
            BudgetSpent: the call would exceed the budget.
        """
        cost, alone = guess()
        while self.max_cost is not None and not self._affords(cost, alone=alone):
            if not self._in_flight:
                raise BudgetSpent(
                    f"the budget of {self.max_cost:g} {self.currency} is spent: {self.cost:.4g} so far, and the next "
                    f"call may cost {cost:.4g}; raise --max-cost and re-run the command to continue"
                )
            await self._next_settled()
            cost, alone = guess()
        if self.max_calls is not None and self.calls >= self.max_calls:
            while self._in_flight:  # the error may cancel the others, whose replies are paid for
                await self._next_settled()
            raise BudgetSpent(
                f"the budget of {self.max_calls} calls is spent; re-run the command to continue with as many more"
            )
        self.calls += 1
        self._in_flight += 1
        self._aside += cost
        self._alone = alone
        return cost

    async def _next_settled(self) -> None:
        self._settled = self._settled or asyncio.get_running_loop().create_future()
        await asyncio.shield(self._settled)

    def settle(self, guess: float, cost: float) -> None:
        """Settle a call that was booked with this guess at its actual cost."""
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


class Budgeted:
    """The layer that prices each request and charges it to the budget."""

    def __init__(self, quote: Quote = Quote(), budget: Budget | None = None) -> None:  # noqa: B008 - frozen
        """Raises ConfigurationError if the cost is bounded but the price is unknown."""
        if quote.price is None and budget is not None and budget.max_cost is not None:
            raise ConfigurationError(
                f'--max-cost needs the model\'s price. {quote.sentence()} Example: [prices] "gpt-4o-mini" = '
                "{prompt = 0.15, completion = 0.6} (per million tokens). Or bound the calls with --max-calls instead"
            )
        self._quote = quote
        self._price = quote.price or Price(0.0)
        self._budget = budget or Budget()
        self._largest: float | None = None

    async def run(self, attempt: Callable[[], Awaitable[A]], load: Load) -> A:
        guess = await self._budget.reserve(partial(self._guess, load))
        cost = guess  # an interrupted call may have been charged
        try:
            self._book_sent()
            answer = await attempt()
            usage, cost = self._received(answer.usage, guess)
            self._largest = max(self._largest or 0.0, cost)
            return answer if usage is answer.usage else replace(answer, usage=usage)
        except JudgeError as error:
            error.usage, cost = self._received(error.usage, guess)
            raise
        finally:
            self._budget.settle(guess, cost)

    def _guess(self, load: Load) -> tuple[float, bool]:
        # the first call runs alone, so that not 64 calls start before the cost of one is known
        alone = self._largest is None and self._budget.max_cost is not None
        return max(self._price.of(load.prompt, load.completion), self._largest or 0.0), alone

    def _book_sent(self) -> None:
        self._budget.account.send(self._quote)

    def _book_received(self, usage: Usage) -> None:
        self._budget.account.receive(usage, self._quote)

    def _received(self, usage: Usage, guess: float) -> tuple[Usage, float]:
        """Book what a request cost; return its usage and its cost, at least the guess if that is unknown."""
        usage = self._price.priced(usage) if self._quote.price else usage
        self._book_received(usage)
        return usage, max(usage.cost, guess) if usage.unpriced else usage.cost
