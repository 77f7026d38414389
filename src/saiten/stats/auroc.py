"""AUROC: how often a random positive has a higher score than a random negative, ties counting half; 0.5 is chance.

Source: Hanley and McNeil 1982. The figure is a function of sums of the scores' ranks.
"""

from collections.abc import Callable

import numpy as np

from saiten.stats.classification import one_class
from saiten.stats.clusters import Column, Floats, as_pair, quotient
from saiten.stats.estimate import Estimate
from saiten.stats.ranks import ranks, ranks_each


def auroc(labels: Column, scores: Column) -> Estimate:
    """Compute the AUROC of scores for labels of 0 and 1 (or False and True)."""
    truth, score = as_pair(labels, scores, ("labels", "scores"))
    return one_class(truth) or Estimate(float(auroc_of(auroc_features(score, truth).sum(axis=0))), len(truth))


def auroc_features(scores: Floats, labels: Floats) -> Floats:
    """Return columns to add up (rows × 4): 1, the rank, the label, and both multiplied."""
    rank = ranks(scores)
    return np.stack([np.ones_like(rank), rank, labels, rank * labels], axis=1)


def auroc_of(sums: Floats) -> Floats:
    """Compute the AUROC from sums of `auroc_features` (… × 4); NaN without positives or negatives.

    Half plus the difference of the mean ranks of positives and negatives, divided by n. For ranks that do not add up to
    n(n + 1)/2, as after a swap of two metrics, this does not depend on which class is called 1.
    """
    n, ranked, positives, of_positives = np.moveaxis(sums, -1, 0)
    negatives = n - positives
    room = positives * negatives * n
    above = of_positives * negatives - (ranked - of_positives) * positives + room / 2  # exact up to 200,000 rows
    return quotient(above, room)


def auroc_each(labels: Floats, scores: Floats) -> Callable[[Floats], Floats]:
    """Return the AUROC as a function of the rows' weights (resamples × rows); `labels` are 0 and 1."""
    rank = ranks_each(scores)

    def figure(weights: Floats) -> Floats:
        ranked = weights * rank(weights)
        sums = [weights.sum(axis=1), ranked.sum(axis=1), weights @ labels, ranked @ labels]
        return auroc_of(np.stack(sums, axis=1))

    return figure
