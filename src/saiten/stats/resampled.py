"""Figures over a thousand resamples at once: a resample is a weight for each row, the number of times it was drawn.

Whatever is a function of sums (Pearson, agreement, kappa, differences of means) needs one matrix product. Ranks and
Kendall's concordant pairs are recounted with weights, over structures that are sorted once: O(n log g) a resample, g
being the number of different values in the coarser column, where sorting anew would take O(n log n) and a library call.
The figures are exactly those of the resampled rows written out.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saiten.stats.bootstrap import few, percentiles
from saiten.stats.clusters import Floats, Ints, check_settings
from saiten.stats.correlation import Estimate

CELLS = 2_000_000
"""Weights (resamples x rows) that are held at once: 16 MB."""

SLACK = 0.95
"""A figure that is undefined in more of the resamples than the rest gets no interval."""


@dataclass(frozen=True, slots=True)
class Resamples:
    """Clusters drawn with replacement, the same draws for every figure that is asked for."""

    groups: Ints
    """The number of each row's cluster, from 0."""
    clusters: int
    resamples: int = 1_000
    confidence: float = 0.95
    seed: int = 0

    @classmethod
    def of(
        cls, labels: Sequence[Hashable], *, resamples: int = 1_000, confidence: float = 0.95, seed: int = 0
    ) -> "Resamples":
        """Rows with their clusters' labels; the clusters are numbered by label, so that the rows' order is no matter.

        Raises:
            ValueError: a setting makes no interval.
        """
        check_settings(resamples, confidence)
        numbers = {label: number for number, label in enumerate(sorted(set(labels), key=lambda x: (str(type(x)), x)))}
        groups = np.array([numbers[label] for label in labels], dtype=np.int64)
        return cls(groups, len(numbers), resamples, confidence, seed)

    def only(self, rows: Ints) -> "Resamples":
        """The same draws seen from some of the rows; clusters of which none is left are no longer counted."""
        kept, groups = np.unique(self.groups[rows], return_inverse=True)
        return replace(self, groups=groups.astype(np.int64), clusters=len(kept))

    def counts(self) -> Iterator[Floats]:
        """How often each cluster is in each resample: arrays of shape (some resamples, clusters)."""
        if not self.clusters:
            return
        random = np.random.default_rng(self.seed)
        most = max(1, CELLS // max(self.clusters, len(self.groups)))
        for start in range(0, self.resamples, most):
            rows = min(most, self.resamples - start)
            drawn = random.integers(0, self.clusters, size=(rows, self.clusters))
            drawn += np.arange(rows)[:, None] * self.clusters
            flat = np.bincount(drawn.ravel(), minlength=rows * self.clusters)
            yield flat.reshape(rows, self.clusters).astype(np.float64)

    def sums(self, features: Floats) -> Floats:
        """The sums of features (rows x features) in each resample: shape (resamples, features)."""
        by_cluster = cluster_sums(features, self.groups, self.clusters)
        parts = [counts @ by_cluster for counts in self.counts()]
        return np.concatenate(parts) if parts else np.empty((0, features.shape[1]))

    def each(self, figure: Callable[[Floats], Floats]) -> Floats:
        """A figure of weights (some resamples x rows), for every resample."""
        parts = [figure(counts[:, self.groups]) for counts in self.counts()]
        return np.concatenate(parts) if parts else np.empty(0)

    def interval(self, whole: Estimate, values: Floats) -> Estimate:
        """The estimate with the interval that the resampled figures give, or why there is none; NaN is undefined."""
        k = self.clusters
        if whole.value is None:
            return replace(whole, clusters=k)
        if k < 2:
            return replace(whole, clusters=k, note="a single cluster tells nothing about the spread between clusters")
        found = values[np.isfinite(values)]
        if len(found) < SLACK * len(values):
            lost = f"undefined in {len(values) - len(found)} of {len(values)} resamples, so no interval"
            return replace(whole, clusters=k, note=lost)
        low, high = percentiles(found, k, self.confidence)
        if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
            return replace(whole, clusters=k, note="resampling shows no spread, so no interval")
        return replace(whole, clusters=k, low=low, high=high, note=few(k))


def cluster_sums(features: Floats, groups: Ints, clusters: int) -> Floats:
    """Features (rows x features) added up by cluster: shape (clusters, features)."""
    columns = [np.bincount(groups, weights=column, minlength=clusters) for column in features.T]
    return np.stack(columns, axis=1) if columns else np.empty((clusters, 0))


# ------------------------------------------------------------------------------------------- functions of sums


def moments(x: Floats, y: Floats) -> Floats:
    """The features of Pearson's correlation, (rows x 6); centred and scaled first, so that nothing is lost."""
    a, b = standard(x), standard(y)
    return np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1)


def pearson_of(sums: Floats) -> Floats:
    """Pearson's correlation from sums of `moments`, (… x 6); NaN where a column is constant."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        across = n * xy - x * y
        spread_x, spread_y = n * xx - x * x, n * yy - y * y
        # what the subtraction leaves of a constant column is rounding, small beside what it was taken from
        real = (spread_x > 1e-13 * n * xx) & (spread_y > 1e-13 * n * yy)
        return np.where(real, np.clip(across / np.sqrt(spread_x * spread_y), -1, 1), np.nan)


def standard(values: Floats) -> Floats:
    """Mean 0, spread 1; all 0 where the values do not differ."""
    if not len(values):
        return values
    away: Floats = values - values.mean()
    spread = float(np.sqrt((away * away).mean()))
    return away / spread if spread > 1e-12 * max(float(np.abs(values).max()), 1e-300) else np.zeros_like(away)


def kappa_features(x: Floats, y: Floats, power: int) -> tuple[Floats, Floats]:
    """The features of weighted kappa, (rows x 2 + 2 kinds), and how far every two kinds are apart, to this power."""
    kinds = np.unique(np.concatenate([x, y]))
    columns = [np.abs(x - y) ** power, *(x == kind for kind in kinds), *(y == kind for kind in kinds), np.ones_like(x)]
    apart: Floats = np.abs(kinds[:, None] - kinds) ** power
    return np.stack(columns, axis=1).astype(np.float64), apart


def weighted_kappa_of(sums: Floats, apart: Floats) -> Floats:
    """Weighted kappa from sums of `kappa_features`, (draws x features); NaN where both give one same value only."""
    kinds = len(apart)
    cost, ours, theirs, n = sums[:, 0], sums[:, 1 : 1 + kinds], sums[:, 1 + kinds : 1 + 2 * kinds], sums[:, -1]
    with np.errstate(invalid="ignore", divide="ignore"):
        by_chance = np.einsum("ij,jk,ik->i", ours, apart, theirs, optimize=True) / n
        return np.where(by_chance > 0, 1 - cost / by_chance, np.nan)


def linear_kappa_each(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """Linearly weighted kappa as a function of weights."""
    features, apart = kappa_features(x, y, 1)
    return lambda weights: weighted_kappa_of(weights @ features, apart)


def kind_features(x: Floats, y: Floats, kinds: Floats) -> Floats:
    """The features of macro F1, (rows x 1 + 3 kinds): 1, then for each kind whether x, y and both are of it."""
    columns = [np.ones(len(x), dtype=bool)]
    for kind in kinds:
        columns += [x == kind, y == kind, (x == kind) & (y == kind)]
    return np.stack(columns, axis=1).astype(np.float64)


def macro_f1_of(sums: Floats) -> Floats:
    """The mean F1 of the kinds that either side has, from sums of `kind_features`; NaN without any."""
    size = sums[:, 1::3] + sums[:, 2::3]
    with np.errstate(invalid="ignore", divide="ignore"):
        each = np.where(size > 0, 2 * sums[:, 3::3] / size, 0.0)
        return np.asarray(each.sum(axis=1) / (size > 0).sum(axis=1), np.float64)


def macro_f1_each(x: Floats, y: Floats, kinds: Floats) -> Callable[[Floats], Floats]:
    """Macro F1 as a function of weights."""
    features = kind_features(x, y, kinds)
    return lambda weights: macro_f1_of(weights @ features)


# ------------------------------------------------------------------------------------------ correlations, row by row

EQUAL = 1e-12
"""Means of the same values in another order differ by this much, relative to the larger one."""


def apart(a: Floats, b: Floats) -> Floats:
    """1 where a is above b, -1 where it is below, 0 where they are equal but for rounding; NaN stays."""
    return np.where(np.abs(a - b) <= EQUAL * np.maximum(np.abs(a), np.abs(b)), 0.0, np.sign(a - b))


def correlations_by_row(x: Floats, y: Floats) -> Floats:
    """Pearson, Spearman and Kendall's tau-b of each row of x with that of y: (rows x 3), NaN where undefined."""
    size = x.shape[1]
    rows = max(1, CELLS // max(1, size**2))
    parts = [_by_row(x[at : at + rows], y[at : at + rows]) for at in range(0, len(x), rows)]
    return np.concatenate(parts) if parts else np.empty((0, 3))


def _by_row(x: Floats, y: Floats) -> Floats:
    orders = [apart(side[:, :, None], side[:, None, :]) for side in (x, y)]
    ranked = [order.sum(axis=2) for order in orders]
    flat = [order.reshape(len(order), -1) for order in orders]
    return np.stack([_cosine(_centered(x), _centered(y)), _cosine(*ranked), _cosine(*flat)], axis=1)


def _centered(values: Floats) -> Floats:
    away: Floats = values - values.mean(axis=1, keepdims=True)
    spread = np.abs(away).max(axis=1, keepdims=True)
    return np.where(spread <= EQUAL * np.abs(values).max(axis=1, keepdims=True), 0.0, away)


def _cosine(a: Floats, b: Floats) -> Floats:
    room = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(room > 0, (a * b).sum(axis=1) / room, np.nan)


# ------------------------------------------------------------------------------------- ranks and pairs, recounted


def spearman_each(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """Spearman's correlation as a function of weights; the ranks are those within the resample."""
    rank_x, rank_y = _ranks_each(x), _ranks_each(y)

    def figure(weights: Floats) -> Floats:
        a, b = rank_x(weights), rank_y(weights)
        n = weights.sum(axis=1)
        middle = ((n + 1) / 2)[:, None]
        a -= middle
        b -= middle
        weighted = a * weights
        across = np.einsum("ij,ij->i", weighted, b)
        spread_a = np.einsum("ij,ij->i", weighted, a)
        b *= b
        spread_b = np.einsum("ij,ij->i", weights, b)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(np.minimum(spread_a, spread_b) > 0, across / np.sqrt(spread_a * spread_b), np.nan)

    return figure


def kendall_each(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """Kendall's tau-b as a function of weights."""
    balance = concordance_each(x, y)
    tied_x, tied_y = _tied_each(x), _tied_each(y)

    def figure(weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        pairs = n * (n - 1) / 2
        room = (pairs - tied_x(weights)) * (pairs - tied_y(weights))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(room > 0, balance(weights) / np.sqrt(room), np.nan)

    return figure


def auroc_each(labels: Floats, scores: Floats) -> Callable[[Floats], Floats]:
    """AUROC as a function of weights; `labels` are 0 and 1."""
    balance = concordance_each(labels, scores)

    def figure(weights: Floats) -> Floats:
        positives = weights @ labels
        pairs = positives * (weights.sum(axis=1) - positives)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(pairs > 0, (balance(weights) / pairs + 1) / 2, np.nan)

    return figure


def concordance_each(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """Pairs ordered alike minus pairs ordered otherwise, as a function of weights.

    Two rows differ in x exactly if there is a bit at which their dense ranks first differ. Bit by bit, the rows that
    agree above it are laid beside each other, sorted by y; then a row with the bit set meets all those without it in
    running sums. The columns change places where y has fewer values, since the bits are what costs.
    """
    codes, others = _codes(x), _codes(y)
    if len(codes) and codes.max() > others.max():
        codes, others = others, codes
    levels = [_level(codes, others, bit) for bit in range(int(codes.max()).bit_length() if len(codes) else 0)]

    def figure(weights: Floats) -> Floats:
        total = np.zeros(len(weights))
        for upper, lower, starts, ends, first, last in levels:
            running = np.zeros((len(weights), len(lower) + 1))
            np.cumsum(weights[:, lower], axis=1, out=running[:, 1:])
            seen = running[:, starts]
            seen += running[:, ends]
            seen -= running[:, first]
            seen -= running[:, last]
            total += np.einsum("ij,ij->i", weights[:, upper], seen)
        return total

    return figure


def _level(codes: Ints, others: Ints, bit: int) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Where the rows with the bit set find, among those without it, the ends of their tie and of their block."""
    block, high = codes >> (bit + 1), (codes >> bit) & 1
    span = int(others.max()) + 2
    key = block * span + others
    lower = np.flatnonzero(high == 0)
    lower = lower[np.argsort(key[lower], kind="stable")]
    upper = np.flatnonzero(high == 1)
    upper = upper[np.argsort(key[upper], kind="stable")]  # neighbours ask for neighbouring places
    held = key[lower]
    begin = np.searchsorted(held, block[upper] * span)
    finish = np.searchsorted(held, block[upper] * span + span - 1, side="right")
    starts = np.searchsorted(held, key[upper], side="left")
    ends = np.searchsorted(held, key[upper], side="right")
    met = finish > begin
    return upper[met], lower, starts[met], ends[met], begin[met], finish[met]


def _ranks_each(values: Floats) -> Callable[[Floats], Floats]:
    """Mid-ranks as a function of weights: what is lower, and half of what is equal."""
    codes = _codes(values)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(int(codes.max()) + 1)) if len(codes) else codes

    def figure(weights: Floats) -> Floats:
        at = np.add.reduceat(weights[:, order], starts, axis=1)
        return (np.cumsum(at, axis=1) - (at - 1) / 2)[:, codes]

    return figure


def _tied_each(values: Floats) -> Callable[[Floats], Floats]:
    """Pairs that are equal, as a function of weights."""
    codes = _codes(values)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(int(codes.max()) + 1)) if len(codes) else codes

    def figure(weights: Floats) -> Floats:
        at = np.add.reduceat(weights[:, order], starts, axis=1)
        pairs: Floats = np.einsum("ij,ij->i", at, at - 1) / 2
        return pairs

    return figure


def _codes(values: Floats) -> Ints:
    codes: Ints = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return codes
