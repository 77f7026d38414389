"""Folding: a form in which texts that readers consider equal are equal, with each character's place in the original.

Ignores width and form (NFKC), case, invisible characters, white space, kinds of quotation marks and dashes, and which
comma or full stop is used. Characters are decomposed (`ガ` is `カ` and a mark), so that each folds separately and its
place is exact; `Folded.span` never splits one.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise

from saiten.text.normalization import INVISIBLE

_ONE_FORM = str.maketrans(
    dict.fromkeys("‘’‚‛′`", "'")
    | dict.fromkeys("“”„‟″", '"')
    | dict.fromkeys("‐‑‒–—―−", "-")
    | {"〜": "~", "、": ",", "。": ".", "∙": "・"}
)
"""Characters that NFKC distinguishes, but models confuse when copying."""

_NARROW = 0x1100
"""Below are scripts with spaces between words (Hangul, above, also has them, but is not supported)."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text."""

    text: str
    places: Sequence[int]
    """For each of its characters, the place of the original character."""

    def cuts(self, at: int) -> bool:
        """Return whether a cut before `text[at]` would split a letter from its mark, or a decomposed character."""
        inside = 0 < at < len(self.text)
        return inside and bool(unicodedata.combining(self.text[at]) or self.places[at] == self.places[at - 1])

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the original span of `text[start:end]`, which is not empty; None if it would split a character."""
        if self.cuts(start) or self.cuts(end):
            return None
        inside = self.places[start:end]
        return min(inside), max(inside) + 1


def fold(text: str) -> Folded:
    """Fold the text, in time linear in its length."""
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
    """Return whether it is a letter or digit of a script with spaces between words."""
    return ord(character) < _NARROW and character.isalnum()


@lru_cache(maxsize=16_384)
def _folded(character: str) -> str:
    """Fold one character: to a space for white space, to nothing if invisible."""
    if character.isspace():
        return " "
    if INVISIBLE.match(character):
        return ""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return apart.replace(" ", "").translate(_ONE_FORM)  # some spacing marks decompose into a space and a mark


def _put_marks_in_order(letters: list[str], places: list[int]) -> None:
    """Apply Unicode's canonical order: sort the marks on a letter by class, however they were typed."""
    marks = [at for at, letter in enumerate(letters) if not letter.isascii() and unicodedata.combining(letter)]
    if not any(after == before + 1 for before, after in pairwise(marks)):
        return
    for _, numbered in groupby(enumerate(marks), key=lambda mark: mark[1] - mark[0]):  # neighbors share the difference
        run = [at for _, at in numbered]
        ordered = sorted(run, key=lambda at: unicodedata.combining(letters[at]))
        letters[run[0] : run[-1] + 1] = [letters[at] for at in ordered]
        places[run[0] : run[-1] + 1] = [places[at] for at in ordered]
