"""Records of dialogue runs compared by group."""

from dataclasses import dataclass

from saiten.results.verdict import Verdict, higher_is_better, verdict_of
from saiten.stats.paired import PairedComparison


@dataclass(frozen=True, slots=True)
class GroupMeans:
    """The means of one score in one group."""

    score: str
    group: str | None
    """None for all groups."""
    n: int
    means: tuple[float, ...]
    """One per run."""


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """Difference of one score in one group: a run minus the first."""

    score: str
    group: str
    pairs: PairedComparison
    p_value: float | None
    """P-value, corrected for all tests against this run."""
    of: int
    """Number of pairs that every run has, measured or not."""

    @property
    def verdict(self) -> Verdict:
        """Verdict on the run."""
        higher = higher_is_better(self.score)
        return verdict_of(self.pairs.difference, self.p_value, self.pairs.n, self.of, higher=higher)


@dataclass(frozen=True, slots=True)
class DialogueComparison:
    """Dialogue runs on the pairs measured in all of them; the first run is the baseline."""

    names: tuple[str, ...]
    systems: tuple[str, ...]
    means: tuple[GroupMeans, ...]
    differences: tuple[tuple[GroupDifference, ...], ...]
    """One tuple per run after the first; empty without groups."""
    groups: int
    """Number of groups, broken down or not."""
    of_groups: tuple[GroupMeans, ...]
    """Means of the groups' means, each group counting the same, one per score; empty without groups."""
