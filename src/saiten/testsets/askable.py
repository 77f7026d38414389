"""Passages that carry nothing to ask about: too short, code, symbols, lists of links and of titles."""

import re
from typing import Literal

from saiten.text.words import JAPANESE

Unasked = Literal["short", "code", "symbols", "links", "copy"]
"""`short`: next to nothing besides headings · `code`: nothing but code · `symbols`: hardly any letters · `links`: a
table of contents, or a list of links or titles · `copy`: says the same as an earlier passage."""

_FEWEST = 20
"""Letters of a passage that says something: `It opened in 1998.`; a kana or kanji counts as three."""
_LETTERS = 0.5
"""The least share of letters in what is visible."""
_LISTED = 0.7
"""The share of text in lines with nothing but links or titles from which a passage is a list."""
_FEWEST_TITLES, _LONGEST_TITLE = 5, 30
_CELLS = 2
"""Bars in a line from which it is a row of a table."""
_LETTER = re.compile(r"[^\W\d_]")
_WIDE = re.compile(f"[{JAPANESE}]")
_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{50,}")
_INK = re.compile(r"\S")
_LINK = re.compile(r"!?\[[^\]\n]*\]\([^)\n]*\)|<?https?://[^\s>　-鿿]+>?")
_LEADER = re.compile(r".*(?:[.·…‥・_-][ .·…‥・_-]{2,}|\t)\s*\d{1,4}\s*")
_MARK = re.compile(r"\s*(?:[-*+•・◦]|\d{1,3}[.)．）])\s*")
_ENDS = re.compile(r"[。．.！!?？:：|]\s*$|\d")


def why_unasked(text: str, prose: str) -> Unasked | None:
    """Return why no question can be written from a passage; None if one can.

    Args:
        text: The whole passage.
        prose: The passage without headings and code.
    """
    if weight(prose) < _FEWEST:
        return "code" if weight(text) - weight(prose) > _FEWEST and "\n" in text.strip() else "short"
    letters = _LETTER.findall(_ENCODED.sub("", prose))
    if len(letters) < _LETTERS * len(_INK.findall(prose)):
        return "symbols"
    return "links" if _is_list(prose) else None


def is_written(text: str, prose: str) -> bool:
    """Return whether most of a passage is sentences, rather than code and tables; arguments as in `why_unasked`."""
    lines = (line for line in prose.splitlines() if not line.lstrip().startswith("|") and line.count("|") < _CELLS)
    return 2 * sum(map(weight, lines)) > weight(text)


def weight(text: str) -> int:
    """Return the number of letters; a kana or kanji counts as three, as in the detection of the language."""
    return len(_LETTER.findall(text)) + 2 * len(_WIDE.findall(text))


def _is_list(prose: str) -> bool:
    lines = [line.strip() for line in prose.splitlines() if line.strip()]
    listed = sum(len(line) for line in lines if _is_link(line))
    if listed >= _LISTED * sum(map(len, lines)):
        return True
    titles = [line for line in lines if weight(line) <= _LONGEST_TITLE and not _ENDS.search(_MARK.sub("", line, 1))]
    return len(titles) >= _FEWEST_TITLES and len(titles) == len(lines)


def _is_link(line: str) -> bool:
    """Return whether a line has a link and hardly anything else, or ends with a page's number after leaders."""
    rest, links = _LINK.subn("", line)
    return (bool(links) and weight(rest) < _FEWEST) or _LEADER.fullmatch(line) is not None
