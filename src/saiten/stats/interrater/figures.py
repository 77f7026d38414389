"""Agreement figures from tallies, for many resamples at once; NaN means undefined within this module.

Every function takes sums of shape (resamples, columns) and gives one figure per resample. Sources: Fleiss 1971,
*Measuring Nominal Scale Agreement Among Many Raters*; Krippendorff 2011, *Computing Krippendorff's Alpha-Reliability*;
Cohen 1960 and 1968 (weights by the distance of the values).
"""

import numpy as np

from saiten.stats.classification import Weights, chance_corrected, cohen_kappa_of
from saiten.stats.clusters import Floats, Ints
from saiten.stats.interrater.tallies import BASIC, Tallies

FIGURES = ("percent", "by_chance", "fleiss", "nominal", "ordinal", "interval")
"""The rows that `among` returns, in this order."""

WEIGHTS: tuple[Weights, ...] = (None, "linear", "quadratic")
"""The rows that `kappas` returns for each pair, in this order."""


def among(sums: Floats, tallies: Tallies) -> Floats:
    """Compute the figures of `FIGURES` over all annotators: shape (figures, resamples)."""
    items, equal, n, total, squares, differing, apart = sums[:, :BASIC].T
    kinds = len(tallies.kinds)
    counts = sums[:, BASIC : BASIC + kinds]
    with np.errstate(divide="ignore", invalid="ignore"):
        percent = equal / items
        interval = chance_corrected(apart, 2 * (n * squares - total**2) / (n - 1))
        if not kinds:  # too many different values for categories
            none = np.full_like(n, np.nan)
            return np.stack([percent, none, none, none, none, interval])
        unlike = n**2 - (counts**2).sum(axis=1)  # exact, so 0 exactly where all labels are the same
        by_chance = 1 - unlike / (n * (n - 1))
        fleiss = chance_corrected(1 - percent, unlike / n**2)
        nominal = chance_corrected(differing * (n - 1), unlike)
        ordinal = _ordinal(sums, tallies, counts, n)
    constant = unlike == 0
    figures = np.stack([percent, by_chance, fleiss, nominal, ordinal, interval])
    figures[2:, constant] = np.nan
    return figures


def kappas(sums: Floats, tallies: Tallies) -> Floats:
    """Compute Cohen's kappa of each pair of annotators: shape (weights, resamples, pairs)."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - as in `tally`

    cells = sums[:, BASIC + len(tallies.kinds) + len(tallies.met[0]) :]
    x, pairs = tallies.kinds, len(tallies.pairs)
    one, other = tallies.said
    begins = np.searchsorted(tallies.pair, np.arange(pairs))
    rows = len(cells)

    def margin(said: Ints) -> Floats:
        """Count how often the annotator gave each value: shape (resamples, pairs, values)."""
        places = (np.ones(len(said)), (tallies.pair * len(x) + said, np.arange(len(said))))
        sum_up = csr_array(places, shape=(pairs * len(x), len(said)))
        return np.asarray(sum_up @ cells.T).T.reshape(rows, pairs, len(x))

    a, b = margin(one), margin(other)
    distance = np.abs(x[one] - x[other])
    figures = np.empty((len(WEIGHTS), rows, pairs))
    for place, (weights, cost) in enumerate(zip(WEIGHTS, (distance > 0, distance, distance**2), strict=True)):
        figures[place] = cohen_kappa_of(np.add.reduceat(cells * cost, begins, axis=1), a, b, x, weights)
    return figures


def shared_items(sums: Floats, tallies: Tallies) -> Floats:
    """Count, per pair of annotators, the items that both labelled and those on which they agree: shape (2, pairs)."""
    cells = sums[0, BASIC + len(tallies.kinds) + len(tallies.met[0]) :]
    one, other = tallies.said
    pairs = len(tallies.pairs)
    return np.stack([np.bincount(tallies.pair, cells * each, pairs) for each in (1.0, one == other)])


def _ordinal(sums: Floats, tallies: Tallies, counts: Floats, n: Floats) -> Floats:
    """Compute alpha for grades: grades are as far apart as their mean ranks, which equals Krippendorff's distance."""
    rank = (np.cumsum(counts, axis=1) - counts / 2) / n[:, None] - 0.5  # its mean over the labels is 0
    low, high = tallies.met
    begin = BASIC + len(tallies.kinds)
    together = sums[:, begin : begin + len(low)]
    observed = 2 * (together * (rank[:, low] - rank[:, high]) ** 2).sum(axis=1)
    expected = 2 * n * (counts * rank**2).sum(axis=1) / (n - 1)
    return chance_corrected(observed, expected)
