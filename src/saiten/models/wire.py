"""JSON as it goes over the wire."""

import json
from typing import Any

import orjson


def dump(value: Any) -> bytes:
    """Compact JSON in UTF-8. Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return orjson.dumps(_mended(value))


def load(body: bytes) -> Any:
    """The JSON value; None if it is none. Half surrogate pairs and raw control characters are forgiven."""
    try:
        return orjson.loads(body)
    except ValueError:
        pass
    try:
        return _mended(json.loads(body, strict=False))
    except (ValueError, RecursionError):
        return None


def glimpse(value: Any) -> str:
    """The beginning of a value from outside, for an error message; it may nest or count beyond what can be written."""
    try:
        return dump(value)[:10_000].decode("utf-8", "replace")
    except (TypeError, RecursionError):
        return "JSON that cannot be shown"


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_mended(key): _mended(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(entry) for entry in value]
    return value
