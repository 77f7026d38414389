"""How one metric compares with people, figure by figure: the records."""

import math
from dataclasses import dataclass

from saiten.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Scale:
    """The lowest and the highest value that can come; for columns that do not declare it, that did come."""

    low: float
    high: float

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"{self.low:g} and above" if math.isfinite(self.low) else "any number"
        return f"{self.low:g} to {self.high:g}" if math.isfinite(self.low) else f"{self.high:g} and below"

    @property
    def unit(self) -> bool:
        """Whether it is 0 to 1."""
        return (self.low, self.high) == (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class ItemLevel:
    """Three correlations over the items that have both."""

    pearson: Estimate
    spearman: Estimate
    kendall: Estimate


@dataclass(frozen=True, slots=True)
class Ordered:
    """Pairs of systems, ordered by a metric and by people."""

    ordered: Estimate
    """Share of the pairs that are alike; `n` is the number of pairs."""
    credited: Estimate
    """The same, with half a point for a pair that only one side ties."""
    agree: int
    """Pairs that both order alike."""
    disagree: int
    """Pairs that they order the other way round."""
    tied_metric: int
    """Pairs that only the metric ties."""
    tied_people: int
    """Pairs that only people tie."""
    tied_both: int
    unmet: int = 0
    """Pairs that nothing is known of, for example without a common question."""

    @classmethod
    def none(cls, estimate: Estimate, unmet: int = 0) -> "Ordered":
        """No pairs, and the reason."""
        return cls(estimate, estimate, 0, 0, 0, 0, 0, unmet)


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """Systems' means beside each other."""

    systems: tuple[str, ...]
    metric: tuple[float, ...]
    """Each system's mean over the items that the metric measured."""
    people: tuple[float, ...]
    """Each system's mean over all items that were given: those with both values, or all that people rated."""
    kendall: Estimate
    """Over systems; `n` is their number."""
    spearman: Estimate
    pearson: Estimate
    pairs: Ordered
    """Pairs of systems by their means."""


@dataclass(frozen=True, slots=True)
class QuestionLevel:
    """The mean over questions of the correlation over the answers to each; `n` counts the questions that have one."""

    questions: int
    """With an answer that has both values."""
    pearson: Estimate
    spearman: Estimate
    kendall: Estimate


@dataclass(frozen=True, slots=True)
class Confusion:
    """Who said what: `counts[i][j]` items that people call `values[i]` and the metric `values[j]`."""

    values: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Decisions:
    """How a metric decides beside people."""

    rule: str
    """How values became decisions, or why the metric has none."""
    n: int
    """Items with both decisions."""
    split: int
    """Items on which people are evenly split; left out."""
    filled: int
    """Items without a value that were counted by the rule for the unmeasured."""
    agreement: Estimate
    kappa: Estimate
    f1: Estimate
    """Of yes."""
    macro_f1: Estimate
    """The mean of the F1 of yes and that of no."""
    auroc: Estimate
    """Of the metric's values, so without any threshold; only over the items that have one."""
    balanced_accuracy: Estimate
    confusion: Confusion | None


@dataclass(frozen=True, slots=True)
class Grades:
    """How a metric grades beside people, both rounded to whole grades."""

    n: int
    agreement: Estimate
    """Exactly the same grade."""
    linear_kappa: Estimate
    quadratic_kappa: Estimate
    macro_f1: Estimate
    """The mean of the F1 of every grade that either side gives."""
    confusion: Confusion


@dataclass(frozen=True, slots=True)
class Bias:
    """Mean differences metric - people on their common scale, with intervals by question."""

    overall: Estimate
    """None with the reason where they share no scale."""
    systems: tuple[tuple[str, Estimate], ...] = ()
    grades: tuple[tuple[str, Estimate], ...] = ()
    """By what people said: a verdict, a grade, or a fifth of the scale."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What a judge says in both orders, of the pairs that it judged in both."""

    consistent: Estimate
    """Share of the pairs with the same verdict in both orders."""
    accuracy: Estimate
    """The mean of the accuracies in either order, against people's verdict."""
    first: Estimate
    """Share of the verdicts for the answer shown first; a tie counts half, so 0.5 is no preference for a place."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """How a metric prefers beside people."""

    n: int
    """Pairs with both."""
    filled: int
    """Pairs without a value that were counted by the rule for the unmeasured."""
    points: ItemLevel
    """Over points, one a label."""
    accuracy: Estimate
    """Three-way: first, tie, second."""
    kappa: Estimate
    macro_f1: Estimate
    """The mean of the F1 of first, tie and second, of those that either side ever says."""
    right: int
    """Of the pairs on which people prefer one answer: the metric prefers the same."""
    tied: int
    """… ties them, or has no value where that counts as wrong."""
    wrong: int
    """… prefers the other."""
    confusion: Confusion
    orders: Orders | None = None
    """None where no pair was judged in both orders."""
