"""A figure with its bootstrap interval."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saiten.stats.bootstrap import Unit, few, percentiles
from saiten.stats.clusters import Column, Floats, Ints, as_groups, as_pair, check_settings, draws
from saiten.words import Message

SLACK = 0.95
"""Minimum share of resamples in which a figure must be defined to get an interval."""

_NO_SPREAD = 1e-12


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure over pairs of numbers, or the reason why it is undefined."""

    value: float | None
    """The figure; None if it cannot be computed."""
    n: int
    """Number of pairs."""
    reason: Message | None = None
    """Why there is no value."""
    low: float | None = None
    """Lower end of the interval, if requested."""
    high: float | None = None
    """Upper end of the interval, if requested."""
    clusters: int | None = None
    """Number of clusters resampled."""
    note: Message | None = None
    """Why there is no interval although there is a value, or a caveat about it."""

    @classmethod
    def of(cls, value: Floats | float, n: int, reason: Message) -> "Estimate":
        """Return the figure over n pairs, or the reason if it is NaN."""
        return cls(float(value), n) if np.isfinite(value) else cls(None, n, reason)


Statistic = Callable[[Floats, Floats], Estimate]


def with_interval(
    whole: Estimate, drawn: Floats, clusters: int, confidence: float, unit: Unit = "question"
) -> Estimate:
    """Add the expanded percentile interval of resampled figures, or the reason why it is missing.

    Args:
        whole: the figure over all data.
        drawn: the figure in each resample; NaN where undefined.
        clusters: the number of clusters drawn from.
        confidence: confidence level of the interval.
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
    low, high = percentiles(found, clusters, confidence)
    if high - low <= _NO_SPREAD * max(abs(low), abs(high)):
        return replace(whole, note=Message("remark", "no_spread_no_interval"))
    return replace(whole, low=low, high=high, note=few(clusters, unit))


def bootstrap_statistic(
    statistic: Statistic,
    x: Column,
    y: Column,
    clusters: Sequence[Hashable] | None = None,
    *,
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Compute the statistic with a cluster bootstrap interval (see `bootstrap.py`); independent of the pairs' order.

    The rows of each resample are written out, so any statistic is possible; `Resamples` is faster for statistics that
    can be computed for many resamples at once. Pass settings of a statistic with `functools.partial`.

    Raises:
        ValueError: a value is not finite, the lengths differ, or a setting is invalid.
    """
    check_settings(resamples, confidence)
    a, b = as_pair(x, y)
    rows, starts, sizes = _rows_by_cluster(a, b, as_groups(clusters, len(a)))
    k = len(starts)
    whole = statistic(a, b)
    if whole.value is None or k < 2:
        return with_interval(whole, np.empty(0), k, confidence)
    values = [
        statistic(a[index], b[index]).value
        for drawn in draws(k, resamples, seed)
        for resample in drawn
        for index in (rows[_ranges(starts[resample], sizes[resample])],)
    ]
    return with_interval(whole, np.array(values, dtype=np.float64), k, confidence)


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
