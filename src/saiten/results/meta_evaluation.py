"""Metrics compared with people: how it is done, and the record of each metric, subset and aspect."""

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
from saiten.stats.bootstrap import MeanInterval

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Unpaired:
    """How many there are on one side only, and some of them."""

    n: int
    examples: tuple[str, ...] = ()

    @classmethod
    def of(cls, ids: Iterable[str]) -> "Unpaired":
        every = sorted(ids)
        return cls(len(every), tuple(every[:EXAMPLES]))


@dataclass(frozen=True, slots=True)
class Origin:
    """How outputs were made; what tells those of one metric apart."""

    metric: str
    """The metric's name in its run or file."""
    judge: str = ""
    """"" for a metric without a judge, and where it is not known."""
    evidence: str = ""
    """Which contexts the judge saw (`none`, `answer`, `reference`); "" for a metric that does not ask for any."""
    family: str = ""
    """The metric's name without the evidence; "" for the whole name."""
    place: str = ""
    """The run or file, where nothing else tells it from another; else ""."""

    def __post_init__(self) -> None:
        """The family is never empty."""
        object.__setattr__(self, "family", self.family or self.metric)


@dataclass(frozen=True, slots=True)
class Settings:
    """How the figures are made."""

    by: str | None = None
    """What metrics are ranked by, one of `ranking.NAMES`; None: AUROC for verdicts, else Pearson."""
    yes_from: float | None = None
    """The lowest value that is a yes; None leaves grades grades."""
    unmeasured: Unmeasured = "left-out"
    systems_over: SystemsOver = "common"
    system_pairs: tuple[tuple[str, str], ...] | None = None
    """The pairs of systems whose order counts; None for all."""
    split_by: SplitBy | None = None
    """All figures also for the items of each group, or of each system; None for no parts."""
    tie_margin: float = TIE_MARGIN
    """Score differences up to this are no preference."""
    resamples: int = 1_000
    confidence: float = 0.95
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Easier:
    """What people say of the answers that a metric calls declined, which are in none of its figures."""

    n: int
    right: int | None
    """How many people call right; None where the labels are grades."""
    mean: float
    """People's mean of them; of verdicts the share of right ones."""
    others: float | None
    """The same of the answers that the metric measured; None where it measured none."""


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One metric beside people, on one aspect."""

    metric: str
    made: Origin
    """How its values were made; `made.metric` is the metric's own name."""
    n: int
    """Items that both have."""
    missing: Mapping[str, int]
    """Labelled items without a value, by the reason."""
    items: ItemLevel
    systems: SystemLevel | None = None
    """None for preferences."""
    wins: Ordered | None = None
    """Pairs of systems by the questions that each wins; None for preferences."""
    questions: QuestionLevel | None = None
    """Correlations over the answers to each question; None for preferences."""
    decisions: Decisions | None = None
    """None for grades without a threshold, and for preferences."""
    grades: Grades | None = None
    """None where either side gives no grades, or their scales differ."""
    bias: Bias | None = None
    """None for preferences."""
    preferences: Preferences | None = None
    """None where the labels are of single items."""
    beside_declined: Mapping[str, int] = field(default_factory=dict)
    """What it says of the answers that people call declined: `graded`, a status, or `no output`; how often."""
    mean: float | None = None
    """The metric's mean over the items that both have."""
    people: float | None = None
    """People's mean over the same items."""
    easier: Easier | None = None
    """None where it calls no labelled answer declined."""


@dataclass(frozen=True, slots=True)
class SubsetResult:
    """All metrics beside people, on the items of one group or system."""

    name: str
    n: int
    """Items with labels."""
    metrics: tuple[MetricResult, ...]


@dataclass(frozen=True, slots=True)
class AspectResult:
    """All metrics beside people, on one aspect."""

    aspect: str
    pairs: bool
    """Whether the labels are preferences."""
    n: int
    """Items with labels."""
    questions: int
    annotators: int
    labels: int
    """Raw labels, adjudicated values apart."""
    scale: Scale
    """Of the labels."""
    mean: float
    """Of people, over all items."""
    unlabelled: Unpaired
    unmatched: Unpaired
    metrics: tuple[MetricResult, ...]
    ceiling: Ceiling | None
    """None where no item has two annotators."""
    ranking: Ranking | None
    """None where the figure asked for does not exist for these labels; `notes` says why."""
    notes: tuple[str, ...] = ()
    declined: int = 0
    """Answers that people call declined (grade 0 of graded correctness); they are not among the n items."""
    parts: tuple[SubsetResult, ...] = ()
    """By name, where `Settings.split_by` asks for them."""
    by_system: tuple[tuple[str, MeanInterval], ...] = ()
    """People's mean of each system, where systems are named; empty for preferences."""


@dataclass(frozen=True, slots=True)
class MetaEvaluation(AsRows):
    """The whole of it."""

    aspects: tuple[AspectResult, ...]
    settings: Settings
    notes: tuple[str, ...] = ()
    """What a reader must know, for example that the baselines are missing."""

    def rows(self) -> list[Row]:
        """Return one row per aspect and metric, with every figure that its labels allow."""
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
