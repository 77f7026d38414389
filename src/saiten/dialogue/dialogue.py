"""The record of a dialogue: its grades, its scores, the reason for its end, and every step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from saiten.dialogue.scores import SCORES
from saiten.dialogue.steps import DialogueStep
from saiten.records import Language, Retrieved, Turn, Usage

Ended = Literal["grade 5", "no question needed", "turn limit", "repeated question", "failed"]
"""`repeated question`: the questioner proposed an earlier question twice · `failed`: a step failed, see `reason`.
Failed dialogues are excluded from means: they say nothing about the answers."""


@dataclass(frozen=True, slots=True)
class Leak:
    """The part of the final answer that the system never said."""

    share: float | None
    """Share of the final answer's content words that are in the reference and were never said: nowhere in the history,
    a number that only the questioner stated and the system denied, or a claim whose contrary the system stated; None
    for an answer without content words."""
    words: tuple[str, ...] = ()
    """These words, as spelled in the answer."""
    questions: tuple[int, ...] = ()
    """The turns whose question states content found only in the reference instead of asking for it."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue, from the question of a pair to its end; id, group and language are the pair's."""

    id: str
    question: str
    reference: str
    max_turns: int
    """n in the scores' formulas."""
    steps: tuple[DialogueStep, ...]
    ended: Ended
    reason: str | None = None
    """Details of the end, if any: the failure, or the repeated question."""
    fault: Literal["system", "judge"] | None = None
    kind: Literal["failed", "timeout", "unreadable"] | None = None
    """The kind of failure: refused or broken · no reply in time · the reply could not be parsed."""
    session: str = ""
    """The name of the conversation, as sent to the system."""
    leak: Leak = field(default_factory=lambda: Leak(None))
    system: str = ""
    """The name of the system under test."""
    group: str | None = None
    """For example a product."""
    language: Language = "en"
    evidence: Retrieved = field(default_factory=lambda: Retrieved(()))
    """The passages the grader saw in addition to the reference, and the cost of retrieving them."""
    lost: Usage = field(default_factory=Usage)
    """The cost of the step that failed."""

    @property
    def grades(self) -> tuple[float, ...]:
        """Return σ: one grade per turn, from T3, or from T7 in a turn that has one; the steps include both."""
        return tuple({step.turn: step.grade for step in self.steps if step.grade is not None}.values())

    @property
    def history(self) -> tuple[Turn, ...]:
        """Return the questions and answers so far."""
        asked = [self.question, *(step.text for step in self.steps if step.name == "T5" and step.text)]
        answers = [step.text for step in self.steps if step.name == "T1"]
        return tuple(Turn(question, answer) for question, answer in zip(asked, answers, strict=False))

    @property
    def answer(self) -> str:
        """Return the last graded answer; empty if none was composed."""
        return next((step.text for step in reversed(self.steps) if step.name in {"T2", "T6"}), "")

    @property
    def scores(self) -> Mapping[str, float | None]:
        """Return wscore, lscore and mscore; all None for a failed dialogue."""
        if self.ended == "failed":
            return dict.fromkeys(SCORES)
        return {name: score(self.grades, self.max_turns) for name, score in SCORES.items()}

    @property
    def usage(self) -> Usage:
        """Return the cost of the whole dialogue."""
        return sum((step.usage for step in self.steps), self.evidence.usage + self.lost)
