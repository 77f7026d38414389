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
