"""Retries: ask again after a failure that may pass, each time waiting longer."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.layers import A, Load, adding
from saiten.records import Usage


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how patiently; the defaults get over half a minute of refusals, mostly over three quarters."""

    attempts: int = 8
    """Requests in all, the first included; 1 switches retries off."""
    first: float = 0.5
    """Seconds: the longest wait before the second attempt; it doubles from one to the next."""
    longest: float = 60.0
    """Seconds: no wait is longer, not even one that the server asks for."""

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.first < 0 or self.longest < 0:
            raise ConfigurationError(f"retries need at least one attempt and waits of at least 0 s, got {self}")

    def wait(self, failures: int, asked: float | None, rng: Random) -> float:
        """Seconds before the next attempt: half to all of an exponential bound, or what the server asked for.

        Source: M. Brooker, *Exponential Backoff And Jitter* (AWS Architecture Blog, 2015), "equal jitter". Not "full
        jitter", with which a fifth of the requests would give up within 30 seconds: short waits add up to nothing.
        """
        bound = min(self.longest, self.first * 2.0 ** min(failures - 1, 60))
        return max(rng.uniform(bound / 2, bound), min(asked or 0.0, self.longest))


class Retrying:
    """The layer that asks again when `CallFailed.retryable` says that this may help."""

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
                    raise _given_up(error, failures) from error
                wait = self._retries.wait(failures, error.retry_after, self._rng)
            await self._sleep(wait)


def _given_up(error: CallFailed, failures: int) -> CallFailed:
    return CallFailed(
        f"{error} (given up after {failures} attempts)",
        error.usage,
        retryable=True,
        retry_after=error.retry_after,
        status=error.status,
    )
