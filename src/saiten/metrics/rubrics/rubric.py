"""A rubric: aspects with their scales, best grades and texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum

from saiten.records import Language
from saiten.tasks.aspects import AspectExample


@dataclass(frozen=True, slots=True)
class Worded:
    """What the judge is shown of an aspect, in one language."""

    asks: str
    """What the aspect asks of the answer."""
    grades: str
    """What each grade means, a line each."""
    example: AspectExample | None = None
    """A worked example; None leaves it to the prompt's own, which is about another aspect."""
    title: str = ""
    """What people are shown instead of the name; judges are not."""


@dataclass(frozen=True)
class Aspect:
    """One thing that answers are rated on."""

    name: str
    """As it stands in the names of metrics and labels."""
    best: int
    """The grade from which every other is a deduction."""
    values: tuple[int, ...]
    """The grades that can be given, rising."""
    texts: Mapping[Language, Worded]
    """In one language or both."""

    def worded(self, language: Language) -> Worded:
        """The texts in this language, or in the other where there are none."""
        return self.texts.get(language) or next(iter(self.texts.values()))

    @cached_property
    def span(self) -> int:
        """How far the worst grade is from the best: what a deduction is divided by, so that it is at most 1."""
        return max(self.best - self.values[0], self.values[-1] - self.best)

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends of the scale."""
        return float(self.values[0]), float(self.values[-1])

    @property
    def higher_is_better(self) -> bool | None:
        """None where the best grade lies within the scale."""
        if self.best in {self.values[0], self.values[-1]}:
            return self.best == self.values[-1]
        return None

    @property
    def worst(self) -> int:
        """The grade furthest from the best; the lower one of two."""
        return max(self.values, key=lambda value: abs(value - self.best))

    def counted(self, votes: Sequence[float]) -> int | None:
        """The grade that several votes come to; None where they are split evenly around the best grade.

        The deductions are averaged, as MATE does: too little (-1) and too much (1) are two faults, not a 0. The grade
        with the nearest deduction is counted, the larger deduction if two are equally near, on the side to which the
        mean leans. Where all votes are on one side of the best grade, this is the grade nearest to their mean.
        """
        lean = fsum(vote - self.best for vote in votes)
        mean = fsum(abs(vote - self.best) for vote in votes) / len(votes)
        side = [value for value in self.values if (value - self.best) * lean >= 0]
        nearest = min(side, key=lambda value: (abs(abs(value - self.best) - mean), -abs(value - self.best)))
        return None if lean == 0 and nearest != self.best else nearest

    def contested(self, votes: Sequence[float]) -> bool:
        """Whether votes on both sides of the best grade come to another grade, or to none: their mean hides a fault."""
        return min(votes) < self.best < max(votes) and self.counted(votes) != self.best


@dataclass(frozen=True)
class Rubric:
    """Aspects, one of which the others may explain."""

    name: str
    """The file's name without its ending."""
    aspects: tuple[Aspect, ...]
    overall: str | None
    """The name of the aspect that the others explain; None where there is none."""
    digest: str
    """Eight hexadecimal digits that change with the content; stands in signatures."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the aspects, in the order of the file."""
        return tuple(aspect.name for aspect in self.aspects)

    def aspect(self, name: str) -> Aspect:
        """The aspect of this name; raises KeyError."""
        for aspect in self.aspects:
            if aspect.name == name:
                return aspect
        raise KeyError(name)
