"""One dialogue row by row: questions, answers, the agents' thoughts, and findings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from saiten.dialogue.dialogue import Dialogue, DialogueStep, StepName
from saiten.views.table import show_cell

_EVIDENCE = 200
"""Maximum characters of a passage, enough to recognize it."""
_SHORTEST_SHOWN = 0.05
"""Seconds below which a latency is meaningless."""

Title = Literal[
    "reference", "asks", "system", "composed", "review", "decides", "aim", "revised", "refused", "leak", "evidence"
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
THE_SAME = "the same"
"""Marks a step in which the composer used the system's answer unchanged."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row; texts are raw and may contain anything."""

    turn: int
    """Counted from 1; 0 for rows before and after the turns."""
    title: Title
    text: str
    kind: Kind = "said"
    grade: float | None = None
    seconds: float | None = None
    """Seconds that an answer of the system took, if worth mentioning."""


def dialogue_rows(dialogue: Dialogue) -> Iterator[Row]:
    """Yield all rows in order; each turn begins with its question."""
    yield Row(0, "reference", dialogue.reference)
    for turn, question in enumerate(_questions(dialogue), start=1):
        yield Row(turn, "asks", question, "question")
        yield from _of_turn(turn, [step for step in dialogue.steps if step.turn == turn])
    yield from _remarks(dialogue)


def _questions(dialogue: Dialogue) -> list[str]:
    """Return the question of each turn, including one that was asked and not answered."""
    return [dialogue.question, *(step.text for step in dialogue.steps if step.name == "T5" and step.text)]


def _of_turn(turn: int, steps: Sequence[DialogueStep]) -> Iterator[Row]:
    """Yield one row per step; an accepted T5 becomes the next turn's question, so only its aim is shown."""
    said = ""
    for step in steps:
        title, text, seconds = TITLES[step.name], step.text, None
        kind: Kind = "said"
        if step.agent == "system":
            said = step.text
            seconds = step.seconds if step.seconds is not None and step.seconds >= _SHORTEST_SHOWN else None
        elif step.agent == "questioner":
            title = "refused" if step.name == "T5" and not step.text else title
            text, kind = step.explanation, "thought"
        elif step.name == "T2" and step.text == said:
            text, kind = THE_SAME, "thought"
        yield Row(turn, title, text, kind, step.grade, seconds)


def _remarks(dialogue: Dialogue) -> Iterator[Row]:
    leak = dialogue.leak
    if leak.share:
        share, words = show_cell(leak.share), ", ".join(leak.words)
        said = f"{share} of the answer's content words stand in the reference and were never said: {words}"
        yield Row(0, "leak", said)
    for turn in leak.questions:
        yield Row(0, "leak", f"the question of turn {turn} states what only the reference says")
    for passage in dialogue.evidence.passages:
        begins = " ".join(passage.text.split())
        shown = begins if len(begins) <= _EVIDENCE else f"{begins[:_EVIDENCE]} …"
        yield Row(0, "evidence", f"{passage.source}  {shown}", "passage")
