"""Figures of two columns of categories (verdicts, grades, …): agreement, Cohen's kappa, F1, balanced accuracy.

Each figure is a function of counts that add up over rows. Counts of the original rows give the figure; counts of
resampled or swapped rows, along the leading axes, give it for all of them at once. NaN is undefined.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from saiten.stats.clusters import Column, Floats, as_pair, quotient
from saiten.stats.estimate import Estimate
from saiten.words import Message

MOST_KINDS = 500
"""Maximum number of distinct values that kappa treats as grades; its table has the square of this."""

VERDICTS = np.array([0.0, 1.0])

Weights = Literal["linear", "quadratic"] | None
"""The weight of a disagreement: 1 (None), the distance of the two values, or its square."""

_POWERS: dict[Weights, int] = {None: 0, "linear": 1, "quadratic": 2}


@dataclass(frozen=True, slots=True)
class CategoryCounts:
    """Counts per category; the categories are along the last axis."""

    n: Floats
    """Number of rows."""
    first: Floats
    """Rows whose first value is this category."""
    second: Floats
    """Rows whose second value is this category."""
    both: Floats
    """Rows whose two values are this category."""

    @classmethod
    def of_sums(cls, sums: Floats) -> "CategoryCounts":
        """Return the counts from sums of `category_features` (… × features)."""
        return cls(sums[..., 0], sums[..., 1::3], sums[..., 2::3], sums[..., 3::3])

    @classmethod
    def of(cls, x: Column, y: Column, kinds: Floats | None = None) -> "CategoryCounts":
        """Return the counts of two columns; `kinds` None: the categories that occur."""
        a, b = as_pair(x, y)
        kinds = kinds_of(a, b) if kinds is None else kinds
        return cls.of_sums(category_features(a, b, kinds).sum(axis=0))


def kinds_of(x: Floats, y: Floats) -> Floats:
    """Return the values that occur in either column, ascending."""
    return np.unique(np.concatenate([x, y]))


def category_features(x: Floats, y: Floats, kinds: Floats) -> Floats:
    """Return columns that add up to `CategoryCounts` (rows × 1 + 3 kinds)."""
    columns = [np.ones(len(x), dtype=bool)]
    for kind in kinds:
        columns += [x == kind, y == kind, (x == kind) & (y == kind)]
    return np.stack(columns, axis=1).astype(np.float64)


# --------------------------------------------------------------------------------------------- figures of counts


def agreement_of(counts: CategoryCounts) -> Floats:
    """Return the share of rows whose two values are equal; requires the counts of all categories."""
    return quotient(counts.both.sum(axis=-1), counts.n)


def kappa_of(counts: CategoryCounts) -> Floats:
    """Compute Cohen's kappa without weights; requires the counts of all categories."""
    apart = counts.n - counts.both.sum(axis=-1)
    return cohen_kappa_of(apart, counts.first, counts.second, np.arange(counts.first.shape[-1]), None)


def f1_of(counts: CategoryCounts) -> Floats:
    """Compute F1 per category, the harmonic mean of precision and recall; NaN for a category on neither side."""
    return quotient(2 * counts.both, counts.first + counts.second)


def macro_f1_of(counts: CategoryCounts) -> Floats:
    """Compute the mean F1 over the categories that occur on either side."""
    each = f1_of(counts)
    known = np.isfinite(each)
    return quotient(np.where(known, each, 0.0).sum(axis=-1), known.sum(axis=-1))


def balanced_accuracy_of(counts: CategoryCounts) -> Floats:
    """Compute the mean over categories of the share of their rows (by the first column) that the second gets right."""
    recalls: Floats = quotient(counts.both, counts.first).mean(axis=-1)
    return recalls


def cohen_kappa_of(
    disagreement: Floats, first: Floats, second: Floats, values: Floats | np.ndarray, weights: Weights
) -> Floats:
    """Compute Cohen's kappa: 1 minus the ratio of the observed disagreement to the one expected by chance.

    Source: Cohen 1960, and Cohen 1968 for weights, which are distances of the *values*: grades 1 and 5 are 4 apart even
    if no one gave 2, 3 or 4 (scikit-learn counts positions among the grades that occur).

    Args:
        disagreement: the sum over rows of 1 where the values differ, of their distance, or of its square.
        first: how often the first column has each value (… × values).
        second: how often the second column has each value (… × values).
        values: ascending; unused without weights.
        weights: the kind of disagreement.
    """
    n = first.sum(axis=-1)
    unequal = n**2 - (first * second).sum(axis=-1)  # exact, so 0 exactly where both always say the same one thing
    expected = unequal if weights is None else _expected(first, second, n, values, weights)
    return chance_corrected(n * disagreement, np.where(unequal > 0, expected, 0.0))


def chance_corrected(observed: Floats, expected: Floats) -> Floats:
    """Return 1 minus observed over expected disagreement, as in every kappa and alpha; NaN if none is expected."""
    figure: Floats = 1 - quotient(observed, expected)
    return figure


def _expected(first: Floats, second: Floats, n: Floats, values: Floats | np.ndarray, weights: Weights) -> Floats:
    """Sum the distance, or its square, over all pairs of a first and a second value."""
    if weights == "linear":
        below, under = np.cumsum(first, axis=-1)[..., :-1], np.cumsum(second, axis=-1)[..., :-1]
        crossing = below * (n[..., None] - under) + under * (n[..., None] - below)
        linear: Floats = (crossing * np.diff(values)).sum(axis=-1)
        return linear
    (mean, spread), (other_mean, other_spread) = (_moments(side, n, values) for side in (first, second))
    squares: Floats = n * (spread + other_spread) + (n * (mean - other_mean)) ** 2
    return squares


def _moments(counts: Floats, n: Floats, values: Floats | np.ndarray) -> tuple[Floats, Floats]:
    """Return the mean and the sum of squares around it, avoiding the cancelling difference of two large sums."""
    mean = quotient(counts @ values, n)
    return mean, (counts * (values - mean[..., None]) ** 2).sum(axis=-1)


# --------------------------------------------------------------------------------------------- figures of columns


def agreement(x: Column, y: Column) -> Estimate:
    """Compute the share of equal pairs; not corrected for chance, so read it together with kappa."""
    a, b = as_pair(x, y)
    return Estimate(float((a == b).mean()), len(a)) if len(a) else Estimate(None, 0, Message("remark", "no_pairs"))


def cohen_kappa(x: Column, y: Column, *, weights: Weights = None) -> Estimate:
    """Compute agreement beyond chance (`cohen_kappa_of`): 1 is full, 0 is chance, below 0 is worse than chance."""
    a, b = as_pair(x, y)
    if not len(a):
        return Estimate(None, 0, Message("remark", "no_pairs"))
    kinds, place = np.unique(np.concatenate([a, b]), return_inverse=True)
    if len(kinds) > MOST_KINDS:
        return Estimate(None, len(a), Message("remark", "kappa_of_many", n=len(kinds)))
    first, second = (np.bincount(side, minlength=len(kinds)).astype(np.float64) for side in np.split(place, 2))
    found = cohen_kappa_of(distances(a, b, weights).sum(), first, second, kinds, weights)
    return Estimate.of(found, len(a), Message("remark", "both_constant"))


def f1(truth: Column, said: Column) -> Estimate:
    """Compute F1 of 1 (`f1_of`) for two columns of 0 and 1; undefined if neither side ever says 1."""
    counts = CategoryCounts.of(truth, said, VERDICTS)
    reason = Message("remark", "never_yes" if counts.n else "no_pairs")
    return Estimate.of(f1_of(counts)[1], int(counts.n), reason)


def macro_f1(x: Column, y: Column, kinds: Floats | None = None) -> Estimate:
    """Compute the mean F1 over the categories that occur on either side (`macro_f1_of`)."""
    counts = CategoryCounts.of(x, y, kinds)
    return Estimate.of(macro_f1_of(counts), int(counts.n), Message("remark", "no_pairs"))


def balanced_accuracy(labels: Column, decisions: Column) -> Estimate:
    """Compute the mean of the shares of positives and negatives decided correctly; both columns hold 0 and 1."""
    truth, decided = as_pair(labels, decisions, ("labels", "decisions"))
    return one_class(truth) or Estimate(
        float(balanced_accuracy_of(CategoryCounts.of(truth, decided, VERDICTS))), len(truth)
    )


def one_class(truth: Floats) -> Estimate | None:
    """Return why labels of 0 and 1 allow no comparison of classes; None if both occur.

    Raises:
        ValueError: a label is neither 0 nor 1.
    """
    if not np.isin(truth, (0, 1)).all():
        raise ValueError(f"labels must be 0 or 1, but there is {truth[~np.isin(truth, (0, 1))][0]:g}")
    if not len(truth):
        return Estimate(None, 0, Message("remark", "no_pairs"))
    if truth.min() == truth.max():
        return Estimate(None, len(truth), Message("remark", "one_class", value=float(truth[0])))
    return None


# ------------------------------------------------------------------------------------ weighted kappa, many at once


def distances(x: Floats, y: Floats, weights: Weights) -> Floats:
    """Return the weight of each pair's disagreement."""
    apart: Floats = np.abs(x - y)
    return (apart > 0).astype(np.float64) if weights is None else apart ** _POWERS[weights]


@dataclass(frozen=True, slots=True)
class WeightedKappa:
    """Weighted kappa of two columns as a function of sums, so that resamples and swaps only add up."""

    kinds: Floats
    weights: Weights

    def features(self, x: Floats, y: Floats) -> Floats:
        """Return columns to add up (rows × 1 + 2 kinds): the disagreement, then each side's values."""
        columns = [distances(x, y, self.weights), *(side == kind for side in (x, y) for kind in self.kinds)]
        return np.stack(columns, axis=1).astype(np.float64)

    def figure(self, sums: Floats) -> Floats:
        """Compute kappa from sums of the features (… × features)."""
        middle = 1 + len(self.kinds)
        return cohen_kappa_of(sums[..., 0], sums[..., 1:middle], sums[..., middle:], self.kinds, self.weights)


def weighted_kappa_each(x: Floats, y: Floats, weights: Weights) -> Callable[[Floats], Floats]:
    """Return weighted kappa as a function of the rows' weights (resamples × rows)."""
    kappa = WeightedKappa(kinds_of(x, y), weights)
    features = kappa.features(x, y)
    return lambda times: kappa.figure(times @ features)


def macro_f1_each(x: Floats, y: Floats, kinds: Floats) -> Callable[[Floats], Floats]:
    """Return macro F1 as a function of the rows' weights (resamples × rows)."""
    features = category_features(x, y, kinds)
    return lambda times: macro_f1_of(CategoryCounts.of_sums(times @ features))
