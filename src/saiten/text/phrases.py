"""Sentences in another language: a catalogue of our own English sentences, with places for what varies.

A TOML file holds sections of `"English" = "Japanese"`. `{n}`, `{n2}`, … are places for numbers. Another `{word}` is a
place for something of the section of that name if there is one, which must be found there; else for any text, which
stays as it is. The first entry that fits counts.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources.abc import Traversable

_LONGEST, _MOST_PARTS, _DEEPEST = 2_000, 50, 4
"""Characters of a text that is looked up, its sentences or remarks, and texts within texts; more is not ours."""
_NUMBER, _TEXT = r"[\d.,%e+-]+?", ".+?"
_PLACE = re.compile(r"\\{([a-z]+)(\d*)\\}")
_BETWEEN = re.compile(r"(?<=\.) |; |, ")
_JOINED = {" ": "", "; ": "；", ", ": "、"}


@dataclass(frozen=True, slots=True)
class _Shape:
    """An English text with places for others, and its Japanese."""

    english: re.Pattern[str]
    japanese: str


@dataclass(frozen=True, eq=False)
class Catalogue:
    """English texts and their Japanese, by section."""

    sections: Mapping[str, Mapping[str, str]]
    _shapes: Mapping[str, Sequence[_Shape]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_shapes", {name: _shapes(texts) for name, texts in self.sections.items()})

    @classmethod
    def read(cls, file: Traversable) -> "Catalogue":
        """The catalogue in a TOML file."""
        return cls(tomllib.loads(file.read_text("utf-8")))

    def look_up(self, section: str, text: str) -> str | None:
        """The Japanese of the text, or of each of its sentences and remarks.

        None where that is not known of all of it, so that nothing is half in one language and half in the other.
        """
        return _found(self, section, text, 0)

    def looked_up(self, section: str, text: str, depth: int) -> str | None:
        """The Japanese of the text as a whole; `depth`: in how many other texts it is."""
        found = self.sections[section].get(text)
        if found is not None:
            return found
        filled = (self._filled(shape, text, depth) for shape in self._shapes[section])
        return next((each for each in filled if each is not None), None)

    def _filled(self, shape: _Shape, text: str, depth: int) -> str | None:
        """The Japanese with the values of its places; None for a text of another shape."""
        found = shape.english.fullmatch(text)
        if found is None:
            return None
        values: dict[str, str] = {}
        for place, value in found.groupdict().items():
            section = place.rstrip("0123456789")
            said = _found(self, section, value, depth + 1) if section in self.sections else value
            if said is None:
                return None
            values[place] = said
        return shape.japanese.format(**values)


@lru_cache(maxsize=4_096)
def _found(catalogue: Catalogue, section: str, text: str, depth: int) -> str | None:
    if not text or len(text) > _LONGEST or depth > _DEEPEST:
        return None
    whole = catalogue.looked_up(section, text, depth)
    if whole is not None:
        return whole
    between = list(_BETWEEN.finditer(text))
    for each in between if len(between) < _MOST_PARTS else ():
        first = catalogue.looked_up(section, text[: each.start()], depth)
        rest = first and _found(catalogue, section, text[each.end() :], depth)
        if rest:
            return f"{first}{_JOINED[each.group()]}{rest}"
    return None


def _shapes(texts: Mapping[str, str]) -> Sequence[_Shape]:
    def place(found: re.Match[str]) -> str:
        return f"(?P<{found[1]}{found[2]}>{_NUMBER if found[1] == 'n' else _TEXT})"

    return [
        _Shape(re.compile(_PLACE.sub(place, re.escape(english)), re.DOTALL), japanese)
        for english, japanese in texts.items()
        if "{" in english
    ]
