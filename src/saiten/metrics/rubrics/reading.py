"""Reading and checking rubrics from TOML files; `long_answers.toml` in this folder is an example."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, get_args

from saiten.errors import ConfigurationError
from saiten.metrics.rubrics.rubric import Aspect, Rubric, Worded
from saiten.metrics.rubrics.tables import distinct, keys, load, name, tables, text, whole
from saiten.records import Language
from saiten.tasks.aspects import AspectExample

SHIPPED = files(__package__) / "long_answers.toml"
"""The default rubric."""

_MOST_ASPECTS = 50
_MOST_GRADES = 1001
_LANGUAGES: tuple[Language, ...] = get_args(Language)


def read_rubric(file: str = "") -> Rubric:
    """Read the rubric in this file, or the one shipped with saiten.

    Raises:
        ConfigurationError: naming file and aspect, what is wrong and what was expected.
    """
    return read(Path(file)) if file else _shipped()


@cache
def _shipped() -> Rubric:
    return read(SHIPPED)


def read(file: Path | Traversable) -> Rubric:
    """Read the rubric in this file; raises as `read_rubric` does."""
    content, digest = load(file, "rubric")
    try:
        return _rubric(content, file.name.removesuffix(".toml"), digest)
    except ValueError as error:
        raise ConfigurationError(f"{file}: {error}") from error


def _rubric(content: Mapping[str, Any], named: str, digest: str) -> Rubric:
    """Build the rubric; raises ValueError with what is wrong."""
    keys(content, "the rubric", required=("aspects",), optional=("overall",))
    aspects = tuple(_aspect(table, number) for number, table in enumerate(tables(content["aspects"], "aspects"), 1))
    if len(aspects) > _MOST_ASPECTS:
        raise ValueError(f"there are {len(aspects)} aspects; each is a call per answer, and {_MOST_ASPECTS} the most")
    rubric = Rubric(named, aspects, content.get("overall"), digest)
    distinct(rubric.names, "the rubric")
    if rubric.overall is not None and rubric.overall not in rubric.names:
        raise ValueError(f"overall is {rubric.overall!r}; it must be an aspect: {', '.join(rubric.names)}")
    _check_languages(aspects)
    return rubric


def _aspect(table: Any, number: int) -> Aspect:
    where = f"aspect {number}"
    keys(table, where, required=("name", "best", "grades"), optional=("between", *_LANGUAGES))
    named = name(table["name"], f"the name of {where}")
    where = f"aspect {named!r}"
    grades = tables(table["grades"], f"grades of {where}")
    languages = [language for language in _LANGUAGES if language in table]
    if not languages:
        raise ValueError(f"{where} has no texts; expected {' or '.join(f'{each}.asks' for each in _LANGUAGES)}")
    for at, grade in enumerate(grades, 1):
        keys(grade, f"grade {at} of {where}", required=("value", *languages))
    values = [whole(grade["value"], f"the value of grade {at} of {where}") for at, grade in enumerate(grades, 1)]
    if len(values) < 2 or values != sorted(set(values)):
        raise ValueError(f"the grades of {where} must be at least two, rising, each once, not {values}")
    given = _between(values, table.get("between", False), where)
    best = whole(table["best"], f"best of {where}")
    if best not in given:
        raise ValueError(f"best of {where} is {best}, which is none of its grades ({', '.join(map(str, values))})")
    return Aspect(named, best, given, {each: _worded(table, each, given, where) for each in languages})


def _between(values: list[int], between: Any, where: str) -> tuple[int, ...]:
    """Return all possible grades: those listed or, with `between`, every whole number from the first to the last."""
    if not isinstance(between, bool):
        raise ValueError(f"between of {where} must be true or false, not {between!r:.40}")  # noqa: TRY004 - told with the file's name
    if between and values[-1] - values[0] >= _MOST_GRADES:
        raise ValueError(f"{where} has more than {_MOST_GRADES} grades from {values[0]} to {values[-1]}")
    return tuple(range(values[0], values[-1] + 1)) if between else tuple(values)


def _worded(table: Mapping[str, Any], language: Language, values: tuple[int, ...], where: str) -> Worded:
    where = f"{language} of {where}"
    found = keys(table[language], where, required=("asks",), optional=("example", "title"))
    lines = []
    for grade in table["grades"]:
        said = text(grade[language], f"grade {grade['value']} in {where}")
        lines.append(f"{grade['value']}: {' '.join(said.split())}")
    if table.get("between"):
        others = "整数なら途中の値も可" if language == "ja" else "whole numbers between them may be given, too"
        lines.append(f"({others})")
    example = _example(found["example"], values, where) if "example" in found else None
    title = text(found["title"], f"title in {where}") if "title" in found else ""
    return Worded(text(found["asks"], f"asks in {where}"), "\n".join(lines), example, title)


def _example(table: Any, values: tuple[int, ...], where: str) -> AspectExample:
    where = f"example in {where}"
    keys(table, where, required=("question", "answer", "reason", "grade"))
    texts = {key: text(table[key], f"{key} of the {where}") for key in ("question", "answer", "reason")}
    grade = whole(table["grade"], f"grade of the {where}")
    if grade not in values:
        raise ValueError(f"the {where} has the grade {grade}, which is none of the aspect's")
    return AspectExample(**texts, grade=grade)


def _check_languages(aspects: tuple[Aspect, ...]) -> None:
    first = aspects[0]
    for aspect in aspects[1:]:
        if set(aspect.texts) != set(first.texts):
            raise ValueError(
                f"aspect {first.name!r} has texts in {', '.join(first.texts)}, {aspect.name!r} in "
                f"{', '.join(aspect.texts)}; give all aspects the same languages"
            )
