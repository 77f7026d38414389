"""The ratio of two means over pairs, with an interval.

Within a group (a model) the mean is over its pairs; over several groups the means are first averaged with equal weights
and then divided: the ratio of the means over nine models of the paper on serial and parallel chains (spec 03). The
interval resamples clusters (questions) for all groups together, since a question that is long for one model is long for
all. It is the percentile interval of `estimate.py`, which follows the skew of a ratio.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saiten.stats.clusters import Column, Floats, Ints, as_groups, as_pair, check_resamples, draws
from saiten.stats.estimate import RESAMPLES, Estimate, few, percentiles
from saiten.words import Message


def ratio_of_means(
    first: Column,
    second: Column,
    clusters: Sequence[Hashable] | None = None,
    groups: Sequence[Hashable] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Compute the mean of first over the mean of second.

    Args:
        first: one value per pair, not negative.
        second: the other value of each pair, not negative.
        clusters: a label per pair, for example the question; None makes each pair its own cluster.
        groups: a label per pair, for example the model; None makes one group of all.
        resamples: draws for the interval.
        seed: seed of the draws.

    Raises:
        ValueError: a value is negative or not finite, the lengths differ, or `resamples` is below 1.
    """
    check_resamples(resamples)
    a, b = as_pair(first, second, ("first", "second"))
    if (a < 0).any() or (b < 0).any():
        raise ValueError("a ratio of means needs values of 0 or more, such as seconds, but there is a negative one")
    if not len(a):
        return Estimate(None, 0, Message("remark", "no_pairs"), clusters=0)
    by_cluster = as_groups(clusters, len(a))
    by_group = as_groups([None] * len(a) if groups is None else groups, len(a))
    k = int(by_cluster.max()) + 1
    sums = _GroupSums(*(_table(by_group, by_cluster, values) for values in (a, b, np.ones(len(a)))))
    everything = np.arange(k)[np.newaxis, :]
    whole = sums.ratios(everything)
    if not np.isfinite(whole[0]):
        return Estimate(None, len(a), Message("remark", "second_mean_0"), clusters=k)
    found = Estimate(float(whole[0]), len(a), clusters=k)
    if k == 1:
        return replace(found, note=Message("remark", "single_question"))
    drawn = np.concatenate([sums.ratios(each) for each in draws(k, resamples, seed)])
    drawn = drawn[np.isfinite(drawn)]  # a draw may have left a group without pairs
    if not len(drawn) or np.ptp(drawn) <= 1e-12 * np.abs(drawn).max():
        return replace(found, note=Message("remark", "no_spread"))
    low, high = percentiles(drawn, k)
    return replace(found, low=low, high=high, note=few(k))


@dataclass(frozen=True, slots=True)
class _GroupSums:
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


def _table(groups: Ints, clusters: Ints, values: Floats) -> Floats:
    table = np.zeros((int(groups.max()) + 1, int(clusters.max()) + 1))
    np.add.at(table, (groups, clusters), values)
    return table
