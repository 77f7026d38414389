"""Dialogues as lines of `dialogues.jsonl`."""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.scores import HIGHEST


def dialogue_to_json(dialogue: Dialogue) -> dict[str, Any]:
    """Return the dialogue as a line of `dialogues.jsonl`: fields that differ from their defaults, grades and scores."""
    plain = _adapter().dump_python(dialogue, exclude_defaults=True, warnings=False)
    scores = {name: score for name, score in dialogue.scores.items() if score is not None}
    return {"id": dialogue.id, "grades": list(dialogue.grades), **scores, **plain}


def dialogue_from_json(value: Mapping[str, Any]) -> Dialogue:
    """Return the dialogue; raise ValueError if a field is missing, of another type or out of range."""
    try:
        dialogue = _adapter().validate_python(value)
        if dialogue.max_turns < 1 or any(not 0 <= grade <= HIGHEST for grade in dialogue.grades):
            raise ValueError(f"grades must be between 0 and {HIGHEST}, and there must be at least one turn")  # noqa: TRY301
        if not all(
            math.isfinite(each or 0) for each in (dialogue.leak.share, *(step.seconds for step in dialogue.steps))
        ):
            raise ValueError("a share or a latency is infinite")  # noqa: TRY301
        dialogue.scores  # noqa: B018 - raises for too many grades, or none
    except ValueError as error:
        raise ValueError(f"not a dialogue: {error}") from error
    return dialogue


@cache
def _adapter() -> TypeAdapter[Dialogue]:
    return TypeAdapter(Dialogue)
