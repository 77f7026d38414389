"""Samples as pairs of question and reference: the beginning of a dialogue, or a recorded conversation."""

from dataclasses import replace

from saiten.data import BadRow
from saiten.records import Sample, Turn


def pair_of(sample: Sample, number: int, *, recorded: bool) -> Sample | BadRow:
    """Return the sample as a pair, or a bad row with the reason; `number` counts samples from 1.

    Its answer is from another system; if it is to be replayed (`recorded`), it is part of the history. Otherwise the
    history is what was said before the question, and the dialogue continues it.
    """
    if recorded:
        sample = _recorded(sample)
    lacking = [name for name in ("question", "reference") if not (getattr(sample, name) or "").strip()]
    where = f"pair {sample.id!r} (number {number})"
    if recorded and not sample.history:
        return BadRow(where, "there is no recorded answer to a question")
    if lacking:
        what = "the replay of a conversation" if recorded else "a dialogue"
        return BadRow(where, f"{what} needs a {' and a '.join(lacking)}")
    return replace(sample, answer=None, contexts=None, system=None, conversation=None)


def _recorded(sample: Sample) -> Sample:
    """Return the sample with all turns of its conversation as its history, and the question that the first one asks.

    What the system says unasked is no turn. A sample without an answer of its own is a whole conversation already.
    """
    said = sample.history if sample.answer is None else (*sample.history, Turn(sample.question, sample.answer))
    turns = tuple(turn for turn in said if turn.question.strip())
    if sample.answer is None or not turns:
        return replace(sample, history=turns)
    return replace(sample, history=turns, question=turns[0].question)
