"""The worst samples beyond a limit, from a stream of scores."""

import math
from heapq import heappush, heappushpop

from saiten.records import Scored
from saiten.results.threshold import EXTREMES, Threshold

WORST = 5
"""Number of samples named for a missed figure."""

BEYOND = 100
"""Maximum number of samples named if every single sample is checked."""


class Worst:
    """Collects the worst samples of a metric beyond the limit from a stream of scores, in bounded memory."""

    def __init__(self, threshold: Threshold) -> None:
        self._threshold = threshold
        self._each = threshold.figure in EXTREMES
        # A threshold on the maximum asks for high values, whichever side of the limit it is.
        self._sign = {"min": -1.0, "max": 1.0}.get(threshold.figure, -1.0 if threshold.side == "under" else 1.0)
        self._heap: list[tuple[float, int, Scored]] = []
        self._seen = 0
        self.beyond = 0
        self.extreme: float | None = None

    def see(self, one: Scored) -> None:
        value = one.score.value
        if one.metric != self._threshold.metric or value is None or not math.isfinite(value):
            return
        badness = self._sign * value
        if self.extreme is None or badness > self._sign * self.extreme:
            self.extreme = value
        beyond = self._threshold.beyond(value)
        self.beyond += beyond
        self._seen += 1
        if not beyond:
            return
        entry = (badness, -self._seen, one)  # the first of equal ones
        if len(self._heap) < (BEYOND if self._each else WORST):
            heappush(self._heap, entry)
        else:
            heappushpop(self._heap, entry)

    def samples(self) -> tuple[Scored, ...]:
        return tuple(one for _, _, one in sorted(self._heap, key=lambda entry: entry[:2], reverse=True))
