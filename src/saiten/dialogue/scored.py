"""The scores of a dialogue as those of a sample: `wscore`, `lscore`, `mscore` and `leak`."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from saiten.dialogue.dialogue import Dialogue
from saiten.records import Score, Scored

HIGHER_IS_BETTER: Mapping[str, bool] = {"wscore": True, "lscore": False, "mscore": True, "leak": False}


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
