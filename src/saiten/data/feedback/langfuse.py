"""Scores as Langfuse's API takes them: one body of `POST /api/public/scores` per line.

A score without a value is categorical, with its status as the value.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from saiten.data.feedback.graded import FeedbackSource, Graded, trace_scores, without_nothing


def to_langfuse(graded: Iterable[Graded], source: FeedbackSource) -> Iterator[Mapping[str, Any]]:
    """Yield one body per score; sent again, it replaces itself, since its id and its time stay the same."""
    for one in trace_scores(graded, source):
        yield without_nothing(
            {
                "id": one.identity,
                "traceId": one.trace.id,
                "observationId": one.trace.span,
                "name": one.metric,
                "value": one.score.value if one.label is None else one.label,
                "dataType": "NUMERIC" if one.label is None else "CATEGORICAL",
                "comment": one.score.reason,
                "metadata": one.origin,
                "timestamp": source.time.isoformat(timespec="milliseconds"),
            }
        )
