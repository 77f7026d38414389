"""Translation of saiten's own English sentences by a catalogue, with placeholders for variable parts.

A TOML file contains sections of `"English" = "Japanese"`. `{n}`, `{n2}`, … match numbers. Any other `{word}` matches an
entry of the section of that name, if there is one, or else any text, which is kept. The first matching entry counts.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources.abc import Traversable

_LONGEST, _MOST_PARTS, _DEEPEST = 2_000, 50, 4
"""Maximum characters, sentences or remarks, and nesting depth of a text; anything more is not saiten's."""
_NUMBER, _TEXT = r"[\d.,%e+-]+?", ".+?"
_PLACE = re.compile(r"\\{([a-z]+)(\d*)\\}")
_BETWEEN = re.compile(r"(?<=\.) |; |, ")
_JOINED = {" ": "", "; ": "；", ", ": "、"}


@dataclass(frozen=True, slots=True)
class _Shape:
    """An English text with placeholders, and its Japanese."""

    english: re.Pattern[str]
    japanese: str


@dataclass(frozen=True, eq=False)
class Catalogue:
    """English texts with their Japanese, by section."""

    sections: Mapping[str, Mapping[str, str]]
    _shapes: Mapping[str, Sequence[_Shape]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_shapes", {name: _shapes(texts) for name, texts in self.sections.items()})

    @classmethod
    def read(cls, file: Traversable) -> "Catalogue":
        """Read the catalogue from a TOML file."""
        return cls(tomllib.loads(file.read_text("utf-8")))

    def look_up(self, section: str, text: str) -> str | None:
        """Translate the text, as a whole or sentence by sentence.

        None unless all of it is known, so that languages are never mixed.
        """
        return _found(self, section, text, 0)

    def looked_up(self, section: str, text: str, depth: int) -> str | None:
        """Translate the text as a whole; `depth` is its nesting depth."""
        found = self.sections[section].get(text)
        if found is not None:
            return found
        filled = (self._filled(shape, text, depth) for shape in self._shapes[section])
        return next((each for each in filled if each is not None), None)

    def _filled(self, shape: _Shape, text: str, depth: int) -> str | None:
        """Translate a text of this shape, including its values; None for another shape."""
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
