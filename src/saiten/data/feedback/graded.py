"""Scores on their way to the tool that recorded the trace of the answer."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from saiten.records import Sample, Score, Trace

Graded = tuple[Sample, Mapping[str, Score]]
"""A sample with its scores by metric."""


@dataclass(frozen=True, slots=True)
class FeedbackSource:
    """What made the scores, and when."""

    judges: Mapping[str, str] = field(default_factory=dict)
    """Metric → the judge, for metrics that a model judged; others are computed."""
    run: str = ""
    """The name of the run."""
    time: datetime = field(default_factory=lambda: datetime.now(UTC))
    """When the run began; the same whenever its scores are sent."""


@dataclass(frozen=True, slots=True)
class TraceScore:
    """A score of a sample that was read from a trace."""

    sample: str
    trace: Trace
    metric: str
    score: Score
    judge: str
    """"" for a metric that is computed."""
    run: str

    @property
    def label(self) -> str | None:
        """The status of a score without a value; None for one with a value."""
        return None if self.score.status == "ok" else self.score.status

    @property
    def origin(self) -> dict[str, str]:
        """The sample, the judge and the run, as far as known."""
        known = {"sample": self.sample, "judge": self.judge, "run": self.run}
        return {name: value for name, value in known.items() if value}

    @property
    def identity(self) -> str:
        """An id that is the same whenever the run's score is sent, so that it is replaced rather than repeated."""
        return str(uuid5(NAMESPACE_URL, f"saiten:{self.run}:{self.trace.id}:{self.trace.span}:{self.metric}"))


def trace_scores(graded: Iterable[Graded], source: FeedbackSource) -> Iterator[TraceScore]:
    """Yield the scores of the samples that were read from traces."""
    for sample, scores in graded:
        if sample.trace is not None:
            for metric, score in scores.items():
                yield TraceScore(sample.id, sample.trace, metric, score, source.judges.get(metric, ""), source.run)


def without_nothing(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without the values that are not known."""
    return {name: value for name, value in given.items() if value is not None}
