"""One metric compared with people."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from saiten.results.levels import ItemLevel, Ordered, QuestionLevel, SystemLevel
from saiten.results.metric_figures import Bias, Decisions, Grades
from saiten.results.origin import Origin
from saiten.results.preferences import Preferences


@dataclass(frozen=True, slots=True)
class Easier:
    """People's labels of the answers that a metric calls declined, which are excluded from its figures."""

    n: int
    right: int | None
    """How many people call right; None if the labels are grades."""
    mean: float
    """People's mean over these answers; for verdicts the share of right ones."""
    others: float | None
    """People's mean over the answers that the metric measured; None if it measured none."""


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One metric compared with people on one aspect."""

    metric: str
    made: Origin
    """How its values were made; `made.metric` is the metric's name."""
    n: int
    """Number of items with both a value and a label."""
    missing: Mapping[str, int]
    """Number of labeled items without a value, by reason."""
    items: ItemLevel
    systems: SystemLevel | None = None
    """None for preferences."""
    wins: Ordered | None = None
    """Pairs of systems, ordered by the questions that each wins; None for preferences."""
    questions: QuestionLevel | None = None
    """Correlations over the answers per question; None for preferences."""
    decisions: Decisions | None = None
    """None for grades without a threshold, and for preferences."""
    grades: Grades | None = None
    """None if either side gives no grades, or their scales differ."""
    bias: Bias | None = None
    """None for preferences."""
    preferences: Preferences | None = None
    """None if the labels are of single items."""
    beside_declined: Mapping[str, int] = field(default_factory=dict)
    """The metric's results for answers that people call declined: count by `graded`, status, or `no output`."""
    mean: float | None = None
    """The metric's mean over the items with both values."""
    people: float | None = None
    """People's mean over the same items."""
    easier: Easier | None = None
    """None if the metric calls no labeled answer declined."""
