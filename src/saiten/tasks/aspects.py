"""Rating an answer on one aspect, by default without a reference; the aspect's texts define the grades."""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from saiten.protocols import Reply, Task
from saiten.tasks.described import described
from saiten.tasks.verdicts import HIDDEN, expectation, majority

_GRADE = re.compile(
    r"(?:(?:grade|score|rating|評点|点数|得点)\s*[:=]\s*)?([+-]?\d{1,6})(?:\.0+)?(?:\s*点)?(?:\s*[:(].*)?", re.DOTALL
)
_MINUS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d", "-"))


def read_signed(value: Any) -> Any:
    """Return the whole number meant by `-1`, `−1`, `+1`, `２`, `0: right`, and None for `null`; leave others alone."""
    if not isinstance(value, str):
        return value
    word = unicodedata.normalize("NFKC", value.translate(_MINUS)).strip().strip("*'\"").casefold()
    found = _GRADE.fullmatch(word)
    return int(found[1]) if found else None if word == "null" else value


class Rating(Reply):
    """A grade on one aspect, the reason first."""

    reason: str = described(
        "what in the answer decides the grade, on this aspect alone", "この評価軸で、回答のどの点が評点の決め手になるか"
    )
    grade: Annotated[int | None, BeforeValidator(read_signed)] = described(
        "one of the grades listed", "一覧にある評点のいずれか"
    )
    """None: nothing to grade, if the aspect allows for it."""
    exact: float | None = Field(default=None, json_schema_extra=HIDDEN)
    """A figure between the grades, if the judge has one (an encoder); `grade` is then the nearest grade."""
    given: tuple[int | float, ...] = Field(default=(), json_schema_extra=HIDDEN)
    """The grades of all votes of a panel, in order; empty for a single reply."""
    probabilities: dict[int, float] | None = Field(default=None, json_schema_extra=HIDDEN)
    """The probability of each grade, if known; never requested from a model."""

    @property
    def ungraded(self) -> bool:
        """Whether there is nothing to grade."""
        return not self.grades

    @property
    def grades(self) -> tuple[int | float, ...]:
        """The grade of each vote that has one; for a single reply its own, as exact as available."""
        exact = self.grade if self.exact is None else self.exact
        return self.given or (() if exact is None else (exact,))

    @property
    def value(self) -> float:
        """The mean over the votes; raises ValueError if there is nothing to grade."""
        if self.ungraded:
            raise ValueError(f"there is nothing to grade: {self.reason or 'no reason was given'}")
        return fmean(self.grades)

    @property
    def expected(self) -> float | None:
        """The expectation over the grades, or else the judge's finer figure; None if neither is known."""
        finer = None if self.exact is None and not self.given else self.value
        return expectation(self.probabilities or {}, otherwise=finer)


@dataclass(frozen=True, slots=True)
class AspectExample:
    """A worked example of an aspect."""

    question: str
    answer: str
    reason: str
    grade: int


@dataclass(frozen=True, slots=True)
class RateAspect(Task[Rating]):
    """Grade the answer on one aspect, given the aspect, its scale, the question and the answer.

    Source: the paper on long-form question answering and LLM-MATE, whose judge is shown neither contexts nor reference.
    """

    reply = Rating
    votable = True
    aspect: str
    asks: str
    grades: str
    """The meaning of each grade, one per line: `0: wrong`."""
    question: str
    answer: str
    values: tuple[int, ...]
    """The possible grades, which replies are checked for."""
    examples: tuple[AspectExample, ...] = ()
    """Worked examples of this aspect, which replace those of the prompt file."""
    contexts: tuple[str, ...] = ()
    """What facts are checked against; empty: what is known to be true."""
    reference: str = ""
    """A correct answer, to be used likewise."""
    ungraded: bool = False
    """Whether a reply may say, by null, that there is nothing to grade."""

    @property
    def shots(self) -> Sequence[tuple[Mapping[str, Any], str]]:
        about = {"aspect": self.aspect, "asks": self.asks, "grades": self.grades}
        return [
            (
                about | {"question": one.question, "answer": one.answer},
                json.dumps({"reason": one.reason, "grade": one.grade}, ensure_ascii=False),
            )
            for one in self.examples
        ]

    def check(self, reply: Rating) -> None:
        if reply.grade is None and self.ungraded:
            return
        if reply.grade not in self.values:
            short = len(self.values) <= 12
            listed = ", ".join(map(str, self.values)) if short else f"{self.values[0]} to {self.values[-1]}"
            or_null = ", null" if self.ungraded else ""
            got = "null" if reply.grade is None else reply.grade
            raise ValueError(f"`grade` must be one of {listed}{or_null}, got {got}")

    def merge(self, replies: Sequence[Rating]) -> Rating:
        """Return all grades, with the reason of the one nearest to their mean; no grade unless most votes have one."""
        graded = [reply for reply in replies if not reply.ungraded]
        if not majority([not reply.ungraded for reply in replies]):
            return next(reply for reply in replies if reply.ungraded)
        given = tuple(grade for reply in graded for grade in reply.grades)
        nearest = min(graded, key=lambda reply: abs(reply.value - fmean(given)))
        return nearest.model_copy(update={"given": given, "probabilities": None})
