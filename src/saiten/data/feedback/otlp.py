"""Scores as events `gen_ai.evaluation.result` of OpenTelemetry's GenAI conventions, in OTLP JSON.

One line is one request of logs, as the collector's `otlpjsonfile` receiver reads it. Each event belongs to the trace
and the span of its answer.
"""

import string
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from saiten.data.feedback.graded import FeedbackSource, Graded, TraceScore, trace_scores, without_nothing
from saiten.version import __version__

_EVENT = "gen_ai.evaluation.result"
_INFORMATION = 9
"""The severity INFO."""
_HEX = frozenset(string.hexdigits)


def to_otlp(graded: Iterable[Graded], source: FeedbackSource) -> Iterator[Mapping[str, Any]]:
    """Yield one request per score; the ids of traces that OpenTelemetry cannot have are attributes."""
    resource = {"attributes": _attributes({"service.name": "saiten", "service.version": __version__})}
    for one in trace_scores(graded, source):
        scope = {"scope": {"name": "saiten", "version": __version__}, "logRecords": [_record(one, source)]}
        yield {"resourceLogs": [{"resource": resource, "scopeLogs": [scope]}]}


def _record(one: TraceScore, source: FeedbackSource) -> dict[str, Any]:
    score, trace, span = one.score, hexadecimal(one.trace.id, 32), hexadecimal(one.trace.span, 16)
    time = str(int(source.time.timestamp() * 1000) * 1_000_000)
    attributes = {
        "gen_ai.evaluation.name": one.metric,
        "gen_ai.evaluation.score.value": None if score.value is None else float(score.value),
        "gen_ai.evaluation.score.label": one.label,
        "gen_ai.evaluation.explanation": score.reason,
        "error.type": score.status if score.status in ("failed", "unreadable") else None,
        "saiten.trace": one.trace.id if trace is None else None,
        **{f"saiten.{name}": value for name, value in one.origin.items()},
    }
    return without_nothing(
        {
            "timeUnixNano": time,
            "observedTimeUnixNano": time,
            "severityNumber": _INFORMATION,
            "eventName": _EVENT,
            "attributes": _attributes(attributes),
            "traceId": trace,
            "spanId": span if trace is not None else None,
        }
    )


def hexadecimal(identity: str | None, length: int) -> str | None:
    """Return an id of OpenTelemetry; also that in an id of MLflow (`tr-…`) and in a UUID; None for any other id."""
    text = (identity or "").removeprefix("tr-").replace("-", "").lower()
    return text if len(text) == length and _HEX.issuperset(text) else None


def _attributes(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": {"doubleValue" if isinstance(value, float) else "stringValue": value}}
        for key, value in given.items()
        if value is not None
    ]
