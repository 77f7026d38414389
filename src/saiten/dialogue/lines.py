"""Dialogues as lines of `dialogues.jsonl`, and back; fields with their default value are omitted."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from math import isfinite
from typing import Any

from pydantic import TypeAdapter

from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.scores import HIGHEST


def dialogue_to_json(dialogue: Dialogue) -> dict[str, Any]:
    """Return the dialogue with all its steps; grades and scores are added for readers of the file."""
    scores = {name: score for name, score in dialogue.scores.items() if score is not None}
    return {"id": dialogue.id, "grades": list(dialogue.grades), **scores, **_plain(dialogue)}


def dialogue_from_json(value: Mapping[str, Any]) -> Dialogue:
    """Return the dialogue; raise ValueError if a field is missing, of another type or out of range."""
    try:
        dialogue = _reader().validate_python(value)
        if dialogue.max_turns < 1 or any(not 0 <= grade <= HIGHEST for grade in dialogue.grades):
            raise ValueError(f"a grade lies between 0 and {HIGHEST}, and there is at least one turn")  # noqa: TRY301
        if not all(isfinite(each or 0) for each in (dialogue.leak.share, *(step.seconds for step in dialogue.steps))):
            raise ValueError("a share or a latency is infinite")  # noqa: TRY301
        dialogue.scores  # noqa: B018 - raises for too many grades, or none
    except ValueError as error:
        raise ValueError(f"it is no dialogue: {error}") from error
    return dialogue


@cache
def _reader() -> TypeAdapter[Dialogue]:
    """Return the type adapter, created when the first dialogue is read."""
    return TypeAdapter(Dialogue)


def _plain(record: Any) -> dict[str, Any]:
    """Return the fields that differ from their defaults, recursively."""
    found = {}
    for field in fields(record):
        value = getattr(record, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if value != default:
            found[field.name] = _ready(value)
    return found


def _ready(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_ready(each) for each in value]
    return _plain(value) if is_dataclass(value) else value
