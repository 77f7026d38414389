"""MLflow's traces: `Trace.to_json()`, and the rows of `mlflow.search_traces()`, whose column `trace` has the same JSON.

A row without that column has the columns `spans`, `trace_metadata` and `tags`. Traces of MLflow 2 are read too: their
id is `request_id`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from saiten.data.rows import RawRow
from saiten.data.traces.attributes import facts_of
from saiten.data.traces.otlp import attributes_of, plain_id
from saiten.data.traces.span import Facts, TraceSpan
from saiten.data.traces.texts import parsed
from saiten.data.traces.times import nanoseconds
from saiten.data.values import is_list


def is_mlflow(fields: Mapping[str, Any]) -> bool:
    """Return whether a row is a trace."""
    if isinstance(fields.get("info"), Mapping) and isinstance(fields.get("data"), Mapping):
        return "spans" in fields["data"]
    names = set(fields)
    return not names.isdisjoint({"trace_id", "request_id"}) and "spans" in names and "tags" in names


def spans_of_mlflow(row: RawRow) -> Iterator[TraceSpan]:
    """Yield the spans of a row; raises ValueError if it is no trace, or a span has no id."""
    whole = parsed(row.fields.get("trace"))
    fields = whole if isinstance(whole, Mapping) else row.fields
    info, data = fields.get("info", fields), fields.get("data", fields)
    spans: Any = parsed(data.get("spans")) if isinstance(data, Mapping) else None
    if not isinstance(info, Mapping) or not is_list(spans):
        raise ValueError("expected a trace with `info` and `data.spans`, as Trace.to_json() writes it")
    trace = str(info.get("trace_id") or info.get("request_id") or "")
    metadata = _object(info.get("trace_metadata") or info.get("request_metadata"))
    name = _object(info.get("tags")).get("mlflow.traceName")
    session = metadata.get("mlflow.trace.session")
    shared = Facts(session=None if session is None else str(session), system=None if name is None else str(name))
    for span in spans:
        yield _span(row, trace, _object(span), shared)


def _span(row: RawRow, trace: str, span: Mapping[str, Any], shared: Facts) -> TraceSpan:
    status = span.get("status")
    code = status.get("code") if isinstance(status, Mapping) else span.get("status_code")
    message = status.get("message") if isinstance(status, Mapping) else span.get("status_message")
    context = span.get("context")  # MLflow 2
    identity = context.get("span_id") if isinstance(context, Mapping) else span.get("span_id")
    return TraceSpan.checked(
        {
            "trace": trace,
            "id": plain_id(identity, 16),
            "parent": plain_id(span.get("parent_span_id", span.get("parent_id")), 16),
            "name": str(span.get("name") or ""),
            "where": row.where,
            "number": row.number,
            "facts": facts_of(attributes_of(span.get("attributes"))) | shared,
            "start": nanoseconds(span.get("start_time_unix_nano", span.get("start_time"))),
            "end": nanoseconds(span.get("end_time_unix_nano", span.get("end_time"))),
            "fault": str(message or "an error") if code in ("STATUS_CODE_ERROR", "ERROR") else "",
        }
    )


def _object(given: Any) -> Mapping[str, Any]:
    value = parsed(given)
    return value if isinstance(value, Mapping) else {}
