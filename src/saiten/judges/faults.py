"""Reasons why a reply is unusable, in the prompt's language: readers say it in English, faults.toml in Japanese.

The file contains sections of `"English" = "Japanese"`. `{n}`, `{n2}`, … match numbers. Any other `{word}` matches an
entry of the section of that name, if there is one, or else any text, which is kept. The first matching entry counts.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from saiten.records import Language

_UNKNOWN = "指定された形の返答ではありません"
"""Used if the catalog lacks a fault: vague is better than a mix of languages."""
_LONGEST, _MOST_PARTS, _DEEPEST = 2_000, 50, 4
"""Maximum characters, sentences or remarks, and nesting depth of a text; anything more is not saiten's."""
_NUMBER, _TEXT = r"[\d.,%e+-]+?", ".+?"
_PLACE = re.compile(r"\\{([a-z]+)(\d*)\\}")
_BETWEEN = re.compile(r"(?<=\.) |; |, ")
_JOINED = {" ": "", "; ": "；", ", ": "、"}


def fault_in(language: Language, fault: str) -> str:
    """Return the fault in the language of the prompt."""
    return fault if language == "en" else _look_up("fault", fault, 0) or _UNKNOWN


@lru_cache(maxsize=4_096)
def _look_up(section: str, text: str, depth: int) -> str | None:
    """Translate the text, as a whole or sentence by sentence; None unless all of it is known."""
    if not text or len(text) > _LONGEST or depth > _DEEPEST:
        return None
    whole = _translate(section, text, depth)
    if whole is not None:
        return whole
    between = list(_BETWEEN.finditer(text))
    for each in between if len(between) < _MOST_PARTS else ():
        first = _translate(section, text[: each.start()], depth)
        rest = first and _look_up(section, text[each.end() :], depth)
        if rest:
            return f"{first}{_JOINED[each.group()]}{rest}"
    return None


def _translate(section: str, text: str, depth: int) -> str | None:
    """Translate the text as a whole, including the values in it."""
    if text in _catalog()[section]:
        return _catalog()[section][text]
    for english, japanese in _patterns(section):
        if found := english.fullmatch(text):
            values: dict[str, str | None] = {}
            for place, value in found.groupdict().items():
                kind = place.rstrip("0123456789")
                values[place] = _look_up(kind, value, depth + 1) if kind in _catalog() else value
            if None not in values.values():
                return japanese.format(**values)
    return None


@cache
def _catalog() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((files(__package__) / "faults.toml").read_text("utf-8"))


@cache
def _patterns(section: str) -> Sequence[tuple[re.Pattern[str], str]]:
    """Return the English texts with placeholders, and their Japanese."""

    def place(found: re.Match[str]) -> str:
        return f"(?P<{found[1]}{found[2]}>{_NUMBER if found[1] == 'n' else _TEXT})"

    return [
        (re.compile(_PLACE.sub(place, re.escape(english)), re.DOTALL), japanese)
        for english, japanese in _catalog()[section].items()
        if "{" in english
    ]
