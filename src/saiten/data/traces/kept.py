"""The trace of a sample as JSON, in the files of a run and in rows."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from saiten.records import Trace

_FIELDS = frozenset(field.name for field in fields(Trace))
_NUMBERS = ("seconds", "prompt_tokens", "completion_tokens")


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """Return the fields that are known."""
    return {name: value for name, value in asdict(trace).items() if value is not None}


def trace_from_json(value: Any) -> Trace | None:
    """Return the trace in an object; None for anything else, such as a column of the same name in other data."""
    if not isinstance(value, Mapping) or not isinstance(value.get("id"), str) or not value.keys() <= _FIELDS:
        return None
    for name, given in value.items():
        kinds: tuple[type, ...] = (int, float) if name in _NUMBERS else (str,)
        if given is not None and (not isinstance(given, kinds) or isinstance(given, bool)):
            return None
    return Trace(**value)
