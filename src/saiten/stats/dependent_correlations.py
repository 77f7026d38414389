"""Is one of two metrics closer to people than the other: tests for two figures over the same items.

`swap_tests` exchanges the two metrics' scores question by question, which changes nothing in distribution if neither is
better, and counts how often luck makes a difference as large (Noreen 1989; Deutsch, Dror and Roth 2021, *A Statistical
Analysis of Summarization Evaluation Metrics using Resampling Methods*, PERM-BOTH, here by question instead of by
item). Scores are brought to one scale first: standardised for Pearson, ranked for Spearman and AUROC; decisions as they
are. Figures that are no function of sums (Kendall's tau-b, kappa with linear weights) would have to be recounted for
every swap of every two metrics; `bootstrap_test` gets by with one recount a metric and resample. `williams` is the
classical test (Williams 1959; Graham and Baldwin 2014), quick and without luck, but it takes the items for independent
of each other and the scores for normal.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from saiten.stats.clusters import CHUNK, Column, Floats, Ints, as_floats
from saiten.stats.correlation import pearson
from saiten.stats.resampled import SLACK, cluster_sums

PERMUTATIONS = 5_000
_NO_SPREAD = 1e-12

OfSums = Callable[[Floats], Floats]
"""A figure from sums of (1, x, y, x², y², xy): shape (…, 6) to (…)."""


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """Whether two correlations with the same third column differ."""

    t: float | None
    """Student's t with n - 3 degrees of freedom, above 0 if the first correlation is higher; None with a reason."""
    p_value: float | None
    """Two-sided."""
    n: int
    reason: str | None = None


def williams(first: Column, second: Column, people: Column) -> WilliamsTest:
    """Does `first` correlate with `people` more closely than `second` does.

    Raises:
        ValueError: a value is not finite, or the lengths differ.
    """
    r12, r13, r23 = (pearson(a, b) for a, b in ((people, first), (people, second), (first, second)))
    if r12.value is None or r13.value is None or r23.value is None:
        return WilliamsTest(None, None, r12.n, r12.reason or r13.reason or r23.reason)
    return williams_test(r12.value, r13.value, r23.value, r12.n)


def williams_test(r12: float, r13: float, r23: float, n: int) -> WilliamsTest:
    """The test from three correlations over n items; 1 is the column that 2 and 3 are both held against."""
    from scipy.special import stdtr  # noqa: PLC0415 - takes a quarter of a second to import

    if n < 4:
        return WilliamsTest(None, None, n, f"{n} items are too few; 4 are needed")
    determinant = 1 - r12 * r12 - r13 * r13 - r23 * r23 + 2 * r12 * r13 * r23
    below = 2 * (n - 1) / (n - 3) * determinant + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if r23 > 1 - 1e-12 or below <= 1e-15:
        return WilliamsTest(None, None, n, "the two columns are the same but for their scale")
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    return WilliamsTest(t, 2 * float(stdtr(n - 3, -abs(t))), n)


@dataclass(frozen=True, slots=True, eq=False)
class Rivals:
    """Two metrics on the items that both measured, on one scale."""

    first: Floats
    second: Floats
    people: Floats
    groups: Ints
    """The number of each item's cluster, the same numbers for all rivals that are tested together."""


def swap_tests(
    rivals: Sequence[Rivals], figure: OfSums, clusters: int, *, permutations: int = PERMUTATIONS, seed: int = 0
) -> list[float | None]:
    """The two-sided p-value of each difference figure(first) - figure(second); None where a figure is undefined.

    All are tested with the same swaps. The p-value is (1 + as extreme) / (1 + permutations), which is never 0 (Phipson
    and Smyth 2010). A swap that leaves a figure undefined counts as extreme.

    Raises:
        ValueError: a value is not finite, or the lengths differ.
    """
    sums = [_sums(each, clusters) for each in rivals]
    wholes = [(first.sum(axis=0), second.sum(axis=0)) for first, second in sums]
    seen = [float(figure(a) - figure(b)) for a, b in wholes]
    if not rivals or not clusters:
        return [None for _ in rivals]
    moved = np.concatenate([second - first for first, second in sums], axis=1)
    extreme = np.zeros(len(rivals), dtype=np.int64)
    random = np.random.default_rng(seed)
    rows = max(1, CHUNK // clusters)
    for start in range(0, permutations, rows):
        swapped = random.integers(0, 2, size=(min(rows, permutations - start), clusters)).astype(np.float64)
        shift = swapped @ moved
        for i, (a, b) in enumerate(wholes):
            by = shift[:, 6 * i : 6 * i + 6]
            difference = np.abs(figure(a + by) - figure(b - by))
            extreme[i] += int((~(difference < abs(seen[i]) - 1e-9)).sum())  # so that NaN counts
    return [(int(e) + 1) / (permutations + 1) if math.isfinite(s) else None for e, s in zip(extreme, seen, strict=True)]


def bootstrap_test(difference: float, first: Floats, second: Floats, clusters: int) -> float | None:
    """The two-sided p-value of a difference of two figures, by its spread over resamples; None where it has none.

    Student's t with clusters - 1 degrees of freedom, of the difference over its bootstrap standard error (Efron and
    Tibshirani 1993, *An Introduction to the Bootstrap*, chapter 6), widened by √(n/(n-1)) for few clusters. Two figures
    that are the same in every resample have the p-value 1.

    Args:
        difference: first minus second, over all items.
        first: the first figure in each resample, NaN where it is undefined there.
        second: the second one in the very same resamples.
        clusters: how many were drawn from.
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


def _sums(rivals: Rivals, clusters: int) -> tuple[Floats, Floats]:
    y = as_floats(rivals.people, "people")
    columns = (as_floats(rivals.first, "first"), as_floats(rivals.second, "second"))
    if not len(columns[0]) == len(columns[1]) == len(y) == len(rivals.groups):
        raise ValueError(f"{len(columns[0])}, {len(columns[1])} and {len(y)} values; they must be of the same items")
    a, b = (
        cluster_sums(np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=1), rivals.groups, clusters)
        for x in columns
    )
    return a, b
