"""Comparison of metrics with people: settings, and the record of each metric, subset and aspect."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from saiten.choices import TIE_MARGIN, SplitBy, SystemsOver, Unmeasured
from saiten.results.metric_figures import (
    Bias,
    Decisions,
    Grades,
    ItemLevel,
    Ordered,
    Preferences,
    QuestionLevel,
    Scale,
    SystemLevel,
)
from saiten.results.ranking import Ceiling, Ranking
from saiten.results.rows import AsRows, Row, figure_row
from saiten.stats.estimate import Estimate
from saiten.words import Message

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Number of items on one side only, with examples."""

    n: int
    examples: tuple[str, ...] = ()

    @classmethod
    def of(cls, ids: Iterable[str]) -> "Unpaired":
        every = sorted(ids)
        return cls(len(every), tuple(every[:EXAMPLES]))


@dataclass(frozen=True, slots=True)
class Origin:
    """How outputs were made, which distinguishes outputs of one metric."""

    metric: str
    """The metric's name in its run or file."""
    judge: str = ""
    """"" for a metric without a judge, or an unknown judge."""
    evidence: str = ""
    """Contexts shown to the judge (`none`, `answer`, `reference`); "" for a metric without evidence."""
    family: str = ""
    """The metric's name without the evidence; "" for the whole name."""
    place: str = ""
    """The run or file, if needed to distinguish outputs; otherwise ""."""

    def __post_init__(self) -> None:
        """Fill in the family if it is empty."""
        object.__setattr__(self, "family", self.family or self.metric)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the figures."""

    by: str | None = None
    """The figure that metrics are ranked by, one of `ranking.NAMES`; None: AUROC for verdicts, else Pearson."""
    yes_from: float | None = None
    """Lowest value that counts as yes; None keeps grades."""
    unmeasured: Unmeasured = "left-out"
    systems_over: SystemsOver = "common"
    system_pairs: tuple[tuple[str, str], ...] | None = None
    """Pairs of systems whose order counts; None for all."""
    split_by: SplitBy | None = None
    """Repeat all figures for each group or system; None for no breakdown."""
    tie_margin: float = TIE_MARGIN
    """Score differences up to this are ties."""
    resamples: int = 1_000
    seed: int = 0


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
    unlabelled: Unpaired
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


@dataclass(frozen=True, slots=True)
class MetaEvaluation(AsRows):
    """A complete meta-evaluation."""

    aspects: tuple[AspectResult, ...]
    settings: Settings
    notes: tuple[Message, ...] = ()
    """General notes, for example that the baselines are missing."""

    def rows(self) -> list[Row]:
        """Return one row per aspect and metric, with every figure that the labels allow."""
        return [
            {
                "aspect": aspect.aspect,
                "metric": each.metric,
                "n": each.n,
                **_figures(each),
                **_ranked(aspect, each.metric),
            }
            for aspect in self.aspects
            for each in aspect.metrics
        ]


_FIGURES = {
    "items": ("pearson", "spearman", "kendall"),
    "decisions": ("agreement", "kappa", "f1", "macro_f1", "balanced_accuracy", "auroc"),
    "grades": ("agreement", "linear_kappa", "quadratic_kappa", "macro_f1"),
    "preferences": ("accuracy", "kappa", "macro_f1"),
}


def _figures(one: MetricResult) -> Row:
    found: Row = {}
    for part, names in _FIGURES.items():
        record = getattr(one, part)
        if record is not None:
            prefix = "grades_" if part == "grades" and one.decisions is not None else ""
            for name in names:
                own = prefix + name if name in ("agreement", "macro_f1") else name
                found |= figure_row(getattr(record, name), own)
    return found | (figure_row(one.bias.overall, "bias") if one.bias is not None else {})


def _ranked(aspect: AspectResult, metric: str) -> Row:
    places = aspect.ranking.places if aspect.ranking is not None else ()
    place = next((each for each in places if each.metric == metric and not each.people), None)
    return {"rank": None, "letters": ""} if place is None else {"rank": place.rank, "letters": place.letters}
