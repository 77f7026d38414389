"""Blinding: the part of an item shown to an annotator, and the order of its answers."""

from hashlib import sha256
from typing import Any

from saiten.annotation.records import Assigned, Json, Participant

_HIDDEN = frozenset({"ids", "filed", "id", "key", "system", "group"})


def shown_content(assigned: Assigned, person: Participant, seed: int) -> Json:
    """Return the content without ids and system names, with the answers in this annotator's order."""
    content = {name: value for name, value in assigned.item.content.items() if name not in _HIDDEN}
    if isinstance(content.get("answers"), list):
        content["answers"] = sorted(
            ({"key": answer["key"], "text": answer["text"]} for answer in content["answers"]),
            key=lambda answer: _drawn(seed, person.id, assigned.item.id, answer["key"]),
        )
    return content


def person_key(project: str, person: Participant) -> str:
    """Return a stable key for the browser's drafts, different for every project and person."""
    return _drawn(project, person.id).hex()[:16]


def _drawn(*parts: Any) -> bytes:
    """Return a reproducible pseudo-random sort key."""
    return sha256(repr(parts).encode()).digest()
