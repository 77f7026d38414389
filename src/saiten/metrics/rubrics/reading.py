"""Reading and checking rubrics from TOML files; `long_answers.toml` in this folder is an example."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field

from saiten.data.hand_written import Text, checked, read_file
from saiten.errors import ConfigurationError
from saiten.metrics.rubrics.rubric import Aspect, AspectName, Rubric, Worded
from saiten.records import Language
from saiten.tasks.aspects import AspectExample

SHIPPED = files(__package__) / "long_answers.toml"

_MOST_GRADES = 1001
_LANGUAGES: tuple[Language, ...] = get_args(Language)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class _Grade(_Table):
    value: int
    en: Text | None = None
    ja: Text | None = None


class _Example(_Table):
    question: Text
    answer: Text
    reason: Text
    grade: int


class _Worded(_Table):
    asks: Text
    example: _Example | None = None
    title: Text | None = None


class _Aspect(_Table):
    name: AspectName
    best: int
    grades: Annotated[list[_Grade], Field(min_length=2)]
    between: bool = False
    en: _Worded | None = None
    ja: _Worded | None = None


class _Rubric(_Table):
    aspects: Annotated[list[_Aspect], Field(min_length=1, max_length=50)]
    """Each aspect is a call per answer."""
    overall: str | None = None


def read_rubric(file: str = "") -> Rubric:
    """Read the rubric in this file, or the one shipped with saiten.

    Raises:
        ConfigurationError: naming file and aspect, what is wrong and what was expected.
    """
    return _read(Path(file)) if file else _shipped()


@cache
def _shipped() -> Rubric:
    return _read(SHIPPED)


def _read(file: Path | Traversable) -> Rubric:
    content = read_file(file, "a rubric")
    try:
        table = checked(_Rubric, content)
        aspects = tuple(map(_aspect, table.aspects))
        rubric = Rubric(file.name.removesuffix(".toml"), aspects, table.overall, digest_of(content))
        _check(rubric)
    except ValueError as error:
        raise ConfigurationError(f"{file}: {error}") from error
    return rubric


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


def _aspect(table: _Aspect) -> Aspect:
    where, values = f"aspect {table.name!r}", [grade.value for grade in table.grades]
    if values != sorted(set(values)):
        raise ValueError(f"the grades of {where} must be rising, each once, not {values}")
    if table.between and values[-1] - values[0] >= _MOST_GRADES:
        raise ValueError(f"{where} has more than {_MOST_GRADES} grades from {values[0]} to {values[-1]}")
    given = tuple(range(values[0], values[-1] + 1)) if table.between else tuple(values)
    if table.best not in given:
        raise ValueError(
            f"best of {where} is {table.best}, which is none of its grades ({', '.join(map(str, values))})"
        )
    texts = {each: _worded(table, each, given, where) for each in _LANGUAGES if getattr(table, each) is not None}
    if not texts:
        raise ValueError(f"{where} has no texts; expected {' or '.join(f'{each}.asks' for each in _LANGUAGES)}")
    return Aspect(table.name, table.best, given, texts)


def _worded(table: _Aspect, language: Language, values: tuple[int, ...], where: str) -> Worded:
    found: _Worded = getattr(table, language)
    lines = []
    for grade in table.grades:
        meaning: str | None = getattr(grade, language)
        if meaning is None:
            raise ValueError(f"grade {grade.value} of {where} lacks {language}")
        lines.append(f"{grade.value}: {' '.join(meaning.split())}")
    if table.between:
        lines.append("(整数なら途中の値も可)" if language == "ja" else "(whole numbers between them may be given, too)")
    if found.example is not None and found.example.grade not in values:
        raise ValueError(f"the {language} example of {where} has a grade that the aspect lacks: {found.example.grade}")
    example = AspectExample(**dict(found.example)) if found.example else None
    return Worded(found.asks, "\n".join(lines), example, found.title or "")


def _check(rubric: Rubric) -> None:
    """Raise ValueError unless the aspects fit together."""
    check_distinct(rubric.names)
    if rubric.overall not in {None, *rubric.names}:
        raise ValueError(f"overall is {rubric.overall!r}; it must be an aspect: {', '.join(rubric.names)}")
    first, *others = rubric.aspects
    for aspect in others:
        if set(aspect.texts) != set(first.texts):
            raise ValueError(
                f"aspect {first.name!r} has texts in {', '.join(first.texts)}, {aspect.name!r} in "
                f"{', '.join(aspect.texts)}; give all aspects the same languages"
            )
