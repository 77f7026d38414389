"""Figures over a thousand resamples at once: a resample is a weight per row, the number of times it was drawn.

A figure that is a function of sums needs one matrix product (`sums`); a figure of ranks or pairs is recounted with
weights (`each`, see `ranks.py`). The results equal those of the resampled rows written out.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saiten.stats.clusters import CELLS, Floats, Ints, batches, check_resamples, quotient
from saiten.stats.estimate import Estimate, with_interval
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Resamples:
    """Clusters drawn with replacement, with the same draws for every figure."""

    groups: Ints
    """The number of each row's cluster, from 0."""
    clusters: int
    resamples: int = 1_000
    seed: int = 0

    @classmethod
    def of(cls, labels: Sequence[Hashable], *, resamples: int = 1_000, seed: int = 0) -> "Resamples":
        """Build from the rows' cluster labels; clusters are numbered by label, so that the rows' order does not matter.

        Raises:
            ValueError: `resamples` is below 1.
        """
        check_resamples(resamples)
        numbers = {label: number for number, label in enumerate(sorted(set(labels), key=lambda x: (str(type(x)), x)))}
        groups = np.array([numbers[label] for label in labels], dtype=np.int64)
        return cls(groups, len(numbers), resamples, seed)

    def only(self, rows: Ints) -> "Resamples":
        """Return the draws restricted to some of the rows; clusters without a remaining row are no longer counted."""
        kept, groups = np.unique(self.groups[rows], return_inverse=True)
        return replace(self, groups=groups.astype(np.int64), clusters=len(kept))

    def counts(self) -> Iterator[Floats]:
        """Yield each cluster's count per resample: arrays of shape (some resamples, clusters)."""
        if not self.clusters:
            return
        random = np.random.default_rng(self.seed)
        for rows in batches(self.resamples, CELLS // max(self.clusters, len(self.groups))):
            drawn = random.integers(0, self.clusters, size=(rows, self.clusters))
            drawn += np.arange(rows)[:, None] * self.clusters
            flat = np.bincount(drawn.ravel(), minlength=rows * self.clusters)
            yield flat.reshape(rows, self.clusters).astype(np.float64)

    def sums(self, features: Floats) -> Floats:
        """Compute the sums of features (rows x features) in each resample: shape (resamples, features)."""
        by_cluster = cluster_sums(features, self.groups, self.clusters)
        parts = [counts @ by_cluster for counts in self.counts()]
        return np.concatenate(parts) if parts else np.empty((0, features.shape[1]))

    def each(self, figure: Callable[[Floats], Floats]) -> Floats:
        """Compute a figure of weights (some resamples x rows) for every resample."""
        parts = [figure(counts[:, self.groups]) for counts in self.counts()]
        return np.concatenate(parts) if parts else np.empty(0)

    def interval(self, whole: Estimate, drawn: Floats) -> Estimate:
        """Return the estimate with the interval of the resampled figures, or why it has none; NaN is undefined."""
        return with_interval(whole, drawn, self.clusters)

    def mean(self, values: Floats) -> Estimate:
        """Compute the mean of the values with its interval; NaN is a missing value."""
        known = np.isfinite(values)
        n = int(known.sum())
        if not n:
            return self.interval(Estimate(None, 0, Message("remark", "no_values")), np.empty(0))
        seen, sums = self.sums(np.stack([known, np.where(known, values, 0.0)], axis=1).astype(np.float64)).T
        return self.interval(Estimate(float(values[known].mean()), n), quotient(sums, seen))


def cluster_sums(features: Floats, groups: Ints, clusters: int) -> Floats:
    """Add up features (rows x features) by cluster: shape (clusters, features)."""
    columns = [np.bincount(groups, weights=column, minlength=clusters) for column in features.T]
    return np.stack(columns, axis=1) if columns else np.empty((clusters, 0))
