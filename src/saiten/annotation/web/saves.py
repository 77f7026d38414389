"""What the page sends when something was said, read field by field: each wrong one is named."""

from typing import Any
from uuid import UUID

from saiten.annotation.records import Json
from saiten.annotation.web.refusals import RequestRefused

_DAY = 86_400.0
_LONGEST_NOTE = 10_000
"""Characters."""


def payload_of(body: Json) -> Json:
    """The payload; raises RequestRefused 422."""
    payload = body.get("payload")
    if not isinstance(payload, dict):
        raise RequestRefused(422, "not_json", field="payload")
    return payload


def save_id_of(body: Json) -> str:
    """The save's own id, by which one that is sent twice is stored once; raises RequestRefused 422."""
    try:
        return str(UUID(body.get("save_id")))
    except (TypeError, ValueError, AttributeError):
        raise RequestRefused(422, "no_save_id", field="save_id") from None


def unclear_of(body: Json) -> bool:
    """Whether the item was flagged; raises RequestRefused 422."""
    unclear: Any = body.get("unclear", False)
    if not isinstance(unclear, bool):
        raise RequestRefused(422, "no_flag", field="unclear")
    return unclear


def seconds_of(body: Json) -> float | None:
    """How long it took, a day at most; raises RequestRefused 422."""
    seconds: Any = body.get("seconds")
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 0:
        raise RequestRefused(422, "no_seconds", field="seconds")
    return min(float(seconds), _DAY)


def note_of(body: Json) -> str:
    """The note of a decision; raises RequestRefused 422."""
    note: Any = body.get("note", "")
    if not isinstance(note, str) or len(note) > _LONGEST_NOTE:
        raise RequestRefused(422, "no_note", field="note")
    return note.strip()
