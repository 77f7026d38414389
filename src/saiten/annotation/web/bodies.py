"""JSON in requests, validated field by field, and in responses; refused requests."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, cast
from uuid import UUID

from fastapi import Depends
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from saiten.annotation.forms import Form
from saiten.annotation.forms.form import InvalidPayload
from saiten.annotation.records import Json
from saiten.records import Language
from saiten.words import section

T = TypeVar("T")

_DEEPEST = 8
"""Maximum nesting; the deepest form has four levels."""
_LARGEST = 2**53
"""Larger integers differ between browsers and databases."""


class RequestRefused(Exception):
    """A refused request."""

    def __init__(
        self, status: int, why: str | ValueError, *, field: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        """`why`: a key of the section `annotation_server`, or a form's error; `field`: the field at fault."""
        super().__init__(why)
        self.status = status
        self.why = why
        self.field = field
        self.headers = dict(headers or {})

    def message(self, language: Language) -> str:
        """Return the message."""
        if isinstance(self.why, InvalidPayload):
            return self.why.message(language)
        return section("annotation_server", language).get(str(self.why), str(self.why))


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Respond with JSON, escaped to ASCII since lone surrogates could not be encoded; NaN raises ValueError."""
    return Response(
        json.dumps(value, allow_nan=False, separators=(",", ":")), status, headers, media_type="application/json"
    )


async def json_object(request: Request) -> Json:
    """Return a request's body; lone surrogates, which no database stores, become U+FFFD.

    Raises:
        RequestRefused: 413 or 408 (see `middleware`); 400 if it is not a storable JSON object.
    """
    try:
        found = json.loads((await request.body()).decode(), parse_constant=_refuse)
    except (ValueError, RecursionError, ClientDisconnect):  # a disconnected client needs no log entry
        raise RequestRefused(400, "not_json") from None
    if not isinstance(found, dict):
        raise RequestRefused(400, "not_json")
    return cast("Json", _storable(found, _DEEPEST))


Body = Annotated[Json, Depends(json_object)]


def field(body: Json, name: str, kind: type[T], why: str, default: T | None = None) -> T:
    """Return a field of the body; raises RequestRefused 422 with the message `why` if it is of another type."""
    value = body.get(name, default)
    if not isinstance(value, kind):
        raise RequestRefused(422, why, field=name)
    return value


def save_id_of(body: Json) -> str:
    """Return the save's id, which identifies repeats; raises RequestRefused 422."""
    try:
        return str(UUID(field(body, "save_id", str, "no_save_id")))
    except ValueError:
        raise RequestRefused(422, "no_save_id", field="save_id") from None


def seconds_of(body: Json) -> float | None:
    """Return the time spent, at most a day; raises RequestRefused 422."""
    seconds: Any = body.get("seconds")
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 0:
        raise RequestRefused(422, "no_seconds", field="seconds")
    return min(float(seconds), 86_400.0)


def checked_payload(form: Form, content: Json, payload: Json) -> Json:
    """Return the normal form of an annotation; raises RequestRefused 422 with the form's error."""
    try:
        return form.check(content, payload)
    except ValueError as error:
        raise RequestRefused(422, error, field="payload") from None


def _refuse(_: str) -> None:
    raise ValueError("NaN and Infinity are no JSON")


def _storable(value: Any, deeper: int) -> Any:
    if isinstance(value, str):
        if "\0" in value:  # PostgreSQL rejects it in text and JSON
            raise RequestRefused(400, "nul")
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, int | float) and abs(value) > _LARGEST:
        raise RequestRefused(400, "bad_request")
    if isinstance(value, dict | list) and not deeper:
        raise RequestRefused(400, "too_deep")
    if isinstance(value, dict):
        return {_storable(key, deeper): _storable(each, deeper - 1) for key, each in value.items()}
    return [_storable(each, deeper - 1) for each in value] if isinstance(value, list) else value
