"""Langfuse's JSON: traces, with their observations or without, and observations by themselves.

Traces come from the API up to version 4 (`GET /api/public/traces/ID` and the export of the trace table), observations
from all versions. A trace is a span around its observations, with its own id. Names may be in camelCase, as the API has
them, or in snake_case, as the Python SDK has.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from saiten.data.rows import RawRow
from saiten.data.traces.attributes import KINDS, facts_of_io
from saiten.data.traces.span import TraceSpan
from saiten.data.traces.texts import parsed
from saiten.data.traces.times import nanoseconds
from saiten.data.values import is_list, is_nothing

_OF_TRACES = {
    "htmlpath", "sessionid", "userid", "totalcost", "projectid", "observations", "bookmarked", "release", "public",
}  # fmt: skip
_SURE = 2
"""The number of these columns that no other data has together with `timestamp`."""


def is_langfuse(fields: Mapping[str, Any]) -> bool:
    """Return whether a row is a trace or an observation."""
    names = {_plain(name) for name in fields}
    if {"id", "traceid", "type", "starttime"} <= names:
        return True
    return (
        {"id", "timestamp"} <= names and not names.isdisjoint({"input", "output"}) and len(names & _OF_TRACES) >= _SURE
    )


def spans_of_langfuse(row: RawRow) -> Iterator[TraceSpan]:
    """Yield the spans of a row; raises ValueError if one has no ids."""
    fields = _named(row.fields)
    if "traceid" in fields:
        yield _observation(row, fields, _system(fields))
        return
    yield _trace(row, fields)
    observations = parsed(fields.get("observations"))
    for each in observations if is_list(observations) else ():
        if isinstance(each, Mapping):
            yield _observation(row, {"traceid": fields.get("id"), **_named(each)}, _system(fields))


def _trace(row: RawRow, fields: Mapping[str, Any]) -> TraceSpan:
    start = nanoseconds(fields.get("timestamp"))
    latency = fields.get("latency")
    identity = str(fields.get("id") or "")
    end = start + int(latency * 1e9) if start is not None and isinstance(latency, int | float) else None
    return TraceSpan.checked(
        {
            "trace": identity,
            "id": identity,
            "parent": None,
            "name": str(fields.get("name") or ""),
            "where": row.where,
            "number": row.number,
            "facts": facts_of_io(
                "chain",
                fields.get("input"),
                fields.get("output"),
                session=_text(fields, "sessionid"),
                system=_system(fields),
            ),
            "start": start,
            "end": end,
        }
    )


def _observation(row: RawRow, fields: Mapping[str, Any], system: str | None) -> TraceSpan:
    trace = str(fields.get("traceid") or "")
    kind = KINDS.get(str(fields.get("type")).lower(), "chain")
    usage = fields.get("usagedetails") or fields.get("usage")
    facts = facts_of_io(
        kind, fields.get("input"), fields.get("output"), usage, session=_text(fields, "sessionid"), system=system
    )
    return TraceSpan.checked(
        {
            "trace": trace,
            "id": str(fields.get("id") or ""),
            "parent": _text(fields, "parentobservationid") or trace,
            "name": str(fields.get("name") or ""),
            "where": row.where,
            "number": row.number,
            "facts": facts,
            "start": nanoseconds(fields.get("starttime")),
            "end": nanoseconds(fields.get("endtime")),
            "fault": str(fields.get("statusmessage") or "an error") if fields.get("level") == "ERROR" else "",
        }
    )


def _system(fields: Mapping[str, Any]) -> str | None:
    """Return the name of the trace, with its version or release."""
    name = _text(fields, "tracename" if "traceid" in fields else "name")
    version = _text(fields, "version") or _text(fields, "release")
    return None if name is None else " ".join(filter(None, [name, version]))


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return None if is_nothing(value) or value == "" else str(value)


def _named(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {_plain(name): value for name, value in fields.items()}


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
