"""Records of a mean with its interval (by the judge, by labels alone, by both), and the labels needed for a width."""

import math
from dataclasses import dataclass

from saiten.stats.estimate import CONFIDENCE
from saiten.words import Message

FEWEST = 10
"""Minimum number of labels, and of clusters with labels, for an interval: coverage was simulated from 30 on, and
Student's quantile helps down to this number unless the labels are very lopsided.
"""

_ROUNDING = 1e-9

Limits = tuple[float, float]
"""The lowest and the highest possible value."""
ANYTHING: Limits = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Mean:
    """An estimate, with or without an interval."""

    value: float
    half: float | None = None
    """Half the width of the interval before it is cut; None without an interval or for a one-sided bound."""
    low: float | None = None
    high: float | None = None

    @classmethod
    def within(cls, value: float, half: float, limits: Limits) -> "Mean":
        """Return the mean with the possible part of its interval."""
        value, low, high = (min(max(end, limits[0]), limits[1]) for end in (value, value - half, value + half))
        return cls(value, half, low, high)

    def holds(self, value: float) -> bool:
        """Return whether the value is inside; False without an interval."""
        return self.low is not None and self.high is not None and self.low <= value <= self.high

    @property
    def cut(self) -> bool:
        """Return whether a part of the interval was impossible."""
        if self.half is None or self.low is None or self.high is None:
            return False
        return self.high - self.low < 2 * self.half * (1 - _ROUNDING)


@dataclass(frozen=True, slots=True)
class Needed:
    """Forecast of the number of labels, including existing ones, that an interval of the wanted width needs."""

    total: int | None
    """With the judge; None: even labeling every item is not enough."""
    alone: int | None
    """Without the judge; None: more than there are items."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Variances for forecasting widths."""

    alone: float
    """Variance of the mean of the labels alone."""
    powered: float
    """Variance of the prediction-powered mean."""
    freedom: int
    """Degrees of freedom of Student's quantile."""


@dataclass(frozen=True, slots=True)
class Powered:
    """The mean of people's labels, estimated by the judge, by the labels alone, and by both."""

    judge: float
    """The mean of the judge's scores over all items, on the judge's scale and with the judge's bias."""
    alone: Mean
    """From the labels alone, with the same kind of interval."""
    powered: Mean
    """From labels and scores together."""
    lambdas: tuple[float, ...]
    """The weight of the judge's scores per part, in labels' units per judge's unit; 0: unused."""
    n: int
    """Number of labels."""
    total: int
    """Number of items, with and without a label."""
    clusters: int
    """Number of clusters with a label."""
    imbalance: float | None
    """p-value of the test that the judge's mean is the same on labeled items and on the others; None if undefined. If
    low, the labeled items do not look like a random sample, and then no interval here is valid.
    """
    spread: Spread | None = None
    """None without an interval."""
    note: Message | None = None
    """Why there is no interval, which bound replaces it, or why labels alone suffice."""
    limits: Limits = ANYTHING
    """Range of the mean; intervals are cut to it."""

    @property
    def effective(self) -> int | None:
        """Return how many labels alone would give an interval of this width, by the spread of the existing labels."""
        if self.spread is None or not self.spread.powered:
            return None
        return math.floor(self.n * self.spread.alone / self.spread.powered + 1e-9)

    @property
    def saved(self) -> int | None:
        """Return how many labels the judge saves; slightly negative if it is useless and λ is fitted to noise."""
        return None if self.effective is None else self.effective - self.n

    @property
    def ratio(self) -> float | None:
        """Return the interval's width as a share of that of the labels alone."""
        return None if not self.alone.half or self.powered.half is None else self.powered.half / self.alone.half

    def needed(self, half: float) -> Needed | None:
        """Forecast how many labels make an interval of ± `half`, if further labels are drawn from the same items.

        Uses V(m) = A/m + B, the form of the variance at the best λ, with A and B from the two variances found. None
        without an interval.

        Raises:
            ValueError: `half` is not above 0.
        """
        if not half > 0:
            raise ValueError(f"half is {half}; half the width of an interval must be above 0")
        if self.spread is None:
            return None
        alone, both, unlabeled = self.spread.alone, self.spread.powered, self.total - self.n
        floor = max(0.0, self.n * (alone - both) / unlabeled) if unlabeled else 0.0
        return Needed(self._fewest(self.n * (both - floor), floor, half), self._fewest(self.n * alone, 0.0, half))

    def _fewest(self, slope: float, floor: float, half: float) -> int | None:
        """Return the smallest m with a narrow enough interval by bisection, since the width falls with m.

        At least `FEWEST`: with fewer labels there would be no interval, however narrow the forecast.
        """
        assert self.spread is not None  # noqa: S101 - the caller has asked
        per_label = self.spread.freedom / self.n

        def narrow(m: int) -> bool:
            return quantile(max(1.0, per_label * m)) ** 2 * (slope / m + floor) <= half**2

        low, high = min(FEWEST, self.total), self.total
        if not narrow(high):
            return None
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if narrow(middle) else (middle + 1, high)
        return low


def quantile(freedom: float) -> float:
    """Return Student's two-sided quantile for a 95 % interval."""
    from scipy.special import stdtrit  # noqa: PLC0415 - not needed to start

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))
