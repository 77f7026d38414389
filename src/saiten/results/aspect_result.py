"""All metrics compared with people on one aspect."""

from dataclasses import dataclass

from saiten.results.ceiling import Ceiling
from saiten.results.metric_figures import Scale
from saiten.results.metric_result import MetricResult
from saiten.results.origin import Unpaired
from saiten.results.ranking import Ranking
from saiten.stats.estimate import Estimate
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class SubsetResult:
    """All metrics compared with people, on the items of one group or system."""

    name: str
    n: int
    """Number of items with labels."""
    metrics: tuple[MetricResult, ...]


@dataclass(frozen=True, slots=True)
class AspectResult:
    """All metrics compared with people on one aspect."""

    aspect: str
    pairs: bool
    """Whether the labels are preferences."""
    n: int
    """Number of items with labels."""
    questions: int
    annotators: int
    labels: int
    """Number of raw labels, without adjudicated values."""
    scale: Scale
    """Scale of the labels."""
    mean: float
    """People's mean over all items."""
    unlabeled: Unpaired
    unmatched: Unpaired
    metrics: tuple[MetricResult, ...]
    ceiling: Ceiling | None
    """None if no item has two annotators."""
    ranking: Ranking | None
    """None if the requested figure is undefined for these labels; `notes` has the reason."""
    notes: tuple[Message, ...] = ()
    declined: int = 0
    """Answers that people call declined (grade 0 of graded correctness); not counted in n."""
    parts: tuple[SubsetResult, ...] = ()
    """Subsets by name, if requested with `Settings.split_by`."""
    by_system: tuple[tuple[str, Estimate], ...] = ()
    """People's mean per named system; empty for preferences."""
