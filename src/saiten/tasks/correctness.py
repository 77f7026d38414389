"""Verdicts on an answer given a reference: a grade from 0 to 5, or true or false."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from saiten.protocols import Reply, ReplyFormat, Task
from saiten.tasks.described import described
from saiten.tasks.verdicts import HIDDEN, MEANINGS, YesNo, agreeing, expectation, majority, read_yes_no


class Grade(Reply):
    """A review and a grade; 0 means that the answer says that it does not know."""

    feedback: str = described(
        "a review of the answer by the rubric alone, in prose", "採点基準だけに従った回答の講評(文章で)"
    )
    grade: Literal[0, 1, 2, 3, 4, 5]
    mean: float | None = Field(default=None, json_schema_extra=HIDDEN)
    """The mean over the votes of a panel, or a judge's finer figure; never requested from a model."""
    probabilities: dict[int, float] | None = Field(default=None, json_schema_extra=HIDDEN)
    """The probability of each grade, if known; never requested from a model."""

    @property
    def value(self) -> float:
        """The mean of several votes, or else the grade."""
        return float(self.grade) if self.mean is None else self.mean

    @property
    def expected(self) -> float | None:
        """The expectation over the grades 1 to 5, or else the finer figure; None if neither is known.

        Liu et al. 2023, *G-Eval*, section 2. Grade 0 (the answer declines) is no point of the scale, so the other
        grades are scaled to a total of 1.
        """
        return expectation({g: p for g, p in (self.probabilities or {}).items() if g}, otherwise=self.mean)


@dataclass(frozen=True, slots=True)
class GradeAnswer(Task[Grade]):
    """Review and grade the answer from 0 to 5 given the reference (ANLP paper; spec 01, section 1)."""

    reply = Grade
    votable = True
    question: str
    answer: str
    references: tuple[str, ...]
    """Correct answers, each correct by itself."""
    evidence: tuple[str, ...] = ()
    """Empty: the judge sees no contexts."""
    form: Literal["json", "prometheus"] = "json"
    rubric: Literal["best_first", "worst_first"] = "best_first"
    """From 5 down to 0, or from 0 up to 5: the same text in another order, which should not matter to a judge."""
    parts: tuple[str, ...] = ()
    """Parts of one correct answer, in place of `references`."""

    @property
    def written(self) -> ReplyFormat:
        return self.form

    @property
    def turned(self) -> bool:
        return self.rubric == "worst_first"

    def merge(self, replies: Sequence[Grade]) -> Grade:
        """Return declined if most votes say so; else the mean of grades above 0, with the review nearest to it.

        The grade is the whole number nearest to the mean, halves rounded up, whether or not a vote gave it.
        """
        if majority([reply.grade == 0 for reply in replies]):
            return next(reply for reply in replies if reply.grade == 0)
        graded = [reply for reply in replies if reply.grade != 0]
        mean = fmean(reply.value for reply in graded)
        nearest = min(graded, key=lambda reply: abs(reply.value - mean))
        return nearest.model_copy(update={"grade": floor(mean + 0.5), "mean": mean, "probabilities": None})


DECISIONS = {**MEANINGS, "correct": True, "正解": True, "incorrect": False, "不正解": False}
"""Words and signs for whether an answer is correct."""
Correct = Annotated[bool, BeforeValidator(lambda value: read_yes_no(value, DECISIONS))]


class Decision(Reply):
    """Whether the answer is correct."""

    explanation: str = described(
        "the mistakes found, or why there are none", "見つかった誤り、または誤りがないと言える理由"
    )
    correct: Correct
    p: float | None = Field(default=None, json_schema_extra=HIDDEN)
    """The probability of correct, if known; never requested from a model."""

    @property
    def holds(self) -> bool:
        """Whether the answer passes."""
        return self.correct


@dataclass(frozen=True, slots=True)
class DecideCorrect(Task[Decision]):
    """Decide whether the answer is correct, given the reference (spec 01, section 2)."""

    reply = Decision
    votable = True
    question: str
    answer: str
    references: tuple[str, ...]
    """Correct answers, each correct by itself."""
    form: Literal["json", "marker"] = "json"
    parts: tuple[str, ...] = ()
    """Parts of one correct answer, in place of `references`."""

    @property
    def written(self) -> ReplyFormat:
        return self.form

    def merge(self, replies: Sequence[Decision]) -> Decision:
        return agreeing(replies, lambda reply: reply.holds)


def _refuse_null(value: Any) -> Any:
    if value is None:
        raise ValueError("true or false was expected")
    return value


class GroundedDecision(Decision):
    """Whether the answer is correct and, separately, whether what it adds is supported."""

    supported: Annotated[YesNo | None, BeforeValidator(_refuse_null), WithJsonSchema({"type": "boolean"})] = None
    """None in the marker form, whose one verdict covers both."""

    @property
    def holds(self) -> bool:
        """Whether the answer passes: correct, and nothing in it unsupported."""
        return self.correct and self.supported is not False


@dataclass(frozen=True, slots=True)
class DecideCorrectGrounded(DecideCorrect):
    """The stricter variant: a claim that neither the reference nor the contexts support is a mistake as well."""

    reply = GroundedDecision
    contexts: tuple[str, ...] = ()
