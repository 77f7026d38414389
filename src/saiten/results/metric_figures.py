"""Records of how one metric compares with people, figure by figure."""

import math
from dataclasses import dataclass

from saiten.stats.estimate import Estimate
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Scale:
    """Lowest and highest possible value; for columns that do not declare them, the observed ones."""

    low: float
    high: float

    @property
    def words(self) -> Message:
        """The scale in words."""
        if math.isinf(self.high):
            return Message("scale", "above" if math.isfinite(self.low) else "any", low=self.low)
        return Message("scale", "between" if math.isfinite(self.low) else "below", low=self.low, high=self.high)

    @property
    def unit(self) -> bool:
        """Whether the scale is 0 to 1."""
        return (self.low, self.high) == (0.0, 1.0)


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


@dataclass(frozen=True, slots=True)
class Confusion:
    """Confusion matrix: `counts[i][j]` items that people call `values[i]` and the metric `values[j]`."""

    values: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Decisions:
    """A metric's decisions compared with people's."""

    rule: Message
    """How values became decisions, or why there are none."""
    n: int
    """Number of items with both decisions."""
    split: int
    """Number of items on which people are evenly split; they are excluded."""
    filled: int
    """Number of items without a value that were counted by the rule for unmeasured items."""
    agreement: Estimate
    kappa: Estimate
    f1: Estimate
    """F1 of yes."""
    macro_f1: Estimate
    """Mean of the F1 of yes and of no."""
    auroc: Estimate
    """AUROC of the metric's values, without a threshold; only over the items with a value."""
    balanced_accuracy: Estimate
    confusion: Confusion | None


@dataclass(frozen=True, slots=True)
class Grades:
    """A metric's grades compared with people's, both rounded to whole grades."""

    n: int
    agreement: Estimate
    """Share of items with exactly the same grade."""
    linear_kappa: Estimate
    quadratic_kappa: Estimate
    macro_f1: Estimate
    """Mean F1 over all grades that either side gives."""
    confusion: Confusion


@dataclass(frozen=True, slots=True)
class Bias:
    """Mean differences metric - people on their common scale, with intervals by question."""

    overall: Estimate
    """None with the reason if they share no scale."""
    systems: tuple[tuple[str, Estimate], ...] = ()
    grades: tuple[tuple[str | Message, Estimate], ...] = ()
    """By people's value: a verdict, a grade, or a fifth of the scale."""


@dataclass(frozen=True, slots=True)
class Orders:
    """A judge's verdicts on the pairs that it judged in both orders."""

    consistent: Estimate
    """Share of the pairs with the same verdict in both orders."""
    accuracy: Estimate
    """Mean of the accuracies in the two orders, compared with people's verdict."""
    first: Estimate
    """Share of the verdicts for the answer shown first; a tie counts half, so 0.5 is no position bias."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """A metric's preferences compared with people's."""

    n: int
    """Number of pairs with both preferences."""
    filled: int
    """Number of pairs without a value that were counted by the rule for unmeasured items."""
    points: ItemLevel
    """Correlations over points, one per label."""
    accuracy: Estimate
    """Three-way accuracy: first, tie, second."""
    kappa: Estimate
    macro_f1: Estimate
    """Mean F1 of first, tie and second, of those that either side uses."""
    right: int
    """Pairs on which people prefer one answer, and the metric prefers the same."""
    tied: int
    """Such pairs that the metric ties, or has no value for if that counts as wrong."""
    wrong: int
    """Such pairs on which the metric prefers the other answer."""
    confusion: Confusion
    orders: Orders | None = None
    """None if no pair was judged in both orders."""
