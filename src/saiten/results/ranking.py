"""Metrics ranked by one figure, and the human ceiling: the records."""

from dataclasses import dataclass

from saiten.results.rows import AsRows, Row, figure_row
from saiten.stats.dependent_correlations import WilliamsTest
from saiten.stats.estimate import Estimate

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class PairwiseTest:
    """Two metrics on the items that both measured."""

    first: str
    second: str
    n: int
    difference: float | None
    """Of their figures on these items, first minus second; None where either is undefined there."""
    p_value: float | None
    """By question, as it is: of the swap test, or of the bootstrap test for a figure that has to be recounted."""
    corrected: float | None
    """The same, corrected for all comparisons of the ranking."""
    williams: WilliamsTest | None
    """For Pearson and Spearman; it takes the items for independent."""

    @property
    def apart(self) -> bool:
        """Whether the difference is significant."""
        return self.corrected is not None and self.corrected < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class RankedMetric:
    """One row of the ranking."""

    metric: str
    figure: Estimate
    rank: int | None
    """None where the figure is undefined, and for people."""
    letters: str = ""
    people: bool = False
    """Whether this row is the human ceiling."""


@dataclass(frozen=True, slots=True)
class Ranking(AsRows):
    """The metrics by one figure, best first, with the human ceiling where it belongs by its value."""

    by: str
    places: tuple[RankedMetric, ...]
    comparisons: tuple[PairwiseTest, ...]

    def rows(self) -> list[Row]:
        """Return one row per metric, best first, people included."""
        return [
            {
                "rank": each.rank,
                "letters": each.letters,
                "metric": each.metric,
                "people": each.people,
                **figure_row(each.figure),
                "n": each.figure.n,
            }
            for each in self.places
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleFigures:
    """All figures by which metrics can be ranked; those that the labels do not allow have a reason instead."""

    pearson: Estimate
    spearman: Estimate
    kendall: Estimate
    agreement: Estimate
    kappa: Estimate
    f1: Estimate
    macro_f1: Estimate
    balanced_accuracy: Estimate
    auroc: Estimate
    linear_kappa: Estimate
    quadratic_kappa: Estimate
    accuracy: Estimate
    """Of preferences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorFigures(PeopleFigures):
    """One annotator against the others."""

    annotator: str
    n: int
    """Items that somebody else labelled too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling(PeopleFigures):
    """The mean over annotators, each weighing the same, with intervals by question."""

    people: tuple[AnnotatorFigures, ...]
    left_out: tuple[str, ...]
    """Annotators who were asked because the others differ."""
