"""Retries: repeat a request after a temporary failure, waiting longer each time."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.layers import A, Load, adding
from saiten.records import Usage


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
    """The layer that repeats a request if `CallFailed.retryable`."""

    def __init__(
        self, retries: Retries, rng: Random, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._retries = retries
        self._rng = rng
        self._sleep = sleep

    async def run(self, attempt: Callable[[], Awaitable[A]], load: Load) -> A:
        spent = Usage()
        failures = 0
        while True:
            try:
                return adding(await attempt(), spent)
            except CallFailed as error:
                failures += 1
                spent += error.usage
                error.usage = spent
                if not error.retryable or self._retries.attempts == 1:
                    raise
                if failures == self._retries.attempts:
                    error.args = (f"{error} (given up after {failures} attempts)",)
                    raise
                wait = self._retries.wait(failures, error.retry_after, self._rng)
            await self._sleep(wait)
