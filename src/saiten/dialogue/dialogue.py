"""The record of a dialogue: its grades, its scores, the reason for its end, and every step.

Source of the scores: the ANLP paper on multi-turn evaluation (spec 02), with its symbols: n turns are allowed,
σ = [s_0, …, s_k] are the grades, one per turn, 0 ≤ k < n.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

from saiten.records import Language, Passage, Retrieved, Turn, Usage

HIGHEST = 5
"""The highest grade."""

Agent = Literal["system", "composer", "grader", "questioner"]
"""The actor of a step: the system under test, or one of the three agents."""

StepName = Literal["T1", "T2", "T3", "T4", "T5", "T6", "T7"]
"""The tasks of the paper, in the order of the loop."""

Ended = Literal["grade 5", "no question needed", "turn limit", "repeated question", "failed"]
"""`repeated question`: the questioner proposed an earlier question twice · `failed`: a step failed, see `reason`.
Failed dialogues are excluded from means: they say nothing about the answers."""


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
    """The cost of the step."""


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
    """One dialogue, from the question of a pair to its end."""

    id: str
    """The pair's id."""
    question: str
    """The pair's."""
    reference: str
    """The pair's."""
    max_turns: int
    """n in the scores' formulas."""
    steps: tuple[DialogueStep, ...]
    """Every step, in order."""
    ended: Ended
    """The reason for its end."""
    reason: str | None = None
    """Details of the end, if any: the failure, or the repeated question."""
    fault: Literal["system", "judge"] | None = None
    """The side that failed, if any."""
    kind: Literal["failed", "timeout", "unreadable"] | None = None
    """The kind of failure: refused or broken · no reply in time · the reply could not be parsed."""
    session: str = ""
    """The name of the conversation, as sent to the system."""
    leak: Leak = field(default_factory=lambda: Leak(None))
    """See `Leak`."""
    system: str = ""
    """The name of the system under test."""
    group: str | None = None
    """The pair's, for example a product."""
    language: Language = "en"
    """The pair's."""
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
        composed = [step.text for step in self.steps if step.name in {"T2", "T6"}]
        return composed[-1] if composed else ""

    @property
    def scores(self) -> Mapping[str, float | None]:
        """Return wscore, lscore and mscore; all None for a failed dialogue."""
        if self.ended == "failed":
            return dict.fromkeys(("wscore", "lscore", "mscore"))
        n = self.max_turns
        return {"wscore": wscore(self.grades, n), "lscore": lscore(self.grades, n), "mscore": mscore(self.grades, n)}

    @property
    def usage(self) -> Usage:
        """Return the cost of the whole dialogue."""
        return sum((step.usage for step in self.steps), self.evidence.usage + self.lost)


def flat(history: tuple[Turn, ...]) -> tuple[str, ...]:
    """Return the history as the agents' tasks take it: question, answer, question, answer, …."""
    return tuple(said for turn in history for said in (turn.question, turn.answer))


def wscore(grades: Sequence[float], n: int) -> float:
    """Return the weighted mean grade, 0 to 5, higher is better: early grades weigh more, the last fills unused turns.

    [n·s_0 + (n-1)·s_1 + … + (n-k)·s_k + Σ_{i=1}^{n-k-1} (n-k-i)·s_k] / (n + … + 1); n = 3, σ = [1, 5] gives 3.

    Raises:
        ValueError: there is no grade, or there are more than n.
    """
    _check(grades, n)
    k = len(grades) - 1
    given = [(n - i) * grade for i, grade in enumerate(grades)]
    carried = _up_to(n - k - 1) * grades[k]
    return math.fsum([*given, carried]) / _up_to(n)


def lscore(grades: Sequence[float], n: int) -> int:
    """Return the number of turns until the dialogue ended, 1 to n; lower is better.

    Raises:
        ValueError: there is no grade, or there are more than n.
    """
    _check(grades, n)
    return len(grades)


def mscore(grades: Sequence[float], n: int) -> float:
    """Return the best grade, 0 to 5; higher is better.

    Raises:
        ValueError: there is no grade, or there are more than n.
    """
    _check(grades, n)
    return max(grades)


def _up_to(last: int) -> int:
    """Return 1 + 2 + … + last."""
    return last * (last + 1) // 2


def _check(grades: Sequence[float], n: int) -> None:
    if not 1 <= len(grades) <= n:
        raise ValueError(f"a dialogue of at most {n} turns has 1 to {n} grades, not {len(grades)}")
    wrong = [grade for grade in grades if not 0 <= grade <= HIGHEST]
    if wrong:
        raise ValueError(f"grades must be between 0 and {HIGHEST}, not {wrong[0]}")


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


@cache
def _adapter() -> TypeAdapter[Dialogue]:
    """Return the type adapter, created when the first dialogue is read."""
    return TypeAdapter(Dialogue)
