"""JSON as the database keeps it: compact, keys in order, so that equal things are equal texts."""

import json
from hashlib import sha256
from typing import Any

import orjson

from saiten.annotation.records import Json
from saiten.errors import BadInput


def to_text(value: Json, what: str) -> str:
    """The one text of this object.

    Raises:
        BadInput: it is no JSON, or holds half a character or a number that is none; `what` is named.
    """
    try:
        text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:  # a lone surrogate is a ValueError, too
        raise BadInput(f"{what} cannot be written as JSON: {_first_line(error)}") from None
    return text


def from_text(text: str) -> dict[str, Any]:
    """What was written."""
    value: dict[str, Any] = orjson.loads(text)  # a whole project is read for the admin's pages: it is thrice as quick
    return value


def digest(text: str) -> bytes:
    """32 bytes that stand for the text."""
    return sha256(text.encode()).digest()


def plain(text: str, what: str, longest: int) -> str:
    """The text, if both databases can keep it: 1 to `longest` characters, no zero character, no half one.

    Raises:
        BadInput: it is not so.
    """
    if not isinstance(text, str) or not 0 < len(text) <= longest:
        raise BadInput(f"{what} must be a text of 1 to {longest} characters")
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise BadInput(f"{what} holds characters that are no text: {text[:60]!a}")
    return text


def _first_line(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "it holds half of a character (a lone surrogate)"
    return (str(error) or "it is nested too deep").splitlines()[0][:200]
