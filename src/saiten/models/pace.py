"""A pace: so many things a minute, evenly spread."""

_BURST = 0.1
"""Seconds that may be caught up when a timer came late; so a minute holds at most 1/600 more than the rate."""


class Pace:
    """A token bucket that may go into debt: anything may pass while nothing is owed, and is owed afterwards.

    So a request larger than the bucket passes too, and the next one waits the longer.
    """

    def __init__(self, per_minute: float | None) -> None:
        """None is no limit."""
        self._per_second = None if per_minute is None else per_minute / 60
        self._level = 0.0
        self._at: float | None = None

    def wait(self, now: float) -> float:
        """Seconds until the next may pass; 0 if it may now."""
        if self._per_second is None:
            return 0.0
        elapsed = 0.0 if self._at is None else now - self._at
        self._at = now
        self._level = min(self._level + elapsed * self._per_second, _BURST * self._per_second)
        wait = -self._level / self._per_second
        return wait if wait > 1e-6 else 0.0

    def take(self, amount: float) -> None:
        """Let an amount pass."""
        self._level -= amount

    def give_back(self, amount: float) -> None:
        """So much less passed than was taken; negative if it was more."""
        self._level += amount
