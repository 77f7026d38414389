"""A figure with its cluster bootstrap interval, for a mean and for any statistic of two columns.

Source: Efron and Tibshirani 1993, *An Introduction to the Bootstrap*, chapter 13 (percentile interval), clusters drawn
whole; widened for few clusters as in Hesterberg 2015, *What Teachers Should Know About the Bootstrap*, section 5.3
(expanded percentile interval), since the plain one is too narrow by a factor of √((n-1)/n) and ignores Student's t.

Coverage of the true mean, by simulation: 0.92 or more from 30 clusters on; 0.89 to 1.00 from 6 to 20, lower the more
the values are bunched at one end (grades of 1 to 5 with mean 4.2 and 10 clusters: 0.91, with intervals that miss being
too high).
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

import numpy as np

from saiten.stats.clusters import (
    Column,
    Floats,
    Ints,
    as_floats,
    as_groups,
    as_pair,
    check_resamples,
    dealt,
    draws,
    sums_and_sizes,
)
from saiten.words import Message

Unit = Literal["question", "item"]
"""What a cluster is called in remarks."""

CONFIDENCE = 0.95
RESAMPLES = 2_000
FEW = 6
"""With fewer clusters, even the widest interval, from the lowest to the highest cluster, covers less than 95 %:
1 - 2/2ⁿ.
"""
SLACK = 0.95
"""Minimum share of resamples in which a figure must be defined to get an interval."""
_NO_SPREAD = 1e-12


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval, or the reason why one of them is missing."""

    value: float | None
    """The figure; None if it cannot be computed."""
    n: int
    """Number of values, or of pairs of them."""
    reason: Message | None = None
    """Why there is no value."""
    low: float | None = None
    """Lower end of the interval, if requested."""
    high: float | None = None
    clusters: int | None = None
    """Number of clusters resampled; this, not `n`, determines the precision."""
    note: Message | None = None
    """Why there is no interval although there is a value, or a caveat about it."""

    @classmethod
    def of(cls, value: Floats | float, n: int, reason: Message) -> "Estimate":
        """Return the figure over n pairs, or the reason if it is NaN."""
        return cls(float(value), n) if np.isfinite(value) else cls(None, n, reason)


Statistic = Callable[[Floats, Floats], Estimate]


def with_interval(whole: Estimate, drawn: Floats, clusters: int, unit: Unit = "question") -> Estimate:
    """Add the expanded percentile interval of resampled figures, or the reason why it is missing.

    Args:
        whole: the figure over all data.
        drawn: the figure in each resample; NaN where undefined.
        clusters: the number of clusters drawn from.
        unit: what a cluster is called in remarks.
    """
    whole = replace(whole, clusters=clusters)
    if whole.value is None:
        return whole
    if clusters < 2:
        return replace(whole, note=Message("remark", f"single_{unit}"))
    found = drawn[np.isfinite(drawn)]
    if len(found) < SLACK * len(drawn):
        lost = len(drawn) - len(found)
        return replace(whole, note=Message("remark", "often_undefined", n=lost, of=len(drawn)))
    low, high = percentiles(found, clusters)
    if high - low <= _NO_SPREAD * max(abs(low), abs(high)):
        return replace(whole, note=Message("remark", "no_spread_no_interval"))
    return replace(whole, low=low, high=high, note=few(clusters, unit))


def bootstrap_mean(
    values: Column, clusters: Sequence[Hashable] | Ints | None = None, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Compute the mean with an interval from resampled clusters; independent of the order of the values.

    Args:
        values: finite numbers; leave out missing values.
        clusters: a label per value, for example the question; None makes each value its own cluster.
        resamples: how often the clusters are drawn.
        seed: seed of the draws.

    Raises:
        ValueError: a value is not finite, the lengths differ, or `resamples` is below 1.
    """
    check_resamples(resamples)
    array = as_floats(values, "values")
    sums, sizes = sums_and_sizes(array, as_groups(clusters, len(array)))
    k = len(sums)
    if not k:
        return Estimate(None, 0, Message("remark", "no_values"), clusters=0)
    whole = Estimate(math.fsum(array) / len(array), len(array), clusters=k)
    if k == 1:
        return replace(whole, note=Message("remark", "single_question"))
    means = sums / sizes
    if np.ptp(means) <= _NO_SPREAD * np.abs(means).max():  # sums of equal decimals differ in the last bits
        return replace(whole, note=Message("remark", "equal_means"))
    sums, sizes = dealt((sums, sizes), k, seed)
    drawn = [sums[each].sum(axis=1) / sizes[each].sum(axis=1) for each in draws(len(sums), resamples, seed)]
    low, high = percentiles(np.concatenate(drawn), k)
    return replace(whole, low=low, high=high, note=few(k))


def bootstrap_statistic(
    statistic: Statistic,
    x: Column,
    y: Column,
    clusters: Sequence[Hashable] | None = None,
    *,
    resamples: int = 1_000,
    seed: int = 0,
) -> Estimate:
    """Compute the statistic with its interval; independent of the pairs' order.

    The rows of each resample are written out, so any statistic is possible; `Resamples` is faster for statistics that
    can be computed for many resamples at once. Pass settings of a statistic with `functools.partial`.

    Raises:
        ValueError: a value is not finite, the lengths differ, or `resamples` is below 1.
    """
    check_resamples(resamples)
    a, b = as_pair(x, y)
    rows, starts, sizes = _rows_by_cluster(a, b, as_groups(clusters, len(a)))
    k = len(starts)
    whole = statistic(a, b)
    if whole.value is None or k < 2:
        return with_interval(whole, np.empty(0), k)
    values = [
        statistic(a[index], b[index]).value
        for drawn in draws(k, resamples, seed)
        for resample in drawn
        for index in (rows[_ranges(starts[resample], sizes[resample])],)
    ]
    return with_interval(whole, np.array(values, dtype=np.float64), k)


def _rows_by_cluster(a: Floats, b: Floats, groups: Ints) -> tuple[Ints, Ints, Ints]:
    """Return row numbers cluster by cluster, and each cluster's start and length; sorted by content."""
    by_content = np.lexsort((b, a, groups))
    sizes = np.bincount(groups)
    members = np.split(by_content, np.cumsum(sizes)[:-1]) if len(groups) else []  # it gives one part even of nothing
    members.sort(key=lambda rows: (len(rows), a[rows].tolist(), b[rows].tolist()))
    lengths = np.array([len(rows) for rows in members], dtype=np.int64)
    return np.concatenate([*members, np.empty(0, np.int64)]), np.cumsum(lengths) - lengths, lengths


def _ranges(starts: Ints, sizes: Ints) -> Ints:
    """Concatenate the ranges of `sizes` numbers from each start."""
    ends = np.cumsum(sizes)
    rows: Ints = np.arange(int(ends[-1])) + np.repeat(starts - (ends - sizes), sizes)
    return rows


def percentiles(figures: Floats, clusters: int) -> tuple[float, float]:
    """Return the ends of the expanded percentile interval over resampled figures."""
    tail = _expanded_tail((1 - CONFIDENCE) / 2, clusters)
    low, high = np.quantile(figures, [tail, 1 - tail])
    return float(low), float(high)


def few(clusters: int, unit: Unit = "question") -> Message | None:
    """Return the warning for an interval from few clusters, or None."""
    return Message("remark", f"few_{unit}s", n=clusters) if clusters < FEW else None


def _expanded_tail(tail: float, clusters: int) -> float:
    """Return Φ(-√(k/(k-1))·t) instead of the tail itself, t being Student's quantile with k-1 degrees of freedom."""
    normal = NormalDist()
    return normal.cdf(-math.sqrt(clusters / (clusters - 1)) * _student(normal.inv_cdf(1 - tail), clusters - 1))


def _student(z: float, freedom: int) -> float:
    """Return Student's quantile from the normal one, Abramowitz and Stegun 1964, 26.7.5.

    Within 1 % from 5 degrees of freedom on, for intervals up to 99 %. Below that the interval reaches the outermost
    resamples anyway. Avoids scipy, which takes longer to import than the rest of a summary takes to compute.
    """
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
