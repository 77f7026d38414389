"""Rubrics: aspects with their scales, best grades and texts, from TOML files; `long_answers.toml` is an example."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import fsum
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from saiten.data.hand_written import Misplaced, Text, checked, read_file, where
from saiten.data.toml_lines import Place
from saiten.errors import ConfigurationError
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
    ungraded: str = ""
    """When a judge is to give no grade; empty: it always gives one."""


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
        return {aspect.name: aspect for aspect in self.aspects}[name]


SHIPPED = files(__package__) / "long_answers.toml"

_MOST_GRADES = 1001
_LANGUAGES: tuple[Language, ...] = get_args(Language)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


Grade = Annotated[int, Field(ge=-(10**6), le=10**6)]


class _Grade(_Table):
    value: Grade
    en: Text | None = None
    ja: Text | None = None


class _Example(_Table):
    question: Text
    answer: Text
    reason: Text
    grade: Grade


class _Ungraded(_Table):
    en: Text | None = None
    ja: Text | None = None


class _Worded(_Table):
    asks: Text
    example: _Example | None = None
    title: Text | None = None


class _Aspect(_Table):
    name: AspectName
    best: Grade
    grades: Annotated[list[_Grade], Field(min_length=2)]
    between: bool = False
    ungraded: _Ungraded | None = None
    en: _Worded | None = None
    ja: _Worded | None = None


class _Rubric(_Table):
    aspects: Annotated[list[_Aspect], Field(min_length=1, max_length=50)]
    """Each aspect is a call per answer."""
    overall: str | None = None


def read_rubric(file: str = "") -> Rubric:
    """Read the rubric in this file, or the one shipped with saiten; a ConfigurationError says what is wrong."""
    return _read(Path(file)) if file else _shipped()


def _read(file: Path | Traversable) -> Rubric:
    content = read_file(file, "a rubric")
    try:
        table = checked(_Rubric, content)
        aspects = tuple(_aspect(one, ("aspects", place)) for place, one in enumerate(table.aspects))
        rubric = Rubric(file.name.removesuffix(".toml"), aspects, table.overall, digest_of(content))
        _check(rubric)
    except ValueError as error:
        raise ConfigurationError(f"{where(file, error)}: {error}") from error
    return rubric


_shipped = cache(partial(_read, SHIPPED))


def digest_of(content: Mapping[str, Any]) -> str:
    """Return eight hexadecimal digits that change with the content, but not with comments or the order of keys."""
    return hashlib.sha256(repr(_sorted(content)).encode("utf-8", "backslashreplace")).hexdigest()[:8]


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return sorted((key, _sorted(each)) for key, each in value.items())
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def check_distinct(names: Sequence[str]) -> None:
    """Raise ValueError if an aspect occurs twice."""
    if twice := [each for each in names if names.count(each) > 1]:
        raise ValueError(f"the aspect {twice[0]!r} occurs more than once")


def _aspect(table: _Aspect, place: Place) -> Aspect:
    called, values = f"aspect {table.name!r}", [grade.value for grade in table.grades]
    if values != sorted(set(values)):
        raise Misplaced(f"the grades of {called} must be rising, each once, not {values}", (*place, "grades"))
    if table.between and values[-1] - values[0] >= _MOST_GRADES:
        raise Misplaced(
            f"{called} has more than {_MOST_GRADES} grades from {values[0]} to {values[-1]}", (*place, "grades")
        )
    given = tuple(range(values[0], values[-1] + 1)) if table.between else tuple(values)
    if table.best not in given:
        listed = ", ".join(map(str, values))
        raise Misplaced(
            f"best of {called} is {table.best}, which is not one of its grades ({listed})", (*place, "best")
        )
    texts = {each: _worded(table, each, given, place) for each in _LANGUAGES if getattr(table, each) is not None}
    if not texts:
        raise Misplaced(f"{called} has no texts; expected {' or '.join(f'{each}.asks' for each in _LANGUAGES)}", place)
    return Aspect(table.name, table.best, given, texts)


def _worded(table: _Aspect, language: Language, values: tuple[int, ...], place: Place) -> Worded:
    found: _Worded = getattr(table, language)
    called = f"aspect {table.name!r}"
    meanings = {}
    for number, grade in enumerate(table.grades):
        meaning: str | None = getattr(grade, language)
        if meaning is None:
            raise Misplaced(f"grade {grade.value} of {called} lacks {language}", (*place, "grades", number))
        meanings[grade.value] = meaning
    if found.example is not None and found.example.grade not in values:
        message = f"the {language} example of {called} has a grade that the aspect lacks: {found.example.grade}"
        raise Misplaced(message, (*place, language, "example", "grade"))
    example = AspectExample(**dict(found.example)) if found.example else None
    listed = grade_list(meanings, language, between=table.between)
    ungraded = "" if table.ungraded is None else getattr(table.ungraded, language)
    if ungraded is None:
        raise Misplaced(f"ungraded of {called} lacks {language}", (*place, "ungraded"))
    return Worded(found.asks, listed, example, found.title or "", ungraded)


def grade_list(meanings: Mapping[int, str], language: Language, *, between: bool) -> str:
    """Return the grades with their meanings, one per line, as a judge sees them.

    `between`: whether whole numbers between them may be given, too.
    """
    lines = [f"{value}: {' '.join(meaning.split())}" for value, meaning in meanings.items()]
    if between:
        lines.append("(整数なら途中の値も可)" if language == "ja" else "(whole numbers between them may be given, too)")
    return "\n".join(lines)


def _check(rubric: Rubric) -> None:
    check_distinct(rubric.names)
    if rubric.overall not in {None, *rubric.names}:
        message = f"overall is {rubric.overall!r}; it must be an aspect: {', '.join(rubric.names)}"
        raise Misplaced(message, ("overall",))
    first, *others = rubric.aspects
    for aspect in others:
        if set(aspect.texts) != set(first.texts):
            raise ValueError(
                f"aspect {first.name!r} has texts in {', '.join(first.texts)}, {aspect.name!r} in "
                f"{', '.join(aspect.texts)}; give all aspects the same languages"
            )
