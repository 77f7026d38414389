"""A single criterion as an aspect: from a line of words, or from a text file.

The file holds the criterion, then optional lines `5: the meaning of a grade`, `scale: 1 to 5` and `best: 5`.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import get_args

from saiten.data.hand_written import read_text
from saiten.errors import ConfigurationError
from saiten.metrics.rubrics import Aspect, Worded, grade_list
from saiten.metrics.rubrics.scales import DEFAULT, WrittenScale, is_scale, read_scale
from saiten.records import Language

_KEY = r"[+\-\u2010-\u2015\u2212]?\d{1,7}|yes|no|はい|いいえ"
_GRADE = re.compile(rf"({_KEY})\s*[:\uff1a]\s*(\S.*)", re.IGNORECASE | re.DOTALL)
_NEXT_GRADE = re.compile(rf"[;\uff1b\n]\s*(?=(?:{_KEY})\s*[:\uff1a])", re.IGNORECASE)
_SETTING = re.compile(r"(scale|尺度|best|最良)\s*[:\uff1a]\s*(\S.*)", re.IGNORECASE)
_LAST = re.compile(r"[,\u3001\uff0c]\s*([^,\u3001\uff0c\n]+?)\s*$")
_MOST_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class OneCriterion:
    """A criterion as its author wrote it; what was left open is None or missing."""

    words: str
    scale: WrittenScale | None = None
    best: int | None = None
    meanings: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))

    def aspect(self, name: str) -> Aspect:
        """Return the aspect for a judge, in both languages; only the ends of the scale get a meaning of their own.

        Raises:
            ValueError: the best grade, or one with a meaning, is not on the scale.
        """
        scale = self.scale or DEFAULT
        best = scale.high if self.best is None else self.best
        if best not in scale.values:
            raise ValueError(f"the best grade {best} is not on the scale {scale}")
        texts: dict[Language, Worded] = {}
        for language in get_args(Language):
            meanings = dict(sorted({**scale.ends(language), **self.meanings}.items()))
            between = len(meanings) < len(scale.values)
            texts[language] = Worded(self.words, grade_list(meanings, language, between=between))
        return Aspect(name, best, scale.values, texts)


def criterion_of(words: str, scale: WrittenScale | None, best: int | None, grades: str) -> OneCriterion:
    """Return a criterion given in one line; `grades` is like `1: rude; 5: polite`.

    Raises:
        ValueError: the criterion is empty or too long, or the grades cannot be read or are not on the scale.
    """
    if not words.strip():
        raise ValueError("the criterion is empty; say what the answer should be, such as `polite and brief`")
    if len(words) > _MOST_CHARACTERS:
        raise ValueError(f"the criterion has {len(words):,} characters; at most {_MOST_CHARACTERS:,} are allowed")
    if (tail := _LAST.search(words)) and scale is None and is_scale(tail[1]):
        raise ValueError(f'the criterion ends with a scale, {tail[1]!r}; separate it by a comma: ["…", {tail[1]}]')
    meanings: dict[int, str] = {}
    for part in _NEXT_GRADE.split(grades) if grades.strip() else ():
        found = _GRADE.fullmatch(part.strip())
        if found is None:
            raise ValueError(f"grades are written like `1: rude; 5: polite`, not {part.strip()!r:.100}")
        _add(meanings, found, scale or DEFAULT)
    return OneCriterion(words.strip(), scale, best, meanings)


def read_criterion(file: Path, scale: WrittenScale | None, best: int | None) -> OneCriterion:
    """Read a criterion from a text file; `scale` and `best` are those already chosen, if any.

    Raises:
        ConfigurationError: it cannot be read, is empty, sets again what is chosen, or has a line that cannot be
            understood; the text names file and line.
    """
    text = read_text(file, "a criterion, and optional lines such as `5: polite throughout`")
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    settings = {number: found for number, line in lines if (found := _SETTING.fullmatch(line))}
    for number, found in settings.items():
        with _at(file, number):
            if found[1].casefold() in {"scale", "尺度"}:
                _refuse_twice("scale", scale)
                scale = read_scale(found[2])
    words: list[str] = []
    meanings: dict[int, str] = {}
    for number, line in lines:
        with _at(file, number):
            if number in settings:
                if settings[number][1].casefold() in {"best", "最良"}:
                    _refuse_twice("best", best)
                    best = (scale or DEFAULT).grade(settings[number][2])
            elif grade := _GRADE.fullmatch(line):
                _add(meanings, grade, scale or DEFAULT)
            elif meanings or any(before < number for before in settings):
                raise ValueError(f"expected `GRADE: meaning`, not {line!r:.100}; the criterion comes first")
            else:
                words.append(line)
    with _at(file, 1):
        return replace(criterion_of("\n".join(words), scale, best, ""), meanings=meanings)


@contextmanager
def _at(file: Path, number: int) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ConfigurationError(f"{file}, line {number}: {error}") from error


def _refuse_twice(name: str, chosen: object) -> None:
    if chosen is not None:
        raise ValueError(f"{name} is set twice; it is {chosen} already")


def _add(meanings: dict[int, str], found: re.Match[str], scale: WrittenScale) -> None:
    grade = scale.grade(found[1])
    if grade in meanings:
        raise ValueError(f"the grade {grade} has two meanings")
    meanings[grade] = found[2]
