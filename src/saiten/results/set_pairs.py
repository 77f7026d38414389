"""What differences a test set shows: for each pair of systems, from their differences question by question."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from saiten.results.set_scores import SetScores, SystemScores
from saiten.stats.paired import PairedComparison, compare_paired
from saiten.stats.power import DifferenceSpread, QuestionsNeeded, needed_for, spread_of, visible_for

MOST_SYSTEMS = 12
"""Systems that are compared with each other: 66 pairs."""
DIFFERENCES = (0.02, 0.05, 0.1)
"""The default differences, as shares of the scale."""


@dataclass(frozen=True, slots=True)
class PairWorth:
    """Two systems as a pilot of their comparison."""

    first: str
    second: str
    pairs: PairedComparison
    """Second minus first."""
    spread: DifferenceSpread
    """Of the differences."""
    visible: float | None
    """The smallest difference that as many questions show; None if too few questions differ, or all by the same."""
    needed: tuple[QuestionsNeeded, ...]
    """The number of questions for each difference."""


def pair_worths(scores: SetScores, differences: Sequence[float] = (), power: float = 0.8) -> list[PairWorth]:
    """Return each pair of the first twelve systems, on the questions that both have values for.

    Args:
        scores: of the systems.
        differences: to find the number of questions for; by default 0.02, 0.05 and 0.1 of the scale.
        power: the probability of seeing a difference that is there.

    Raises:
        ValueError: a difference is 0, or the power is not between 0.05 and 1.
    """
    whole = scores.scale.high - scores.scale.low
    wanted = differences or [float(f"{share * whole:.2g}") for share in DIFFERENCES if whole > 0]
    systems = scores.systems[:MOST_SYSTEMS]
    return [_pair(first, second, scores, wanted, power) for first, second in combinations(systems, 2)]


def _pair(
    first: SystemScores, second: SystemScores, scores: SetScores, differences: Sequence[float], power: float
) -> PairWorth:
    items = [item for item in scores.items if item in first.values and item in second.values]
    clusters = [scores.clusters[item] for item in items]
    pairs = compare_paired([first.values[item] for item in items], [second.values[item] for item in items], clusters)
    spread = spread_of([second.values[item] - first.values[item] for item in items], clusters)
    visible = visible_for(spread, power)
    needed = tuple(needed_for(difference, spread, power) for difference in differences)
    return PairWorth(first.name, second.name, pairs, spread, visible, needed)
