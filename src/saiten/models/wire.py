"""JSON as sent over HTTP."""

import json
from typing import Any

import orjson


def dump(value: Any) -> bytes:
    """Return compact JSON in UTF-8, with U+FFFD for lone surrogates, which UTF-8 cannot encode."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return orjson.dumps(_mended(value))


def load(body: bytes) -> Any:
    """Parse JSON, tolerating lone surrogates and raw control characters; None if it is invalid."""
    try:
        return orjson.loads(body)
    except ValueError:
        pass
    try:
        return _mended(json.loads(body, strict=False))
    except (ValueError, RecursionError):
        return None


def glimpse(value: Any) -> str:
    """Return the beginning of an untrusted value for an error message, however deep or large it is."""
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
