"""Lengths of texts, such as characters or tokens: mean, median and 95th percentile, from the count of each length."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of n texts."""

    counts: Mapping[int, int]
    """Length → number of texts of that length, in ascending order."""
    n: int
    mean: float
    median: float
    p95: int
    """The smallest length that at least 95 % of the texts do not exceed."""
    highest: int


def lengths_of(counts: Mapping[int, int]) -> Lengths | None:
    """Return the figures of texts of which only the number of each length is known; None without a text."""
    if not counts:
        return None
    ordered = dict(sorted(counts.items()))
    up_to = dict(zip(ordered, accumulate(ordered.values()), strict=True))
    n = sum(ordered.values())

    def ranked(rank: int) -> int:
        return next(length for length, texts in up_to.items() if texts >= rank)

    total = sum(length * texts for length, texts in ordered.items())
    median = (ranked((n + 1) // 2) + ranked(n // 2 + 1)) / 2
    return Lengths(ordered, n, total / n, median, ranked(-(-95 * n // 100)), max(ordered))
