"""Tests of whether one of two metrics is closer to people, for two figures over the same items.

`swap_tests` exchanges the two metrics' scores question by question, which leaves the distribution unchanged if neither
is better, and counts how often chance produces a difference as large (Noreen 1989; Deutsch, Dror and Roth 2021, *A
Statistical Analysis of Summarization Evaluation Metrics using Resampling Methods*, PERM-BOTH, here by question instead
of by item). Scores are first brought to a common scale: standardized for Pearson, ranked for Spearman and AUROC;
decisions stay unchanged. Figures that are not functions of sums (Kendall's tau-b, kappa with linear weights) would have
to be recounted for every swap of every two metrics; `bootstrap_test` needs only one recount per metric and resample.
`williams` is the classical test (Williams 1959; Graham and Baldwin 2014), fast and deterministic, but it assumes
independent items and normally distributed scores.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from saiten.stats.clusters import CHUNK, Column, Floats, Ints, batches
from saiten.stats.correlation import pearson
from saiten.stats.estimate import SLACK
from saiten.stats.resampling import cluster_sums
from saiten.words import Message

PERMUTATIONS = 5_000
_NO_SPREAD = 1e-12

OfSums = Callable[[Floats], Floats]
"""A figure from sums of columns: shape (… × columns) to (…)."""


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """Test of whether two correlations with the same third column differ."""

    t: float | None
    """Student's t with n - 3 degrees of freedom, above 0 if the first correlation is higher; None with a reason."""
    p_value: float | None
    """Two-sided."""
    n: int
    reason: Message | None = None


def williams(first: Column, second: Column, people: Column) -> WilliamsTest:
    """Test whether `first` correlates with `people` more closely than `second` does.

    Raises:
        ValueError: a value is not finite, or the lengths differ.
    """
    r12, r13, r23 = (pearson(a, b) for a, b in ((people, first), (people, second), (first, second)))
    if r12.value is None or r13.value is None or r23.value is None:
        return WilliamsTest(None, None, r12.n, r12.reason or r13.reason or r23.reason)
    return williams_test(r12.value, r13.value, r23.value, r12.n)


def williams_test(r12: float, r13: float, r23: float, n: int) -> WilliamsTest:
    """Compute the test from three correlations over n items; 1 is the column that 2 and 3 are correlated with."""
    from scipy.special import stdtr  # noqa: PLC0415 - takes a quarter of a second to import

    if n < 4:
        return WilliamsTest(None, None, n, Message("remark", "few_compared", n=n, least=4))
    determinant = 1 - r12 * r12 - r13 * r13 - r23 * r23 + 2 * r12 * r13 * r23
    below = 2 * (n - 1) / (n - 3) * determinant + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if r23 > 1 - 1e-12 or below <= 1e-15:
        return WilliamsTest(None, None, n, Message("remark", "same_columns"))
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    return WilliamsTest(t, 2 * float(stdtr(n - 3, -abs(t))), n)


@dataclass(frozen=True, slots=True, eq=False)
class SummedPair:
    """Two metrics on the items that both measured, for a figure that is a function of sums over items."""

    first: Floats
    """Columns to add up (items × columns), from the first metric's values and people's."""
    second: Floats
    """Columns to add up (items × columns), from the second metric's values and people's."""
    figure: OfSums


def swap_tests(
    pairs: Sequence[SummedPair],
    groups: Sequence[Ints],
    clusters: int,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> list[tuple[float | None, float | None]]:
    """Compute figure(first) - figure(second) of each pair and its two-sided p-value; None where undefined.

    All pairs are tested with the same swaps. The p-value is (1 + as extreme) / (1 + permutations), which is never 0
    (Phipson and Smyth 2010). A swap that leaves a figure undefined counts as extreme.

    Args:
        pairs: the metrics.
        groups: per pair the number of each item's cluster, the same numbers for all pairs.
        clusters: the number of clusters; the draws depend on it.
        permutations: how often clusters are swapped.
        seed: seed of the swaps.

    Raises:
        ValueError: the columns of a pair are not of the same items.
    """
    for each, of in zip(pairs, groups, strict=True):
        if not len(each.first) == len(each.second) == len(of):
            raise ValueError(
                f"{len(each.first)}, {len(each.second)} and {len(of)} rows; they must be of the same items"
            )
    if not clusters:
        return [(None, None) for _ in pairs]
    moved = [cluster_sums(each.second - each.first, of, clusters) for each, of in zip(pairs, groups, strict=True)]
    wholes = [(each.first.sum(axis=0), each.second.sum(axis=0)) for each in pairs]
    with np.errstate(invalid="ignore", divide="ignore"):
        seen = [float(each.figure(a) - each.figure(b)) for each, (a, b) in zip(pairs, wholes, strict=True)]
        extreme = np.zeros(len(pairs), dtype=np.int64)
        random = np.random.default_rng(seed)
        for rows in batches(permutations, CHUNK // clusters):
            swapped = random.integers(0, 2, size=(rows, clusters)).astype(np.float64)
            for i, (each, (a, b)) in enumerate(zip(pairs, wholes, strict=True)):
                by = swapped @ moved[i]
                difference = np.abs(each.figure(a + by) - each.figure(b - by))
                extreme[i] += int((~(difference < abs(seen[i]) - 1e-9)).sum())  # so that NaN counts
    return [
        (s, (int(e) + 1) / (permutations + 1)) if math.isfinite(s) else (None, None)
        for e, s in zip(extreme, seen, strict=True)
    ]


def bootstrap_test(difference: float, first: Floats, second: Floats, clusters: int) -> float | None:
    """Compute the two-sided p-value of a difference of two figures by its spread over resamples; None if undefined.

    Student's t with clusters - 1 degrees of freedom, for the difference over its bootstrap standard error (Efron and
    Tibshirani 1993, *An Introduction to the Bootstrap*, chapter 6), widened by √(n/(n-1)) for few clusters. Two figures
    that are equal in every resample have the p-value 1.

    Args:
        difference: first minus second, over all items.
        first: the first figure in each resample, NaN where undefined.
        second: the second figure in the same resamples.
        clusters: the number of clusters drawn from.
    """
    from scipy.special import stdtr  # noqa: PLC0415 - takes a quarter of a second to import

    apart = first - second
    found = apart[np.isfinite(apart)]
    if clusters < 2 or len(found) < max(2.0, SLACK * len(apart)):
        return None
    spread = float(found.std(ddof=1)) * math.sqrt(clusters / (clusters - 1))
    if spread <= _NO_SPREAD:
        return 1.0 if abs(difference) <= _NO_SPREAD else None
    return 2 * float(stdtr(clusters - 1, -abs(difference) / spread))
