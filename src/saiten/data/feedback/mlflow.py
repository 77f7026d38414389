"""Scores as MLflow's assessments: one `Assessment.to_dictionary()` per line, for `mlflow.log_assessment`.

A score without a value is feedback with an error, whose code is the status.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from saiten.data.feedback.graded import FeedbackSource, Graded, TraceScore, trace_scores, without_nothing


def to_mlflow(graded: Iterable[Graded], source: FeedbackSource) -> Iterator[Mapping[str, Any]]:
    """Yield one assessment per score."""
    time = source.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    for one in trace_scores(graded, source):
        made_by = {"source_type": "LLM_JUDGE" if one.judge else "CODE", "source_id": one.judge or "saiten"}
        yield without_nothing(
            {
                "assessment_name": one.metric,
                "trace_id": one.trace.id,
                "span_id": one.trace.span,
                "source": made_by,
                "create_time": time,
                "last_update_time": time,
                "feedback": _feedback(one),
                "rationale": one.score.reason,
                "metadata": {f"saiten.{name}": value for name, value in one.origin.items()},
                "valid": True,
            }
        )


def _feedback(one: TraceScore) -> dict[str, Any]:
    if one.label is None:
        return {"value": one.score.value}
    return {"value": None, "error": {"error_code": one.label, "error_message": one.score.reason or one.label}}
