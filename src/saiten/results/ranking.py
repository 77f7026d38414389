"""Records of the ranking of metrics by one figure, and of the human ceiling."""

from dataclasses import dataclass

from saiten.results.rows import AsRows, Row, columns_of, figure_row
from saiten.stats.dependent_correlations import WilliamsTest
from saiten.stats.estimate import Estimate

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class PairwiseTest:
    """Comparison of two metrics on the items that both measured."""

    first: str
    second: str
    n: int
    difference: float | None
    """First minus second on these items; None if either figure is undefined there."""
    p_value: float | None
    """Uncorrected p-value by question: of the swap test, or of the bootstrap test for recomputed figures."""
    corrected: float | None
    """P-value corrected for all comparisons of the ranking."""
    williams: WilliamsTest | None
    """For Pearson and Spearman; assumes independent items."""

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
    """None for people, and if the figure is undefined."""
    letters: str = ""
    people: bool = False
    """Whether this row is the human ceiling."""


@dataclass(frozen=True, slots=True)
class Ranking(AsRows):
    """Metrics by one figure, best first, with the human ceiling placed by its value."""

    by: str
    places: tuple[RankedMetric, ...]
    comparisons: tuple[PairwiseTest, ...]

    def rows(self) -> list[Row]:
        """Return one row per metric, best first, including people."""
        return [
            columns_of(each, "rank", "letters", "metric", "people") | figure_row(each.figure) | {"n": each.figure.n}
            for each in self.places
        ]
