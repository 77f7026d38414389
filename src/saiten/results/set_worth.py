"""What a test set is worth: what it covers, how difficult it is, and what differences it shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from saiten.results.set_difficulty import SetDifficulty, set_difficulty
from saiten.results.set_pairs import PairWorth, pair_worths
from saiten.results.set_scores import SetScores, set_scores
from saiten.runs import RunReader
from saiten.stats.power import POWER
from saiten.testsets.asked_about import AskedBase
from saiten.testsets.items import SetItem


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredSet:
    """What the scores of systems say about a set."""

    scores: SetScores
    difficulty: SetDifficulty
    pairs: tuple[PairWorth, ...]
    """Each two systems; empty for a single one."""
    power: float = POWER
    """The probability of seeing a difference that is there."""


def measured(
    items: Sequence[SetItem],
    readers: Sequence[RunReader],
    metric: str | None = None,
    differences: Sequence[float] = (),
    power: float = POWER,
) -> MeasuredSet:
    """Return what the runs say about the set; raises as `set_scores` and `pair_worths`."""
    scores = set_scores(items, readers, metric)
    return MeasuredSet(scores, set_difficulty(scores), tuple(pair_worths(scores, differences, power)), power)


@dataclass(frozen=True, slots=True, eq=False)
class SetWorth:
    """The worth of a test set, as far as it is known."""

    items: tuple[SetItem, ...]
    base: AskedBase | None = None
    """None without a knowledge base."""
    measured: MeasuredSet | None = None
    """None without a run."""
