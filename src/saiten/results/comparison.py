"""Comparison of two or more runs, or of the systems of one: is the difference real?"""

from dataclasses import dataclass
from typing import Literal

from saiten.records import CHECKS
from saiten.results.metric_comparison import MetricComparison
from saiten.results.paired_sides import Pairing
from saiten.results.rows import AsRows, Row, columns_of
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Comparison(AsRows):
    """Two sides compared, metric by metric; the first is the baseline."""

    first: str
    second: str
    metrics: tuple[MetricComparison, ...]
    pairing: Pairing
    tests_of: Literal["metrics", "metrics_and_runs"] = "metrics"
    """The set of tests that the p-values are corrected over."""

    def of(self, metric: str) -> MetricComparison | None:
        """Return the comparison of this metric; None if either side lacks it."""
        return next((each for each in self.metrics if each.metric == metric), None)

    def rows(self) -> list[Row]:
        """Return one row per metric: `metric, difference, ci_low, ci_high, p_value, verdict, n, of, …`."""
        return [
            {
                **columns_of(each, "metric", "difference"),
                **columns_of(each.pairs, "low", "high"),
                **columns_of(each, "p_value", "verdict", "n", "of"),
                "higher": each.pairs.wins,
                "equal": each.pairs.ties,
                "lower": each.pairs.losses,
                "one_side_only": each.one_sided,
                "remarks": str(each.remarks),
            }
            for each in self.metrics
        ]

    @property
    def checks(self) -> list[str]:
        """Metrics that are only checks: their p-values are not corrected and do not count in corrections."""
        return [each.metric for each in self.metrics if each.metric in CHECKS]

    @property
    def remarks(self) -> list[Message]:
        """Remarks on how reliable the pairs are."""
        found = []
        by = self.pairing
        if by.mostly_alone:
            found.append(Message("difference", "mostly_alone", n=by.pairs, first=by.first, second=by.second))
        if by.how == "place":
            found.append(Message("difference", "by_place"))
        return found
