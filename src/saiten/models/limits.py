"""Retries, waiting longer each time; and limits of requests in flight, requests and tokens per minute."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import isfinite
from random import Random

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.layers import A, Load, adding
from saiten.records import FREE, Usage


@dataclass(frozen=True, slots=True)
class Retries:
    """Number and spacing of attempts; the defaults outlast over 30 seconds of refusals, usually over 45."""

    attempts: int = 8
    """Requests in total, including the first; 1 switches retries off."""
    first: float = 0.5
    """Seconds: the longest wait before the second attempt; doubles with each attempt."""
    longest: float = 60.0
    """Seconds: an upper bound for every wait, even one the server asks for."""

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.first < 0 or self.longest < 0:
            raise ConfigurationError(f"retries need at least one attempt and waits of at least 0 s, got {self}")

    def wait(self, failures: int, retry_after: float | None, rng: Random) -> float:
        """Return the seconds before the next attempt: half to all of an exponential bound, or the server's wish.

        Source: M. Brooker, *Exponential Backoff And Jitter* (AWS Architecture Blog, 2015), "equal jitter". With "full
        jitter", a fifth of the requests would give up within 30 seconds, since short waits add up to nothing.
        """
        bound = min(self.longest, self.first * 2.0 ** min(failures - 1, 60))
        return max(rng.uniform(bound / 2, bound), min(retry_after or 0.0, self.longest))


class Retrying:
    """The layer that repeats a request if `CallFailed.retryable`.

    A time-out is not repeated before anything else has come back: a server that hangs from the start would take the
    time-out once per attempt, a quarter of an hour by default, until the run says so.
    """

    def __init__(
        self, retries: Retries, rng: Random, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._retries = retries
        self._rng = rng
        self._sleep = sleep
        self._heard = False

    async def run(self, attempt: Callable[[], Awaitable[A]], load: Load) -> A:
        spent = FREE
        failures = 0
        while True:
            try:
                answer = await attempt()
                self._heard = True
                return adding(answer, spent)
            except CallFailed as error:
                self._heard = self._heard or error.kind != "timeout" or error.status is not None
                failures += 1
                spent += error.usage
                error.usage = spent
                if not error.retryable or not self._heard or self._retries.attempts == 1:
                    raise
                if failures == self._retries.attempts:
                    error.args = (f"{error} (given up after {failures} attempts)",)
                    raise
                wait = self._retries.wait(failures, error.retry_after, self._rng)
            await self._sleep(wait)


_TOO_MUCH = (429, 503, 529)
"""HTTP statuses that signal overload (529: Anthropic)."""
_IN_A_ROW = 4
"""Consecutive refusals that mean overload: with 5 % random refusals, expected once per 160,000 requests. Fewer
suffice if fewer requests are in flight."""
_TOO_MANY, _REMEMBERED = 1 / 3, 32
"""The share of refusals that also means overload, and the window (exponentially weighted) over which it is measured."""

_BURST = 0.1
"""Seconds that may be caught up after a late timer; so a minute exceeds the rate by at most 1/600."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the load put on a server; None means no limit."""

    concurrency: int = 64
    """Maximum number of requests in flight; reduced while the server refuses some."""
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    """Counts prompts and answers, estimated before a request and corrected by what the server reports."""
    longest_pause: float = 60.0
    """Seconds: the longest Retry-After that is honored in full."""

    def __post_init__(self) -> None:
        rates = (self.requests_per_minute, self.tokens_per_minute)
        if self.concurrency < 1 or any(rate is not None and not (isfinite(rate) and rate > 0) for rate in rates):
            raise ConfigurationError(f"limits must be at least 1, or None for no limit, got {self}")


@dataclass(frozen=True, slots=True)
class _Ticket:
    number: int
    load: Load


class Pace:
    """A token bucket that may go into debt: anything may pass while nothing is owed, and is owed afterwards.

    So a request larger than the bucket passes too, and delays the next one longer.
    """

    def __init__(self, per_minute: float | None) -> None:
        """None means no limit."""
        self._per_second = None if per_minute is None else per_minute / 60
        self._level = 0.0
        self._at: float | None = None

    def wait(self, now: float) -> float:
        """Return the seconds until the next request may pass; 0 if it may now."""
        if self._per_second is None:
            return 0.0
        elapsed = 0.0 if self._at is None else now - self._at
        self._at = now
        self._level = min(self._level + elapsed * self._per_second, _BURST * self._per_second)
        wait = -self._level / self._per_second
        return wait if wait > 1e-6 else 0.0

    def take(self, amount: float) -> None:
        """Let an amount pass; a negative one gives back what was taken too much."""
        self._level -= amount


class Limiter:
    """The layer that limits the request rate.

    When the server signals overload four times in a row, or for a third of the requests, the number in flight is halved
    (at most once per round trip) and a Retry-After pauses all requests; successes let it grow by one per round
    (additive increase, multiplicative decrease: Chiu and Jain 1989). A single refusal among successes delays only its
    own request: a gateway that occasionally refuses a request is not overloaded, and pausing everything each time
    would stall the run.
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
        """The number of requests that may be in flight right now."""
        return int(self._allowed)

    @property
    def in_flight(self) -> int:
        """The number of requests in flight."""
        return self._in_flight

    async def run(self, attempt: Callable[[], Awaitable[A]], load: Load) -> A:
        ticket = await self._enter(load)
        usage = Usage(calls=1)  # if canceled: sent, tokens unknown
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
        # Let admitted requests send before this answer is processed; otherwise a burst of answers is processed first
        # while the server idles. The second turn is aiohttp's, whose task writes the request.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return answer

    async def _enter(self, load: Load) -> _Ticket:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # waiters and timer belonged to a finished run
            self._loop, self._timer, self._in_flight = loop, None, 0
            self._waiting.clear()
        if not self._waiting and self._in_flight < self.allowed and not self._seconds_to_wait(loop.time()) > 0:
            return self._admit(load)
        future: asyncio.Future[_Ticket] = loop.create_future()
        self._waiting.append((future, load))
        self._pump()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():  # admitted and canceled in the same turn: not sent
                self._requests.take(-1)
                self._leave(future.result(), FREE)
            else:
                self._pump()  # the head of the queue may be gone
            raise

    def _leave(self, ticket: _Ticket, usage: Usage) -> None:
        self._in_flight -= 1
        known = usage.prompt_tokens + usage.completion_tokens
        if known or not usage.calls:
            self._tokens.take(known - ticket.load.prompt - ticket.load.completion)
        self._pump()

    def _refused(self, ticket: _Ticket, error: CallFailed) -> None:
        if error.status not in _TOO_MUCH:
            return
        self._in_a_row += 1
        self._share += (1 - self._share) / _REMEMBERED
        if self._in_a_row < min(_IN_A_ROW, self._in_flight) and self._share < _TOO_MANY:
            return
        if ticket.number >= self._cut_at:  # sent after the last cut
            self._allowed = max(1.0, self._allowed / 2)
            self._cut_at = self._sent
        if error.retry_after is not None:
            pause = min(error.retry_after, self._limits.longest_pause)
            self._paused_until = max(self._paused_until, asyncio.get_running_loop().time() + pause)

    def _seconds_to_wait(self, now: float) -> float:
        return max(self._paused_until - now, self._requests.wait(now), self._tokens.wait(now))

    def _admit(self, load: Load) -> _Ticket:
        self._requests.take(1)
        self._tokens.take(load.prompt + load.completion)
        self._in_flight += 1
        self._sent += 1
        return _Ticket(self._sent - 1, load)

    def _pump(self) -> None:
        """Admit as many waiting requests as allowed; if only time is in the way, schedule another try."""
        if self._loop is None:
            return
        while self._waiting:
            future, load = self._waiting[0]
            if not future.done():
                if self._in_flight >= self.allowed:
                    return  # `_leave` pumps again
                wait = self._seconds_to_wait(self._loop.time())
                if wait > 0:
                    if self._timer is not None:
                        self._timer.cancel()
                    self._timer = self._loop.call_later(wait, self._wake)
                    return
                future.set_result(self._admit(load))
            self._waiting.popleft()

    def _wake(self) -> None:
        self._timer = None
        self._pump()
