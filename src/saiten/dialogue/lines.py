"""A dialogue as lines of its run: one of `dialogues.jsonl`, and its scores."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

from pydantic import TypeAdapter

from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.scores import HIGHEST
from saiten.records import Score, Scored

HIGHER_IS_BETTER: Mapping[str, bool] = {"wscore": True, "lscore": False, "mscore": True, "leak": False}
_adapter = cache(partial(TypeAdapter, Dialogue))


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


def scores_of(dialogue: Dialogue) -> Iterator[Scored]:
    """Yield the scores of a dialogue; those of a failed one have a reason instead of a value."""
    details = {"grades": list(dialogue.grades), "ended": dialogue.ended, "turns": len(dialogue.history)}
    failed = dialogue.ended == "failed"
    for name, value in dialogue.scores.items():
        score = Score(value, "failed" if failed else "ok", dialogue.reason or dialogue.ended, details)
        if name == "wscore":  # count the cost of the dialogue once
            score = replace(score, usage=dialogue.usage)
        yield Scored(dialogue.id, name, score)
    yield Scored(dialogue.id, "leak", _leak(dialogue))


def _leak(dialogue: Dialogue) -> Score:
    leak = dialogue.leak
    details = {"words": list(leak.words), "questions": list(leak.questions)}
    if dialogue.ended == "failed":
        return Score(None, "failed", dialogue.reason, details)
    if leak.share is None:
        return Score.undefined("the answer has no content words", **details)
    return Score(leak.share, reason=", ".join(leak.words) or None, details=details)
