"""What an annotator may see of an item, and in which order its answers stand for them."""

from hashlib import sha256
from typing import Any

from saiten.annotation.records import Assigned, Json, Participant

_HIDDEN = frozenset({"ids", "filed", "id", "key", "system", "group"})


def shown_content(assigned: Assigned, person: Participant, seed: int) -> Json:
    """The content without ids and names of systems; answers in an order of this annotator's own."""
    content = {name: value for name, value in assigned.item.content.items() if name not in _HIDDEN}
    if isinstance(content.get("answers"), list):
        content["answers"] = sorted(
            ({"key": answer["key"], "text": answer["text"]} for answer in content["answers"]),
            key=lambda answer: _drawn(seed, person.id, assigned.item.id, answer["key"]),
        )
    return content


def person_key(project: str, person: Participant) -> str:
    """What the page hangs its drafts on: the same for this person for ever, another for every project and person."""
    return _drawn(project, person.id).hex()[:16]


def _drawn(*parts: Any) -> bytes:
    """A place that looks drawn, and is the same each time."""
    return sha256(repr(parts).encode()).digest()
