"""Does a metric rank answers as people do: Pearson, Spearman and Kendall's tau-b over items, each with its interval."""

from dataclasses import dataclass

from saiten.stats.clusters import Floats
from saiten.stats.correlation import kendall, kendall_each, moments, pearson, pearson_of, spearman, spearman_each
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples


@dataclass(frozen=True, slots=True)
class ItemLevel:
    """Three correlations over the items that have both."""

    pearson: Estimate
    spearman: Estimate
    kendall: Estimate


def item_level(metric: Floats, people: Floats, resamples: Resamples) -> ItemLevel:
    """The correlations, resampled by question; undefined for constant columns and fewer than three items."""
    linear, ranked, pairs = pearson(metric, people), spearman(metric, people), kendall(metric, people)
    if linear.value is None:
        return ItemLevel(linear, ranked, pairs)
    return ItemLevel(
        resamples.interval(linear, pearson_of(resamples.sums(moments(metric, people)))),
        resamples.interval(ranked, resamples.each(spearman_each(metric, people))),
        resamples.interval(pairs, resamples.each(kendall_each(metric, people))),
    )
