"""Names from outside as they can stand in a picture: on one line, harmless, and no wider than there is room.

Widths are reckoned, not measured: the fonts are those of whoever reads the page, and a picture that came out otherwise
on a machine without Japanese fonts would be clipped elsewhere. The reckoning is on the wide side.
"""

import re
from unicodedata import combining

from rich.cells import cell_len

from saiten.views.strip_controls import strip_controls

_NO_TEXT = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Halves of surrogate pairs and code points that are no characters: they cannot stand in an SVG."""
_WIDE, _BROAD, _PLAIN, _SLIM = 1.02, 0.95, 0.66, 0.36
"""Of the font's size: a Japanese letter, an M, most others, an i."""
_LONGEST = 400
"""Characters of a name that are looked at."""


def plain(text: str) -> str:
    """The name on one line, with a sign for every character that would act; `–` where nothing is left."""
    beginning = text if len(text) <= _LONGEST else text[: _LONGEST // 2] + "…" + text[-_LONGEST // 2 :]
    return " ".join(_NO_TEXT.sub("\ufffd", strip_controls(beginning)).split()) or "–"


def text_width(text: str, size: float = 12) -> float:
    """About how many pixels a text takes in letters of this size; rather more than less."""
    return sum(map(_letter, text)) * size


def _letter(letter: str) -> float:
    if combining(letter):
        return 0.0
    if not letter.isascii():
        return _WIDE if cell_len(letter) > 1 else _BROAD
    if letter in "MWmw@%&":
        return _BROAD
    return _SLIM if letter in " iIljft.,:;|!'`()[]" else _PLAIN


def shorten(text: str, width: float, size: float = 12) -> str:
    """Both ends of a name that is too wide, `…` between them: systems often differ in the last letter alone."""
    if text_width(text, size) <= width:
        return text
    half = (width - text_width("…", size)) / 2
    head, tail = _fitting(text, half, size), _fitting(text[::-1], half, size)[::-1]
    return f"{head.rstrip()}…{tail.lstrip()}"


def _fitting(text: str, width: float, size: float) -> str:
    """As many of the first letters as there is room for."""
    room, letters = width, 0
    for letter in text:
        room -= _letter(letter) * size
        if room < 0:
            break
        letters += 1
    return text[:letters]
