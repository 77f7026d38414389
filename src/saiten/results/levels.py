"""Correlations of a metric with people over items, within questions and over systems."""

from dataclasses import dataclass

from saiten.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class ItemLevel:
    """Three correlations over the items with both values."""

    pearson: Estimate
    spearman: Estimate
    kendall: Estimate


@dataclass(frozen=True, slots=True)
class Ordered:
    """Pairs of systems as ordered by a metric and by people."""

    ordered: Estimate
    """Share of the pairs ordered alike; `n` is the number of pairs."""
    credited: Estimate
    """Like `ordered`, with half a point for a pair that only one side ties."""
    agree: int
    """Pairs ordered alike."""
    disagree: int
    """Pairs ordered in opposite ways."""
    tied_metric: int
    """Pairs that only the metric ties."""
    tied_people: int
    """Pairs that only people tie."""
    tied_both: int
    unmet: int = 0
    """Pairs without data, for example without a common question."""

    @classmethod
    def none(cls, estimate: Estimate, unmet: int = 0) -> "Ordered":
        """Return a record without pairs, with the reason."""
        return cls(estimate, estimate, 0, 0, 0, 0, 0, unmet)


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """Comparison of systems' means."""

    systems: tuple[str, ...]
    metric: tuple[float, ...]
    """Each system's mean over the items that the metric measured."""
    people: tuple[float, ...]
    """Each system's mean over the selected items: those with both values, or all that people rated."""
    kendall: Estimate
    """Over systems; `n` is the number of systems."""
    spearman: Estimate
    pearson: Estimate
    pairs: Ordered
    """Pairs of systems, ordered by their means."""


@dataclass(frozen=True, slots=True)
class QuestionLevel:
    """Mean of the correlations over the answers per question; `n` counts the questions that have one."""

    questions: int
    """Number of questions with at least one answer that has both values."""
    pearson: Estimate
    spearman: Estimate
    kendall: Estimate
