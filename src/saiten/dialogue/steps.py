"""The steps of a dialogue."""

from dataclasses import dataclass, field
from typing import Literal

from saiten.records import Passage, Usage

Agent = Literal["system", "composer", "grader", "questioner"]
"""The actor of a step: the system under test, or one of the three agents."""

StepName = Literal["T1", "T2", "T3", "T4", "T5", "T6", "T7"]
"""The tasks of the paper, in the order of the loop."""


@dataclass(frozen=True, slots=True)
class DialogueStep:
    """One step of the loop: the actor, the text, and its explanation."""

    name: StepName
    turn: int
    """Counted from 1."""
    agent: Agent
    text: str
    """The answer, the composed answer, the review, or the question; empty if a T4 found nothing to ask, or a T5
    was refused."""
    explanation: str = ""
    """The agent's explanation; empty for the system and for the grader, whose review is the text."""
    grade: float | None = None
    """The grade of a T3 or T7."""
    contexts: tuple[Passage, ...] | None = None
    """For a T1: the passages behind the answer, if the system reports them."""
    seconds: float | None = None
    """For a T1: from sending the question to receiving the last token."""
    usage: Usage = field(default_factory=Usage)
