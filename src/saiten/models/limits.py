"""Limits: how many requests are in flight, and how many requests and tokens a minute; first come, first served."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import isfinite

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.layers import A, Load
from saiten.models.pace import Pace
from saiten.records import Usage

_TOO_MUCH = (429, 503, 529)
"""The statuses by which servers say that too much is asked of them (529: Anthropic)."""
_IN_A_ROW = 4
"""Refusals without a success between them that mean overload; of requests refused at random, 5 in 100, it takes 160,000
to see that once. With fewer requests in flight, fewer do."""
_TOO_MANY, _REMEMBERED = 1 / 3, 32
"""A share of refusals that means overload too, and over how many requests it is looked at (exponentially weighted)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server is asked to bear; None is no limit."""

    concurrency: int = 64
    """Requests in flight at most; fewer while the server refuses some."""
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    """Of prompts and answers, estimated before a request and corrected by what the server reports."""
    longest_pause: float = 60.0
    """Seconds: the longest Retry-After that is obeyed in full."""

    def __post_init__(self) -> None:
        rates = (self.requests_per_minute, self.tokens_per_minute)
        if self.concurrency < 1 or any(rate is not None and not (isfinite(rate) and rate > 0) for rate in rates):
            raise ConfigurationError(f"limits are at least 1, or None for no limit, got {self}")


@dataclass(frozen=True, slots=True)
class _Ticket:
    number: int
    load: Load


class Limiter:
    """The layer that holds requests back.

    When the server says four times in a row, or to a third of the requests, that it is too much, the number in flight
    halves, at most once per round trip, and a Retry-After pauses all; successes let it grow by one per round (additive
    increase, multiplicative decrease: Chiu and Jain 1989). A single refusal among successes holds back its own request
    alone, which waits as it was told: a gateway that now and then refuses one of many is not overloaded, and pausing
    everybody each time would bring a run to a standstill.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._allowed = float(limits.concurrency)
        self._requests = Pace(limits.requests_per_minute)
        self._tokens = Pace(limits.tokens_per_minute)
        self._waiting: deque[tuple[asyncio.Future[_Ticket], Load]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._in_flight = 0
        self._sent = 0
        self._cut_at = 0
        self._in_a_row = 0
        self._share = 0.0
        self._paused_until = 0.0

    @property
    def allowed(self) -> int:
        """How many requests may be in flight at the moment."""
        return int(self._allowed)

    @property
    def in_flight(self) -> int:
        """How many requests are in flight."""
        return self._in_flight

    async def run(self, attempt: Callable[[], Awaitable[A]], load: Load) -> A:
        ticket = await self._enter(load)
        usage = Usage(calls=1)  # as it stays when this is cancelled: sent, and its tokens not known
        try:
            answer = await attempt()
        except CallFailed as error:
            usage = error.usage
            self._refused(ticket, error)
            raise
        else:
            usage = answer.usage
            self._in_a_row = 0
            self._share -= self._share / _REMEMBERED
            self._allowed = min(self._allowed + 1 / self._allowed, self._limits.concurrency)
        finally:
            self._leave(ticket, usage)
        # Whoever was let in sends first, and reading this answer comes after: else answers that come in together are
        # all read before anything is sent, and the server waits.
        await asyncio.sleep(0)
        return answer

    async def _enter(self, load: Load) -> _Ticket:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # a run that ended took its waiters and its timer with it
            self._loop, self._timer, self._in_flight = loop, None, 0
            self._waiting.clear()
        if not self._waiting and not self._must_wait(loop.time()):
            return self._admit(load)
        future: asyncio.Future[_Ticket] = loop.create_future()
        self._waiting.append((future, load))
        self._pump()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():  # admitted and cancelled in the same turn: nothing was sent
                self._requests.give_back(1)
                self._leave(future.result(), Usage())
            else:
                self._pump()  # the head of the queue may have gone
            raise

    def _leave(self, ticket: _Ticket, usage: Usage) -> None:
        self._in_flight -= 1
        known = usage.prompt_tokens + usage.completion_tokens
        if known or not usage.calls:
            self._tokens.give_back(ticket.load.prompt + ticket.load.completion - known)
        self._pump()

    def _refused(self, ticket: _Ticket, error: CallFailed) -> None:
        if error.status not in _TOO_MUCH:
            return
        self._in_a_row += 1
        self._share += (1 - self._share) / _REMEMBERED
        if self._in_a_row < min(_IN_A_ROW, self._in_flight) and self._share < _TOO_MANY:
            return
        if ticket.number >= self._cut_at:  # sent after the last cut, so this is news
            self._allowed = max(1.0, self._allowed / 2)
            self._cut_at = self._sent
        if error.retry_after is not None:
            pause = min(error.retry_after, self._limits.longest_pause)
            self._paused_until = max(self._paused_until, asyncio.get_running_loop().time() + pause)

    def _must_wait(self, now: float) -> bool:
        return self._in_flight >= self.allowed or self._seconds_to_wait(now) > 0

    def _seconds_to_wait(self, now: float) -> float:
        return max(self._paused_until - now, self._requests.wait(now), self._tokens.wait(now))

    def _admit(self, load: Load) -> _Ticket:
        self._requests.take(1)
        self._tokens.take(load.prompt + load.completion)
        self._in_flight += 1
        self._sent += 1
        return _Ticket(self._sent - 1, load)

    def _pump(self) -> None:
        """Let the first in the queue go, as many as may; where only time is in the way, come back then."""
        if self._loop is None:
            return
        while self._waiting:
            future, load = self._waiting[0]
            if not future.done():
                if self._in_flight >= self.allowed:
                    return  # whoever leaves comes by here
                wait = self._seconds_to_wait(self._loop.time())
                if wait > 0:
                    self._come_back(self._loop, wait)
                    return
                future.set_result(self._admit(load))
            self._waiting.popleft()

    def _come_back(self, loop: asyncio.AbstractEventLoop, wait: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_later(wait, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._pump()
