"""Test-retest reliability of a judge: agreement of several votes on the same items.

Sources: intraclass correlation of the one-way random model, Shrout and Fleiss 1979, *Intraclass Correlations: Uses in
Assessing Rater Reliability*, ICC(1,1) and ICC(1,k), since votes of a panel are exchangeable; for items with different
numbers of votes with the mean group size of Donner 1986. Agreement is the mean over items of the share of equal pairs
of votes (the observed part of Fleiss 1971, not corrected for chance).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TypeVar

from saiten.stats.clusters import Column, Floats, as_pair
from saiten.stats.estimate import Estimate
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Reliability:
    """Agreement of several votes on the same item, or the reason why it is undefined."""

    items: int
    """Number of items with at least two votes; only these are counted."""
    skipped: int
    """Number of items with fewer votes."""
    votes: float | None
    """Mean number of votes per item."""
    agreement: float | None
    """Share of equal pairs of votes; for verdicts and grades, not meaningful for continuous values."""
    icc: float | None
    """Share of the variance that is between items: the reliability of one vote. 1 is perfect, 0 is noise; it may be
    negative.
    """
    icc_average: float | None
    """Reliability of the mean of an item's votes, that is, of the panel."""
    spread: float | None
    """Mean over items of the standard deviation of the votes."""
    changed: float | None
    """Share of items whose votes are not all equal."""
    reason: Message | None = None
    """Why a figure above is None."""


def reliability(votes: Sequence[Sequence[float | None]]) -> Reliability:
    """Compute the figures over a table items × votes; None is a vote without a value and is left out.

    Raises:
        ValueError: a vote is NaN or infinite.
    """
    rows = [[float(vote) for vote in row if vote is not None] for row in votes]
    for i, row in enumerate(rows):
        if not all(map(math.isfinite, row)):
            raise ValueError(f"item {i} has a vote that is not finite: {row}; a vote without a value is None")
    usable = [row for row in rows if len(row) >= 2]
    skipped = len(rows) - len(usable)
    if not usable:
        return Reliability(0, skipped, None, None, None, None, None, None, Message("remark", "no_two_votes"))
    single, average, reason = intraclass(usable)
    return Reliability(
        items=len(usable),
        skipped=skipped,
        votes=fmean(map(len, usable)),
        agreement=fmean(
            equal_pairs(float(sum(n * (n - 1) for n in Counter(row).values())), float(len(row))) for row in usable
        ),
        icc=single,
        icc_average=average,
        spread=fmean(stdev(row) for row in usable),
        changed=fmean(min(row) != max(row) for row in usable),
        reason=reason,
    )


def intraclass(rows: Sequence[Sequence[float]]) -> tuple[float | None, float | None, Message | None]:
    """Compute ICC(1,1) and ICC(1,k), or None with the reason; each row has at least two values."""
    k, n = len(rows), sum(map(len, rows))
    if k < 2:
        return None, None, Message("remark", "single_item_no_variance")
    if len({value for row in rows for value in row}) == 1:
        return None, None, Message("remark", "equal_votes")
    grand = math.fsum(value for row in rows for value in row) / n
    between = math.fsum(len(row) * (fmean(row) - grand) ** 2 for row in rows) / (k - 1)
    within = math.fsum((value - fmean(row)) ** 2 for row in rows for value in row) / (n - k)
    if between + within == 0:  # differences whose squares are too small for a float
        return None, None, Message("remark", "equal_votes")
    size = (n - math.fsum(len(row) ** 2 for row in rows) / n) / (k - 1)
    single = icc_of(between, within, size)
    if between <= 1e-12 * within:  # 0 up to rounding
        return single, None, Message("remark", "equal_item_means")
    return single, (between - within) / between, None


def icc_of_pairs(x: Column, y: Column) -> Estimate:
    """Compute ICC(1,1) of two values per item."""
    a, b = as_pair(x, y)
    n = len(a)
    if n < 2:
        return Estimate(None, n, Message("remark", "single_item_no_variance"))
    means = (a + b) / 2
    between = 2 * float(((means - means.mean()) ** 2).sum()) / (n - 1)
    within = float(((a - b) ** 2).sum()) / (2 * n)
    if between + within <= 1e-18:
        return Estimate(None, n, Message("remark", "equal_values"))
    return Estimate(icc_of(between, within, 2), n)


def icc_of(between: float, within: float, size: float) -> float:
    """Compute ICC(1,1) from the mean squares between and within items; `size`: values per item."""
    return (between - within) / (between + (size - 1) * within)


Number = TypeVar("Number", float, Floats)


def equal_pairs(ordered: Number, size: Number) -> Number:
    """Compute the share of equal pairs of an item's values from the numbers of ordered equal pairs and of values."""
    return ordered / (size * (size - 1))
