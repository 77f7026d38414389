"""Record of a judge's verdicts on two answers in both orders."""

from dataclasses import dataclass

from saiten.records import Usage
from saiten.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class OrderRow:
    """The pairs of answers of one variant, or of all."""

    variant: str | None
    """The variant; None for all variants."""
    pairs: int
    """Number of planned pairs."""
    changed: Estimate
    """Share of the pairs with a verdict in both orders whose verdict changes with the order; `n` counts these pairs."""
    first: Estimate
    """Share of the verdicts for the answer shown first, over the same pairs; two verdicts per pair."""
    same_place: int
    """Pairs in which the same position wins in both orders."""
    ties: int
    """Number of verdicts that are ties, out of two per pair."""
    usage: Usage
    """Cost of all verdicts, including those without a verdict in the other order."""
