"""Rubrics: aspects with their scales, best grades and texts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Annotated

from pydantic import AfterValidator

from saiten.records import Language
from saiten.tasks.aspects import AspectExample

_NAME = re.compile(r"[^\W\d]\w{0,59}")


def is_name(value: str) -> bool:
    """Return whether this is a word of letters, digits and `_`, as allowed in a metric's name."""
    return bool(_NAME.fullmatch(value))


def _name(value: str) -> str:
    if not is_name(value):
        raise ValueError("expected a word of letters, digits and _ that begins with a letter")
    return value


AspectName = Annotated[str, AfterValidator(_name)]


@dataclass(frozen=True, slots=True)
class Worded:
    """The description of an aspect for the judge, in one language."""

    asks: str
    grades: str
    """The meaning of each grade, one per line."""
    example: AspectExample | None = None
    """A worked example; None uses the prompt's own, which is about another aspect."""
    title: str = ""
    """The name displayed to people; judges do not see it."""


@dataclass(frozen=True)
class Aspect:
    """An aspect on which answers are rated."""

    name: str
    """As in the names of metrics and labels."""
    best: int
    """The grade from which all others are deductions."""
    values: tuple[int, ...]
    """The possible grades, ascending."""
    texts: Mapping[Language, Worded]
    """Texts in one language or both."""

    def worded(self, language: Language) -> Worded:
        """Return the texts in this language, or else in the other."""
        return self.texts.get(language) or next(iter(self.texts.values()))

    @cached_property
    def span(self) -> int:
        """The distance of the worst grade from the best, by which deductions are divided so that they are at most 1."""
        return max(self.best - self.values[0], self.values[-1] - self.best)

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends of the scale."""
        return float(self.values[0]), float(self.values[-1])

    @property
    def higher_is_better(self) -> bool | None:
        """The direction; None if the best grade is inside the scale."""
        if self.best in {self.values[0], self.values[-1]}:
            return self.best == self.values[-1]
        return None

    @property
    def worst(self) -> int:
        """The grade furthest from the best; the lower one if there are two."""
        return max(self.values, key=lambda value: abs(value - self.best))

    def counted(self, votes: Sequence[float]) -> int | None:
        """Return the grade that the votes amount to; None if they are split evenly around the best grade.

        Deductions are averaged, as in MATE: too little (-1) and too much (1) are two faults, not a 0. The result is the
        grade with the nearest deduction (the larger one if two are equally near) on the side to which the mean leans.
        If all votes are on one side of the best grade, this is the grade nearest to their mean.
        """
        lean = fsum(vote - self.best for vote in votes)
        mean = fsum(abs(vote - self.best) for vote in votes) / len(votes)
        side = [value for value in self.values if (value - self.best) * lean >= 0]
        nearest = min(side, key=lambda value: (abs(abs(value - self.best) - mean), -abs(value - self.best)))
        return None if lean == 0 and nearest != self.best else nearest

    def contested(self, votes: Sequence[float]) -> bool:
        """Return whether votes on both sides of the best grade yield another grade or none (a hidden fault)."""
        return min(votes) < self.best < max(votes) and self.counted(votes) != self.best


@dataclass(frozen=True)
class Rubric:
    """Aspects, one of which may be an overall grade explained by the others."""

    name: str
    aspects: tuple[Aspect, ...]
    overall: str | None
    """The name of the aspect that the others explain; None if there is none."""
    digest: str
    """Eight hexadecimal digits that change with the content; used in signatures."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the aspects, in the order of the file."""
        return tuple(aspect.name for aspect in self.aspects)

    def aspect(self, name: str) -> Aspect:
        """Return the aspect with this name; raises KeyError."""
        for aspect in self.aspects:
            if aspect.name == name:
                return aspect
        raise KeyError(name)
