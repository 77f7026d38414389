"""JSON as stored in the database: compact and with sorted keys, so that equal values are equal texts."""

import json
from hashlib import sha256
from typing import Any

import orjson

from saiten.annotation.records import Json
from saiten.errors import BadInput


def to_text(value: Json, what: str) -> str:
    """Write an object as canonical JSON; raises BadInput, naming `what`, for NaN, lone surrogates and other types."""
    try:
        text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
        text.encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"{what} cannot be written as JSON: it contains a lone surrogate (half of a character)"
        ) from None
    except (TypeError, ValueError, RecursionError) as error:
        reason = (str(error) or "it is nested too deeply").splitlines()[0][:200]
        raise BadInput(f"{what} cannot be written as JSON: {reason}") from None
    return text


def from_text(text: str) -> dict[str, Any]:
    """Read an object written by `to_text`."""
    value: dict[str, Any] = orjson.loads(text)  # three times as fast, and the admin pages read whole projects
    return value


def digest(text: str) -> bytes:
    """Return a 32-byte digest of the text."""
    return sha256(text.encode()).digest()


def plain(text: str, what: str, longest: int) -> str:
    """Return a text of 1 to `longest` characters; raises BadInput for one that no database stores."""
    if not isinstance(text, str) or not 0 < len(text) <= longest:
        raise BadInput(f"{what} must be a text of 1 to {longest} characters")
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise BadInput(f"{what} contains characters that cannot be stored: {text[:60]!a}")
    return text
