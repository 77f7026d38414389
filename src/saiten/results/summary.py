"""The summary of a run: the mean per metric with its interval and coverage, also by group and system.

Only scores with the status `ok` enter a mean; the other statuses are counted separately. Intervals come from a
bootstrap that resamples questions, since answers to one question are not independent of each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from saiten.records import STATUSES, Signature, Usage
from saiten.results.figure import Figure
from saiten.results.rows import AsRows, Row, columns_of
from saiten.stats.paired import PairedComparison
from saiten.stats.reliability import Reliability
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Summary(AsRows):
    """Everything shown of a run at a glance."""

    figures: tuple[Figure, ...]
    """Over everything first, then per system, then per group; metrics in the order of the run."""
    usage: Usage
    """Cost of the run, including initial test calls and scores that were unfinished or repeated."""
    signatures: Mapping[str, Signature | str] = field(default_factory=dict)
    """How each figure was made, by metric."""
    reliability: Mapping[str, Reliability] = field(default_factory=dict)
    """Agreement among the votes of a panel, by metric; empty without votes."""
    evidence: PairedComparison | None = None
    """If correctness was graded with the evidence of the answer (E2) and of the reference (E3): the shift of the grade
    from E2 to E3, on the answers graded with both."""
    remarks: tuple[Message, ...] = ()
    """Remarks on what the figures exclude."""

    def rows(self) -> list[Row]:
        """Return one row per figure: `metric, system, group, mean, ci_low, ci_high, n, of, questions, …`."""
        return [
            {
                **columns_of(figure, "metric", "system", "group", "mean", "low", "high", "n"),
                "of": figure.total,
                "questions": figure.questions,
                **{status: figure.coverage.get(status, 0) for status in STATUSES if status != "ok"},
                "note": str(figure.note or ""),
            }
            for figure in self.figures
        ]

    @property
    def measured(self) -> bool:
        """Whether there is any value, including answers that decline: their grade is 0."""
        return any(figure.n or figure.coverage.get("declined") for figure in self.figures)

    def overall(self, metric: str) -> Figure:
        """Return the figure of one metric over everything; raise KeyError if there is none."""
        for figure in self.figures:
            if figure.metric == metric and figure.overall:
                return figure
        raise KeyError(metric)
