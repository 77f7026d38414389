"""The ratio of two means over pairs, with an interval.

Within a group (a model) the mean is over its pairs; over several groups the means are first averaged with equal weights
and then divided: the ratio of the means over nine models of the paper on serial and parallel chains (spec 03). The
interval resamples clusters (questions) for all groups together, since a question that is long for one model is long for
all. It is the percentile interval of `bootstrap.py`, which follows the skew of a ratio.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from saiten.stats.bootstrap import RESAMPLES, few, percentiles
from saiten.stats.clusters import Column, Floats, Ints, as_floats, as_groups, check_settings, draws
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio with its interval, or the reason why it is undefined."""

    ratio: float | None
    """Mean of the first over mean of the second; None if there are no pairs or the second mean is 0."""
    low: float | None
    """Lower end of the interval, or None."""
    high: float | None
    """Upper end of the interval, or None."""
    n: int
    """Number of pairs."""
    clusters: int
    """Number of clusters they come from."""
    note: Message | None = None
    """Why there is no ratio or no interval, or a caveat about it."""


def ratio_of_means(
    first: Column,
    second: Column,
    clusters: Sequence[Hashable] | None = None,
    groups: Sequence[Hashable] | None = None,
    *,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 0,
) -> Ratio:
    """Compute the mean of first over the mean of second.

    Args:
        first: one value per pair, not negative.
        second: the other value of each pair, not negative.
        clusters: a label per pair, for example the question; None makes each pair its own cluster.
        groups: a label per pair, for example the model; None makes one group of all.
        resamples: draws for the interval.
        confidence: how often the interval should contain the true ratio.
        seed: seed of the draws.

    Raises:
        ValueError: a value is negative or not finite, the lengths differ, or a setting is invalid.
    """
    check_settings(resamples, confidence)
    a, b = as_floats(first, "first"), as_floats(second, "second")
    if len(a) != len(b):
        raise ValueError(f"first has {len(a)} values and second has {len(b)}; give pairs")
    if (a < 0).any() or (b < 0).any():
        raise ValueError("a ratio of means is for what cannot be negative, such as seconds; a negative value came")
    if not len(a):
        return Ratio(None, None, None, 0, 0, Message("remark", "no_pairs"))
    by_cluster = as_groups(clusters, len(a))
    by_group = as_groups([None] * len(a) if groups is None else groups, len(a))
    k = int(by_cluster.max()) + 1
    sums = _Sums(_table(by_group, by_cluster, a), _table(by_group, by_cluster, b), _table(by_group, by_cluster, None))
    everything = np.arange(k)[np.newaxis, :]
    whole = sums.ratios(everything)
    if not np.isfinite(whole[0]):
        return Ratio(None, None, None, len(a), k, Message("remark", "second_mean_0"))
    ratio = float(whole[0])
    if k == 1:
        return Ratio(ratio, None, None, len(a), k, Message("remark", "single_question"))
    drawn = np.concatenate([sums.ratios(each) for each in draws(k, resamples, seed)])
    drawn = drawn[np.isfinite(drawn)]  # a draw may have left a group without pairs
    if not len(drawn) or np.ptp(drawn) <= 1e-12 * np.abs(drawn).max():
        return Ratio(ratio, None, None, len(a), k, Message("remark", "no_spread"))
    low, high = percentiles(drawn, k, confidence)
    return Ratio(ratio, low, high, len(a), k, few(k))


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums and sizes by group and cluster: arrays of shape (groups, clusters)."""

    first: Floats
    second: Floats
    sizes: Floats

    def ratios(self, drawn: Ints) -> Floats:
        """Compute the ratio per row of drawn clusters; NaN where a group has no pair or the second mean is 0."""
        above, below = np.zeros(len(drawn)), np.zeros(len(drawn))
        with np.errstate(divide="ignore", invalid="ignore"):
            for first, second, sizes in zip(self.first, self.second, self.sizes, strict=True):
                size = sizes[drawn].sum(axis=1)
                above += first[drawn].sum(axis=1) / size
                below += second[drawn].sum(axis=1) / size
            ratios: Floats = above / below
        return ratios


def _table(groups: Ints, clusters: Ints, values: Floats | None) -> Floats:
    table = np.zeros((int(groups.max()) + 1, int(clusters.max()) + 1))
    np.add.at(table, (groups, clusters), 1.0 if values is None else values)
    return table
