"""Rows of Phoenix's `get_spans_dataframe`, saved as JSON lines, CSV or Parquet.

A row is a span, with a column per attribute.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from saiten.data.rows import RawRow
from saiten.data.traces.attributes import facts_of
from saiten.data.traces.otlp import flattened, plain_id
from saiten.data.traces.span import TraceSpan
from saiten.data.traces.times import nanoseconds
from saiten.data.values import is_nothing

_ATTRIBUTES = "attributes."


def is_phoenix(fields: Mapping[str, Any]) -> bool:
    """Return whether a row is a span of a data frame."""
    return "context.trace_id" in fields and ("context.span_id" in fields or "span_kind" in fields)


def spans_of_phoenix(row: RawRow) -> Iterator[TraceSpan]:
    """Yield the span of a row; raises ValueError if it has no ids."""
    fields = {name: value for name, value in row.fields.items() if not _is_empty(value)}
    if "context.span_id" not in fields:
        raise ValueError("a span without `context.span_id`: save the frame with its index, df.reset_index()")
    given = {name.removeprefix(_ATTRIBUTES): value for name, value in fields.items() if name.startswith(_ATTRIBUTES)}
    given.setdefault("openinference.span.kind", fields.get("span_kind"))
    yield TraceSpan.checked(
        {
            "trace": plain_id(fields.get("context.trace_id"), 32),
            "id": plain_id(fields["context.span_id"], 16),
            "parent": plain_id(fields.get("parent_id"), 16),
            "name": str(fields.get("name") or ""),
            "where": row.where,
            "number": row.number,
            "facts": facts_of(flattened(given)),
            "start": nanoseconds(fields.get("start_time")),
            "end": nanoseconds(fields.get("end_time")),
            "fault": str(fields.get("status_message") or "an error") if fields.get("status_code") == "ERROR" else "",
        }
    )


def _is_empty(value: Any) -> bool:
    """Return whether a cell is empty: pandas writes NaN, None, NaT or nothing."""
    return is_nothing(value) or (isinstance(value, str) and value == "")
