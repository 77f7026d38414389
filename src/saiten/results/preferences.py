"""Records of a metric's preferences compared with people's."""

from dataclasses import dataclass

from saiten.results.levels import ItemLevel
from saiten.results.metric_figures import Confusion
from saiten.stats.estimate import Estimate


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
