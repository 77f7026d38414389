"""The record of a dialogue: its grades, its scores, why it ended, and everything that was said."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from saiten.dialogue.scores import lscore, mscore, wscore
from saiten.records import Language, Passage, Retrieved, Turn, Usage

Agent = Literal["system", "composer", "grader", "questioner"]
"""Who does a step: the system under test, or one of the three agents."""

StepName = Literal["T1", "T2", "T3", "T4", "T5", "T6", "T7"]
"""The tasks of the paper, in the order of the loop."""

Ended = Literal["grade 5", "no question needed", "turn limit", "repeated question", "failed"]
"""`repeated question`: the questioner proposed an earlier question twice · `failed`: a step gave nothing, see `reason`.
A failed dialogue has no part in any mean: it says nothing about the answers."""


@dataclass(frozen=True, slots=True)
class DialogueStep:
    """One step of the loop: who said what, and why."""

    name: StepName
    turn: int
    """Counted from 1."""
    agent: Agent
    text: str
    """The answer, the composed answer, the review, or the question; empty where a T4 found nothing to ask, and where a
    T5 was refused."""
    explanation: str = ""
    """What the agent said about it; empty for the system and for the grader, whose review is the text."""
    grade: float | None = None
    """Of a T3 or T7."""
    contexts: tuple[Passage, ...] | None = None
    """Of a T1: what the system made its answer from, where it says so."""
    seconds: float | None = None
    """Of a T1: from the question in to the last token out."""
    usage: Usage = field(default_factory=Usage)
    """The cost of the step."""


@dataclass(frozen=True, slots=True)
class Leak:
    """How much of the final answer the system never said."""

    share: float | None
    """Share of the final answer's content words that are in the reference and were never said: nowhere in the history,
    a number that only the questioner stated and the system denied, or a claim whose contrary the system stated; None
    for an answer without content words."""
    words: tuple[str, ...] = ()
    """These words, as they are in the answer."""
    questions: tuple[int, ...] = ()
    """The turns whose question states what only the reference says instead of asking for it."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue, from the question of a pair to its end."""

    id: str
    """That of the pair."""
    question: str
    """The pair's."""
    reference: str
    """The pair's."""
    max_turns: int
    """n of the scores."""
    steps: tuple[DialogueStep, ...]
    """Everything that was said, in order."""
    ended: Ended
    """Why it ended."""
    reason: str | None = None
    """More about it, where there is more to say: what failed and how, which question was repeated."""
    fault: Literal["system", "judge"] | None = None
    """Whose, where it failed."""
    kind: Literal["failed", "timeout", "unreadable"] | None = None
    """Of the failure: refused or broken · nothing in time · what came could not be read."""
    session: str = ""
    """The name of the conversation, as sent to the system."""
    leak: Leak = field(default_factory=lambda: Leak(None))
    """See `Leak`."""
    system: str = ""
    """Who answered."""
    group: str | None = None
    """The pair's, for example a product."""
    language: Language = "en"
    """The pair's."""
    evidence: Retrieved = field(default_factory=lambda: Retrieved(()))
    """What the grader saw in addition to the reference, and the cost of finding it."""
    lost: Usage = field(default_factory=Usage)
    """The cost of the step that failed."""

    @property
    def grades(self) -> tuple[float, ...]:
        """σ: one grade per turn, that of T3, or in the turn of a T7 the one of T7; both are among the steps."""
        return tuple({step.turn: step.grade for step in self.steps if step.grade is not None}.values())

    @property
    def history(self) -> tuple[Turn, ...]:
        """Questions and answers so far."""
        asked = [self.question, *(step.text for step in self.steps if step.name == "T5" and step.text)]
        answers = [step.text for step in self.steps if step.name == "T1"]
        return tuple(Turn(question, answer) for question, answer in zip(asked, answers, strict=False))

    @property
    def answer(self) -> str:
        """The answer that was graded last; empty where none was composed."""
        composed = [step.text for step in self.steps if step.name in {"T2", "T6"}]
        return composed[-1] if composed else ""

    @property
    def scores(self) -> Mapping[str, float | None]:
        """wscore, lscore and mscore; None each for a dialogue that failed."""
        if self.ended == "failed":
            return dict.fromkeys(("wscore", "lscore", "mscore"))
        n = self.max_turns
        return {"wscore": wscore(self.grades, n), "lscore": lscore(self.grades, n), "mscore": mscore(self.grades, n)}

    @property
    def usage(self) -> Usage:
        """The cost of the whole dialogue."""
        return sum((step.usage for step in self.steps), self.evidence.usage + self.lost)


def flat(history: tuple[Turn, ...]) -> tuple[str, ...]:
    """The history as the agents' tasks have it: question, answer, question, answer, …."""
    return tuple(said for turn in history for said in (turn.question, turn.answer))
