"""One dialogue row by row: questions, answers, the agents' thoughts, and findings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from saiten.dialogue.dialogue import Dialogue, DialogueStep, StepName
from saiten.views.table import show_cell
from saiten.words import Message

_EVIDENCE = 200
"""Maximum characters of a passage, enough to recognize it."""

Title = Literal[
    "reference",
    "before",
    "asks",
    "system",
    "composed",
    "review",
    "decides",
    "aim",
    "revised",
    "refused",
    "leak",
    "evidence",
]
Kind = Literal["said", "question", "thought", "passage"]
"""`thought`: an agent's explanation, which is not part of the conversation."""

TITLES: Mapping[StepName, Title] = {
    "T1": "system",
    "T2": "composed",
    "T3": "review",
    "T4": "decides",
    "T5": "aim",
    "T6": "revised",
    "T7": "review",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row; texts from outside are raw and may contain anything."""

    turn: int
    """Counted from 1; 0 for rows before and after the turns."""
    title: Title
    text: str | Message
    kind: Kind = "said"
    grade: float | None = None
    seconds: float | None = None
    """Seconds that an answer of the system took, if worth mentioning."""


def dialogue_rows(dialogue: Dialogue) -> Iterator[Row]:
    """Yield all rows in order; each turn begins with its question."""
    yield Row(0, "reference", dialogue.reference)
    for said in dialogue.earlier:
        yield Row(0, "before", "\n".join(filter(None, (said.question, said.answer))))
    for turn, question in enumerate(dialogue.asked, start=1):
        yield Row(turn, "asks", question, "question")
        yield from _of_turn(turn, [step for step in dialogue.steps if step.turn == turn])
    yield from _remarks(dialogue)


def _of_turn(turn: int, steps: Sequence[DialogueStep]) -> Iterator[Row]:
    """Yield one row per step; an accepted T5 becomes the next turn's question, so only its aim is shown."""
    said = ""
    for step in steps:
        title, seconds = TITLES[step.name], None
        text: str | Message = step.text
        kind: Kind = "said"
        if step.agent == "system":
            said = step.text
            measured = step.seconds is not None and step.seconds >= 0.05  # shorter ones are meaningless
            seconds = step.seconds if measured else None
        elif step.agent == "questioner":
            title = "refused" if step.name == "T5" and not step.text else title
            text, kind = step.explanation, "thought"
        elif step.name == "T2" and step.text == said:
            text, kind = Message("answers", "same"), "thought"
        yield Row(turn, title, text, kind, step.grade, seconds)


def _remarks(dialogue: Dialogue) -> Iterator[Row]:
    leak = dialogue.leak
    if leak.share:
        yield Row(0, "leak", Message("answers", "leaked", share=show_cell(leak.share), words=", ".join(leak.words)))
    for turn in leak.questions:
        yield Row(0, "leak", Message("answers", "stating_question", turn=turn))
    for passage in dialogue.evidence.passages:
        begins = " ".join(passage.text.split())
        shown = begins if len(begins) <= _EVIDENCE else f"{begins[:_EVIDENCE]} …"
        yield Row(0, "evidence", f"{passage.source}  {shown}", "passage")
