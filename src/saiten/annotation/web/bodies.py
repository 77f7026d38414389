"""The JSON object in a request, or a refusal with a sentence: never deeper than it is meant, and storable anywhere."""

import json
from typing import Any

from starlette.requests import ClientDisconnect, Request

from saiten.annotation.records import Json
from saiten.annotation.web.refusals import RequestRefused

_DEEPEST = 8
"""Levels of objects and lists; the deepest form has four."""
_LARGEST = 2**53
"""Whole numbers up to here are the same in every browser and database."""


async def json_object(request: Request) -> Json:
    """The request's body; half a surrogate pair, which no database takes, becomes U+FFFD.

    Raises:
        RequestRefused: 413 or 408 (see `limits`); 400 if it is not a storable JSON object.
    """
    try:
        found = json.loads((await request.body()).decode(), parse_constant=_refuse)
    except (ValueError, RecursionError, ClientDisconnect):  # whoever hung up reads no answer: nothing for the log
        raise RequestRefused(400, "not_json") from None
    if not isinstance(found, dict):
        raise RequestRefused(400, "not_json")
    storable: dict[str, Any] = _storable(found, _DEEPEST)
    return storable


def _refuse(_: str) -> None:
    raise ValueError("NaN and Infinity are no JSON")


def _storable(value: Any, deeper: int) -> Any:
    if isinstance(value, str):
        if "\0" in value:  # PostgreSQL takes it neither in text nor in JSON
            raise RequestRefused(400, "nul")
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, int | float) and abs(value) > _LARGEST:
        raise RequestRefused(400, "bad_request")
    if isinstance(value, dict | list) and not deeper:
        raise RequestRefused(400, "too_deep")
    if isinstance(value, dict):
        return {_storable(key, deeper): _storable(each, deeper - 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_storable(each, deeper - 1) for each in value]
    return value
