"""A rubric: aspects with their scales, best grades and texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

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
