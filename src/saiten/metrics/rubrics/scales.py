"""Scales as people write them: `1 to 5`, `0-10`, `1〜5`, `yes/no`."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from saiten.records import Language

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))
_RANGE = re.compile(r"([+-]?\d{1,7})\s*(?:to|-|~|\u301c|\.{2,3}|から)\s*([+-]?\d{1,7})(?:\s*まで)?")
_OR = r"\s*(?:/|\||・|or|か)\s*"
_YES_NO = re.compile(rf"yes{_OR}no|no{_OR}yes|はい{_OR}いいえ|いいえ{_OR}はい")
_MOST_GRADES = 1001
_LARGEST = 10**6

_FULLY: Mapping[Language, tuple[str, str]] = MappingProxyType(
    {
        "en": ("does not meet the criterion at all", "meets the criterion fully"),
        "ja": ("基準をまったく満たしていない", "基準を完全に満たしている"),
    }
)
_YES: Mapping[Language, tuple[str, str]] = MappingProxyType({"en": ("no", "yes"), "ja": ("いいえ", "はい")})
_WORDS = MappingProxyType({"no": 0, "いいえ": 0, "yes": 1, "はい": 1})


@dataclass(frozen=True, slots=True)
class WrittenScale:
    """The whole numbers from `low` to `high`; for yes and no, 0 and 1."""

    low: int
    high: int
    yes_no: bool = False

    def __str__(self) -> str:
        return "yes/no" if self.yes_no else f"{self.low} to {self.high}"

    @property
    def values(self) -> tuple[int, ...]:
        """All grades, ascending."""
        return tuple(range(self.low, self.high + 1))

    def ends(self, language: Language) -> Mapping[int, str]:
        """Return the meanings of the lowest and the highest grade."""
        worst, best = (_YES if self.yes_no else _FULLY)[language]
        return {self.low: worst, self.high: best}

    def grade(self, text: str) -> int:
        """Return the grade that a number means, or the word `yes` or `no` on a scale of these.

        Raises:
            ValueError: it is not on the scale.
        """
        word = text.strip().casefold()
        value: int | None = None
        if word in _WORDS:
            value = _WORDS[word] if self.yes_no else None
        elif re.fullmatch(r"[+-]?\d{1,7}", word.translate(_DASHES)):
            value = int(word.translate(_DASHES))
        if value not in self.values:
            raise ValueError(f"the grade {text.strip()} is not on the scale {self}; name a scale that has it")
        return value


DEFAULT = WrittenScale(1, 5)


def read_scale(text: str) -> WrittenScale:
    """Read a scale in English or Japanese; raises ValueError, which says what was expected."""
    plain = unicodedata.normalize("NFKC", text).translate(_DASHES).strip().casefold()
    if _YES_NO.fullmatch(plain):
        return WrittenScale(0, 1, yes_no=True)
    found = _RANGE.fullmatch(plain)
    if found is None:
        raise ValueError(f"{text!r} is not a scale; expected two whole numbers or yes/no: 1 to 5, 0-10, 1〜5, yes/no")
    low, high = int(found[1]), int(found[2])
    if low >= high:
        raise ValueError(f"the scale {text!r} does not rise; write 1 to 5, and best=1 if the lowest grade is the best")
    if high - low >= _MOST_GRADES or max(abs(low), abs(high)) > _LARGEST:
        raise ValueError(f"the scale {text!r} has more than {_MOST_GRADES} grades, or one beyond {_LARGEST:,}")
    return WrittenScale(low, high)


def is_scale(text: str) -> bool:
    """Return whether `read_scale` would read the text."""
    try:
        read_scale(text)
    except ValueError:
        return False
    return True
