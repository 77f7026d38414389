"""The record of a dialogue: its grades, its scores, the reason for its end, and every step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from saiten.choices import LastGrade
from saiten.dialogue.scores import SCORES
from saiten.errors import FailureKind
from saiten.records import Language, Passage, Retrieved, Turn, Usage

Agent = Literal["system", "composer", "grader", "questioner"]
"""The actor of a step: the system under test, or one of the three agents."""

StepName = Literal["T1", "T2", "T3", "T4", "T5", "T6", "T7"]
"""The tasks of the paper, in the order of the loop."""

Ended = Literal[
    "grade 5", "no question needed", "turn limit", "end of the log", "repeated question", "revealing question", "failed"
]
"""`end of the log`: a recorded conversation has no more turns · `repeated question`, `revealing question`: two
questions proposed in a row were refused, the last one because it had been asked before, or because it uses what only
the reference says · `failed`: a step failed, see `reason`. Failed dialogues are excluded from means: they say nothing
about the answers."""


@dataclass(frozen=True, slots=True)
class DialogueStep:
    """One step of the loop: the actor, the text, and its explanation."""

    name: StepName
    turn: int
    """Counted from 1."""
    agent: Agent
    text: str
    """The answer, the composed answer, the review, or the question; empty if a T4 found nothing to ask, or a T5
    was refused. A call that decides and asks is a T5 if it asks, else a T4."""
    explanation: str = ""
    """The agent's explanation; empty for the system and for the grader, whose review is the text."""
    grade: float | None = None
    """The grade of a T3 or T7."""
    contexts: tuple[Passage, ...] | None = None
    """For a T1: the passages behind the answer, if the system reports them."""
    seconds: float | None = None
    """For a T1: from sending the question to receiving the last token."""
    usage: Usage = field(default_factory=Usage)


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
    """Details of the end, if any: the failure, or the refused questions."""
    fault: Literal["system", "judge"] | None = None
    kind: FailureKind | None = None
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
    earlier: tuple[Turn, ...] = ()
    """What was said before the question of the pair, oldest first."""
    recorded: tuple[str, ...] = ()
    """The questions of a recorded conversation, as far as it was replayed; empty for one that was held."""
    last_grade: LastGrade = "replaces"
    """The place of a T7's grade in σ."""

    @property
    def grades(self) -> tuple[float, ...]:
        """Return σ: one grade per turn, from T3, or from T7 in a turn that has one; the steps include both.

        If the last grade is appended, σ has T3's and T7's, unless it would be longer than `max_turns`.
        """
        given = [(step.turn, step.grade) for step in self.steps if step.grade is not None]
        if self.last_grade == "appended" and len(given) <= self.max_turns:
            return tuple(grade for _, grade in given)
        return tuple(dict(given).values())

    @property
    def history(self) -> tuple[Turn, ...]:
        """Return the questions and answers so far."""
        answers = [step.text for step in self.steps if step.name == "T1"]
        return tuple(Turn(question, answer) for question, answer in zip(self.asked, answers, strict=False))

    @property
    def asked(self) -> tuple[str, ...]:
        """Return the question of each turn, including one that was asked and not answered."""
        return self.recorded or (
            self.question,
            *(step.text for step in self.steps if step.name == "T5" and step.text),
        )

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
