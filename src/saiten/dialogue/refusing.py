"""Proposed questions that are not put to the system: repetitions, and those that give the reference away."""

from typing import Literal, NamedTuple

from saiten.choices import Questioning
from saiten.dialogue.revealing import revealed
from saiten.dialogue.statements import statements
from saiten.records import Language, Sample, Turn
from saiten.tasks.same_question import same_question

PROPOSALS = 2
"""Proposals per turn; if none of them can be asked, the dialogue ends."""

_REPEATS: dict[Language, str] = {
    "en": "This question was asked before.",
    "ja": "すでに尋ねた質問と同じです。",
}
_REVEALS: dict[Questioning, dict[Language, str]] = {
    "merged": {
        "en": "It uses what only the reference has: {words}. Ask without that, or more openly.",
        "ja": "参照回答にしかない言葉を使っています：{words}。その言葉を使わずに尋ねるか、もっと広く尋ねてください。",
    },
    "published": {
        "en": "It states what only the reference has: {words}. Ask about that instead of stating it.",
        "ja": "参照回答にしかないことを、事実として述べています：{words}。述べずに、尋ねてください。",
    },
}
_NOTES: dict[Language, tuple[str, str]] = {
    "en": ("asked before: {question}", "only the reference has {words}: {question}"),
    "ja": ("すでに尋ねた質問：{question}", "参照回答にしかない言葉（{words}）：{question}"),
}


class Refusal(NamedTuple):
    """A proposed question that is not asked, with the reason."""

    question: str
    kind: Literal["repeated question", "revealing question"]
    reason: str
    """For the questioner, in the language of the dialogue."""
    note: str
    """For the transcript, in the language of the dialogue."""


def refuse(question: str, pair: Sample, history: tuple[Turn, ...], questioning: Questioning) -> Refusal | None:
    """Return the reason not to put the question to the system, or None.

    `published` refuses words of the reference only where the question states them instead of asking about them.
    """
    repeats, reveals = _NOTES[pair.language]
    if any(same_question(question, turn.question) for turn in history):
        note = repeats.format(question=question)
        return Refusal(question, "repeated question", _REPEATS[pair.language], note)
    looked_at = question if questioning == "merged" else " ".join(statements(question, pair.language))
    said = (pair.question, *(text for turn in history for text in (turn.question, turn.answer)))
    words = ", ".join(revealed(looked_at, "\n".join(pair.references), said))
    if not words:
        return None
    reason = _REVEALS[questioning][pair.language].format(words=words)
    return Refusal(question, "revealing question", reason, reveals.format(words=words, question=question))
