"""Folding: a text as two readers would call it the same, with the place of every character in the original.

Width and form (NFKC), case, invisible characters, white space, quotation marks, dashes, and which comma or full stop is
typed make no difference. The characters are taken apart (`ガ` is `カ` and a mark), so that each one folds alone and its
place is exact; `Folded.span` never cuts one in two.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

_ONE_FORM = str.maketrans(
    dict.fromkeys("‘’‚‛′`", "'")
    | dict.fromkeys("“”„‟″", '"')
    | dict.fromkeys("‐‑‒–—―−", "-")
    | {"〜": "~", "、": ",", "。": ".", "∙": "・"}
)
"""NFKC leaves these apart, and models swap them when they copy."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
_NARROW = 0x1100
"""Below are the scripts that put spaces between words (and Hangul, above, which does too, is not one of ours)."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text."""

    text: str
    places: Sequence[int]
    """For each of its characters the place, in the original, of the one that it comes from."""

    def cuts(self, at: int) -> bool:
        """Whether a cut before `text[at]` would part a letter from its mark, or what one character became."""
        inside = 0 < at < len(self.text)
        return inside and bool(unicodedata.combining(self.text[at]) or self.places[at] == self.places[at - 1])

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Where `text[start:end]`, which is not empty, stands in the original; None if it would be cut out of one."""
        if self.cuts(start) or self.cuts(end):
            return None
        inside = self.places[start:end]
        return min(inside), max(inside) + 1


def fold(text: str) -> Folded:
    """The folded text, in time linear in its length."""
    letters: list[str] = []
    places: list[int] = []
    gap = False
    for at, character in enumerate(text):
        folded = _folded(character)
        if folded == " ":
            gap = True
        elif folded:
            if gap and letters and is_narrow(letters[-1]) and is_narrow(folded[0]):
                letters.append(" ")
                places.append(at - 1)
            gap = False
            letters.extend(folded)
            places.extend([at] * len(folded))
    _put_marks_in_order(letters, places)
    return Folded("".join(letters), places)


def is_narrow(character: str) -> bool:
    """Whether it is a letter or digit of a script with spaces between its words."""
    return ord(character) < _NARROW and character.isalnum()


@lru_cache(maxsize=16_384)
def _folded(character: str) -> str:
    """What one character becomes: a space for white space, nothing for an invisible one."""
    if character.isspace():
        return " "
    if _INVISIBLE.match(character):
        return ""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return apart.replace(" ", "").translate(_ONE_FORM)  # some marks that stand alone come apart with a space


def _put_marks_in_order(letters: list[str], places: list[int]) -> None:
    """Unicode's canonical order: marks on one letter stand by their class, in whatever order they were typed."""
    marks = [at for at, letter in enumerate(letters) if not letter.isascii() and unicodedata.combining(letter)]
    if not any(after == before + 1 for before, after in pairwise(marks)):
        return
    runs: list[list[int]] = []
    for at in marks:
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    for run in runs:
        sorted_run = sorted(run, key=lambda at: unicodedata.combining(letters[at]))
        moved = [(letters[at], places[at]) for at in sorted_run]
        for at, (letter, place) in zip(run, moved, strict=True):
            letters[at], places[at] = letter, place
