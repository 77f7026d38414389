"""Passages that carry nothing to ask about: too short, code, symbols, lists of links and of titles."""

import re
from collections.abc import Mapping
from typing import Literal

from saiten.text.words import JAPANESE

Unasked = Literal["short", "code", "symbols", "links", "copy"]
"""`short`: next to nothing besides headings · `code`: nothing but code · `symbols`: hardly any letters · `links`: a
table of contents, or a list of links or titles · `copy`: says the same as an earlier passage."""

_IN_WORDS: Mapping[Unasked, str] = {
    "short": "next to nothing besides headings",
    "code": "code without an explanation",
    "symbols": "figures and symbols with hardly any words",
    "links": "tables of contents, and lists of links or titles",
    "copy": "the same as in an earlier passage",
}
_FEWEST = 20
"""Letters of a passage that says something: `It opened in 1998.`; a kana or kanji counts as three."""
_LETTERS = 0.5
"""The least share of letters in what is visible."""
_LISTED = 0.7
"""The share of text in lines with nothing but links or titles from which a passage is a list."""
_FEWEST_TITLES, _LONGEST_TITLE = 5, 30
_CELLS = 2
"""Bars in a line from which it is a row of a table."""
_LETTERS_RUN = re.compile(r"[^\W\d_]+")
_WIDE_RUN = re.compile(f"[{JAPANESE}]+")
_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{50,}")
_LINK = re.compile(r"!?\[[^\]\n]*\]\([^)\n]*\)|<?https?://[^\s>　-鿿]+>?")
_LEADER = re.compile(r".*(?:[.·…‥・_-][ .·…‥・_-]{2,}|\t)\s*\d{1,4}\s*")
_MARK = re.compile(r"\s*(?:[-*+•・◦]|\d{1,3}[.)．）])\s*")
_ENDS = re.compile(r"[。．.！!?？:：|]\s*$|\d")


def why_unasked(text: str, prose: str, *, code: bool = False) -> Unasked | None:
    """Return why no question can be written from a passage; None if one can.

    Args:
        text: The whole passage.
        prose: The passage without headings and code.
        code: Whether it has code.
    """
    if weight(prose) < _FEWEST:
        return "code" if code and weight(text) >= _FEWEST else "short"
    if _is_list(prose):
        return "links"
    letters = _length(_LETTERS_RUN, _ENCODED.sub("", prose))
    return "symbols" if letters < _LETTERS * sum(map(len, prose.split())) else None


def notes_on(left_out: Mapping[Unasked, int]) -> list[str]:
    """Return a sentence per reason, for people."""
    return [
        f"passages with nothing to ask about: {n:,} ({_IN_WORDS[reason]})" for reason, n in sorted(left_out.items())
    ]


def is_written(text: str, prose: str) -> bool:
    """Return whether most of a passage is sentences, rather than code and tables; arguments as in `why_unasked`."""
    lines = (line for line in prose.splitlines() if not line.lstrip().startswith("|") and line.count("|") < _CELLS)
    return 2 * weight("\n".join(lines)) > weight(text)


def weight(text: str) -> int:
    """Return the number of letters; a kana or kanji counts as three, as in the detection of the language."""
    return _length(_LETTERS_RUN, text) + (0 if text.isascii() else 2 * _length(_WIDE_RUN, text))


def _length(runs: re.Pattern[str], text: str) -> int:
    return sum(map(len, runs.findall(text)))


def _is_list(prose: str) -> bool:
    lines = [line.strip() for line in prose.splitlines() if line.strip()]
    listed = sum(len(line) for line in lines if _is_link(line))
    if listed >= _LISTED * sum(map(len, lines)):
        return True
    return len(lines) >= _FEWEST_TITLES and all(map(_is_title, lines))


def _is_title(line: str) -> bool:
    return weight(line) <= _LONGEST_TITLE and not _ENDS.search(_MARK.sub("", line, count=1))


def _is_link(line: str) -> bool:
    """Return whether a line has a link and hardly anything else, or ends with a page's number after leaders."""
    rest, links = _LINK.subn("", line)
    return (bool(links) and weight(rest) < _FEWEST) or _LEADER.fullmatch(line) is not None
