"""OTLP in JSON, as the collector's file exporter writes it, and the JSON of a span as OpenTelemetry's SDKs print it.

A row of OTLP is `{"resourceSpans": [{"resource": …, "scopeSpans": [{"spans": […]}]}]}`. The specification wants ids in
hexadecimal; Protobuf's own JSON has them in Base64, and snake_case is as common as camelCase: both are read.
"""

import base64
import binascii
import string
from collections.abc import Iterator, Mapping
from typing import Any

from saiten.data.rows import RawRow
from saiten.data.traces.attributes import facts_of
from saiten.data.traces.span import NOTHING, Facts, TraceSpan
from saiten.data.traces.times import nanoseconds
from saiten.data.values import is_list

_HEX = frozenset(string.hexdigits)
_OTHERS = ("resourceLogs", "resourceMetrics", "resource_logs", "resource_metrics")


def is_otlp(fields: Mapping[str, Any]) -> bool:
    """Return whether a row is a request of OTLP, or one of its spans."""
    if is_list(fields.get("resourceSpans", fields.get("resource_spans"))):
        return True
    return bool(_get(fields, "traceId") and _get(fields, "spanId") and "startTimeUnixNano" in _camel(fields))


def is_other_signal(fields: Mapping[str, Any]) -> bool:
    """Return whether a row of OTLP has logs or metrics, which say nothing about traces."""
    return any(name in fields for name in _OTHERS)


def spans_of_otlp(row: RawRow) -> Iterator[TraceSpan]:
    """Yield the spans of a row; raises ValueError if one has no ids or another shape."""
    fields = row.fields
    groups = fields.get("resourceSpans", fields.get("resource_spans"))
    if groups is None:
        yield _span(row, fields, NOTHING)
        return
    for group in _objects(groups, "resourceSpans"):
        resource = group.get("resource")
        described = attributes_of(resource.get("attributes")) if isinstance(resource, Mapping) else {}
        shared = _of_resource(described)
        for scope in _objects(_get(group, "scopeSpans") or group.get("instrumentationLibrarySpans"), "scopeSpans"):
            for span in _objects(scope.get("spans"), "spans"):
                yield _span(row, span, shared)


def is_sdk_span(fields: Mapping[str, Any]) -> bool:
    """Return whether a row is a span as the SDKs print it (`ConsoleSpanExporter`), or of Phoenix's REST API."""
    context = fields.get("context")
    return isinstance(context, Mapping) and "trace_id" in context and "span_id" in context


def spans_of_sdk(row: RawRow) -> Iterator[TraceSpan]:
    """Yield the span of a row; raises ValueError if it has no ids."""
    fields, context = row.fields, row.fields["context"]
    attributes = fields.get("attributes")
    given = flattened(attributes) if isinstance(attributes, Mapping) else {}
    kind = fields.get("span_kind")  # Phoenix
    if kind is not None:
        given.setdefault("openinference.span.kind", kind)
    resource = fields.get("resource")
    described = resource.get("attributes") if isinstance(resource, Mapping) else None
    shared = _of_resource(described if isinstance(described, Mapping) else {})
    status = fields.get("status")
    code = status.get("status_code") if isinstance(status, Mapping) else fields.get("status_code")
    message = status.get("description") if isinstance(status, Mapping) else fields.get("status_message")
    yield TraceSpan.checked(
        {
            "trace": plain_id(context.get("trace_id"), 32),
            "id": plain_id(context.get("span_id"), 16),
            "parent": plain_id(fields.get("parent_id"), 16),
            "name": str(fields.get("name") or ""),
            "where": row.where,
            "number": row.number,
            "facts": facts_of(given, _events(fields.get("events"))) | shared,
            "start": nanoseconds(fields.get("start_time")),
            "end": nanoseconds(fields.get("end_time")),
            "fault": str(message or "an error") if code == "ERROR" else "",
        }
    )


def _span(row: RawRow, span: Mapping[str, Any], shared: Facts) -> TraceSpan:
    span = _camel(span)
    status = span.get("status")
    failed = isinstance(status, Mapping) and status.get("code") in (2, "STATUS_CODE_ERROR")
    attributes = attributes_of(span.get("attributes"))
    return TraceSpan.checked(
        {
            "trace": plain_id(span.get("traceId"), 32),
            "id": plain_id(span.get("spanId"), 16),
            "parent": plain_id(span.get("parentSpanId"), 16),
            "name": str(span.get("name") or ""),
            "where": row.where,
            "number": row.number,
            "facts": facts_of(attributes, _events(span.get("events"))) | shared,
            "start": nanoseconds(span.get("startTimeUnixNano")) or None,
            "end": nanoseconds(span.get("endTimeUnixNano")) or None,
            "fault": str(status.get("message") or "an error") if failed and status else "",
        }
    )


def _of_resource(resource: Mapping[str, Any]) -> Facts:
    """Return `NAME VERSION` of the service as the system; nothing for a service without a name."""
    name = str(resource.get("service.name") or "")
    version = str(resource.get("service.version") or "")
    known = name and not name.startswith("unknown_service")
    return Facts(system=f"{name} {version}".strip()) if known else NOTHING


def attributes_of(given: Any) -> dict[str, Any]:
    """Return attributes as a flat object, from OTLP's list of keys and values, or from an object."""
    if isinstance(given, Mapping):
        return flattened(given)
    pairs = _objects(given, "attributes")
    return flattened({str(pair["key"]): _value(pair.get("value")) for pair in pairs if "key" in pair})


def flattened(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object in which nested objects are dotted names, as most exporters write them anyway."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        found[key] = value
        if isinstance(value, Mapping):
            found |= {f"{key}.{name}": inner for name, inner in flattened(value).items()}
    return found


def plain_id(given: Any, length: int) -> str | None:
    """Return an id in hexadecimal: without 0x, and decoded if it is Base64; other ids as they are, None for no id."""
    text = str(given or "").removeprefix("0x")
    if len(text) == length and _HEX.issuperset(text):
        return None if not text.strip("0") else text.lower()
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text or None
    return decoded.hex() if 2 * len(decoded) == length and text.endswith("=") else text or None


def _value(given: Any) -> Any:
    """Return the value in `{"stringValue": …}`, `{"arrayValue": {"values": […]}}` and so on."""
    if not isinstance(given, Mapping):
        return given
    for name, value in _camel(given).items():
        if name == "intValue":
            return int(value) if str(value).lstrip("-").isdecimal() else value
        if name == "arrayValue":
            return [_value(item) for item in _objects(value.get("values") if isinstance(value, Mapping) else (), name)]
        if name == "kvlistValue":
            return attributes_of(value.get("values") if isinstance(value, Mapping) else ())
        return value
    return None


def _events(given: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for event in given if is_list(given) else ():
        if isinstance(event, Mapping):
            yield str(event.get("name") or ""), attributes_of(event.get("attributes"))


def _objects(given: Any, name: str) -> list[Mapping[str, Any]]:
    items = list(given) if is_list(given) else ([] if given is None else [given])
    for item in items:
        if not isinstance(item, Mapping):
            raise ValueError(f"{name}: expected objects, got {item!r:.40}")  # noqa: TRY004 - a fault of the file
    return items


def _camel(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object with its keys in camelCase."""
    if not any("_" in key for key in given):
        return given
    return {_camel_case(key): value for key, value in given.items()}


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _get(given: Mapping[str, Any], name: str) -> Any:
    return given.get(name, _camel(given).get(name))
