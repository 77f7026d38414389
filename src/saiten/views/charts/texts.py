"""Names and numbers in charts: on one line, sanitized, and no wider than the available space.

Widths are estimated, not measured: the reader's fonts are unknown, and a chart drawn on a machine without Japanese
fonts would be clipped elsewhere. The estimate is on the wide side.
"""

from collections.abc import Iterable, Mapping
from math import isfinite
from unicodedata import combining

from rich.cells import cell_len

from saiten.views.strip_controls import clean

_WIDE, _BROAD, _PLAIN, _SLIM = 1.02, 0.95, 0.66, 0.36
"""Widths relative to the font size: a Japanese letter, an M, most others, an i."""
_LONGEST = 400
"""Maximum characters of a name."""


def plain(text: str) -> str:
    """Return the name on one line with control characters replaced; `–` if nothing is left."""
    beginning = text if len(text) <= _LONGEST else text[: _LONGEST // 2] + "…" + text[-_LONGEST // 2 :]
    return " ".join(clean(beginning).split()) or "–"


def text_width(text: str, size: float = 12) -> float:
    """Estimate a text's width in pixels, rather too wide than too narrow."""
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
    """Cut a name that is too wide in the middle, since systems often differ only in the last letter."""
    if text_width(text, size) <= width:
        return text
    half = (width - text_width("…", size)) / 2
    head, tail = _fitting(text, half, size), _fitting(text[::-1], half, size)[::-1]
    return f"{head.rstrip()}…{tail.lstrip()}"


def _fitting(text: str, width: float, size: float) -> str:
    """Return as many leading letters as fit."""
    room, letters = width, 0
    for letter in text:
        room -= _letter(letter) * size
        if room < 0:
            break
        letters += 1
    return text[:letters]


_LARGEST = 1e280
"""Sums and differences of numbers up to this are finite."""
_SAID = 40
"""Figures in the description; the table has all."""


def finite(value: float | None) -> float | None:
    """Return the number; None if it is missing, not finite or too large to draw.

    A number smaller than any axis is 0.
    """
    if value is None or not isfinite(value) or abs(value) > _LARGEST:
        return None
    return 0.0 if abs(value) < 1 / _LARGEST else float(value)


def finite_ones(values: Iterable[float | None]) -> list[float]:
    """Return the numbers that `finite` returns."""
    return [found for value in values if (found := finite(value)) is not None]


def written(value: float | None) -> str:
    """Write a number with three decimals at most, fewer for large and more for small ones, and a true minus sign."""
    if value is None:
        return "–"
    if value and abs(value) < 0.1:
        return number(float(f"{value:.2g}"))
    if 1000 <= abs(value) < 1e9:
        return f"{value:,.0f}".replace("-", "−")
    return number(float(f"{value:.3g}"))


def value_and_interval(
    value: float | None, low: float | None, high: float | None, words: Mapping[str, str], notes: Iterable[str] = ()
) -> str:
    """Describe a figure: `0.5, 95 % interval 0.4 to 0.6, n = 48`, or that there is no value.

    `notes`: further parts; empty ones are left out.
    """
    if finite(value) is None:
        return words["nothing"]
    parts = [written(finite(value))]
    if low is not None and high is not None:
        parts.append(words["interval"].format(low=written(finite(low)), high=written(finite(high))))
    return ", ".join(part for part in (*parts, *notes) if part)


def in_words(said: Iterable[tuple[str, str]], words: Mapping[str, str]) -> str:
    """Join `name: value; name: value; …`, the first forty."""
    pairs = list(said)
    parts = [words["said"].format(name=name, value=value) for name, value in pairs[:_SAID]]
    if len(pairs) > _SAID:
        parts.append(words["and_more"].format(count=len(pairs) - _SAID))
    return words["between"].join(parts)


def number(value: float) -> str:
    """Write a number as short as possible, with a true minus sign."""
    return f"{value + 0.0:.6g}".replace("-", "−").replace("e+0", "e").replace("e+", "e").replace("e−0", "e−")
