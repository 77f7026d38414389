"""The sentences of a passage that a question can be made of, each with the heading above it.

Passages are Markdown or plain text. Headings are read, not asked about; code, tables, links and pictures are left out.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from saiten.records import Language
from saiten.text.sentences import split_sentences


class Statement(NamedTuple):
    """A sentence that states something."""

    text: str
    """Without markup and line breaks, but for `code`."""
    start: int
    """Start in the passage's text, in characters."""
    end: int
    """End, exclusive."""
    heading: str
    """The heading above it in the passage, without its number; "" if there is none."""


_LENGTHS: dict[Language, tuple[int, int]] = {"en": (20, 300), "ja": (10, 150)}
"""Minimum and maximum characters of a sentence."""

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HEADING = re.compile(r"^[ \t]*(?P<mark>#{1,6})[ \t]+(?P<title>[^\n]+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\s*\n\s*((?![ \t]*#)[^\s](?:[^\n]|\n(?!\s*(?:\n|#|[-*|>])))*[^\s])")
_QUESTION = re.compile(r"[?？]$|(?:です|ます|でしょう|ません)か$")
_LONGEST_ANSWER: dict[Language, int] = {"en": 600, "ja": 300}
_SKIPPED = re.compile(r"^[ \t]*(?:\||<|!\[|\[[^\]\n]+\]:|={3,}|-{3,}|\{|\$ |>>>).*$", re.MULTILINE)
"""Tables, HTML, pictures, link targets, rules and commands."""
_NUMBER = re.compile(
    r"^(?:第?[\d０-９一二三四五六七八九十]+(?:[.．\-][\d０-９]+)*(?:[.．、)）:：]\s*|\s+|[章節条項]\s*)|[IVX]+\.\s+|"
    r"(?:chapter|section) \d+[.:]?\s*)",
    re.IGNORECASE,
)
_MARK = re.compile(r"^\s*(?:(?:[-*+•・●○■□◆–>]|\(?\d{1,3}[.)]|[①-⑳])\s+|・\s*|[①-⑳]\s*)+")
_WRAPPED = re.compile(r"(?<=[^\n。.!?！？:：])\n(?=[^\S\n]{0,4}[^\s#>|*+\-・•\d(（])")
"""The break of a line that goes on."""
_LONG_LINE = {"en": 60, "ja": 30}
"""A line that goes on has at least this length; a shorter one may be a title."""
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^)\s]{0,500}\)")
_EMPHASIS = re.compile(r"\*\*|__|~~|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
_SPACE_JA = re.compile(r"(?<=[\u3001-\u9fff\uff01-\uff60])[ \t\n]+|[ \t\n]+(?=[\u3001-\u9fff\uff01-\uff60])")
_SPACE = re.compile(r"\s+")
_ENDS: dict[Language, re.Pattern[str]] = {"en": re.compile(r"[.!]['\"”’)]?$"), "ja": re.compile(r"[。．！][」』）)]?$")}
_UNUSABLE = re.compile(
    r"https?://|www\.|[?？]|\.{3}|…|[{}<>|=\\]|\[|^\W*(?:note|see|example|e\.g\.|例|注)\b", re.IGNORECASE
)
_TWO = re.compile(r"[a-z]{3}\. [A-Za-z]|\d [A-Z]\. [A-Z]")
"""A run-in title, or a sentence that begins with a small letter."""
_LETTER = re.compile(r"[^\W\d_]")


def statements_in(text: str, language: Language) -> Iterator[Statement]:
    """Yield the complete sentences of a passage in order; those that are questions, formulas or lists are left out."""
    blanked = _blank(text)
    headings = [(found.end(), _title(found["title"])) for found in _HEADING.finditer(blanked)]
    prose = _HEADING.sub(lambda found: " " * (found.end() - found.start()), blanked)
    prose = _joined(prose, language)
    for sentence in split_sentences(prose, language):
        mark = _MARK.match(sentence.text)
        start = sentence.start + (mark.end() if mark else 0)
        plain = _plain(text[start : sentence.end], language)
        if _is_usable(plain, language):
            heading = next((title for end, title in reversed(headings) if end <= start), "")
            yield Statement(plain, start, sentence.end, heading)


def answered_headings(text: str, language: Language) -> Iterator[tuple[str, Statement]]:
    """Yield each heading that is a question, with the paragraph below it, as in lists of frequent questions."""
    blanked = _blank(text)
    for found in _HEADING.finditer(blanked):
        title = _title(found["title"])
        paragraph = _PARAGRAPH.match(blanked, found.end())
        if paragraph is None or not _QUESTION.search(title):
            continue
        start, end = paragraph.span(1)
        plain = _plain(text[start:end], language)
        if _LENGTHS[language][0] <= len(plain) <= _LONGEST_ANSWER[language] and _ENDS[language].search(plain):
            yield title, Statement(plain, start, end, title)


def _blank(text: str) -> str:
    """Replace what holds no sentence by as many blanks, keeping line breaks."""
    for pattern in (_FRONT, _FENCE, _SKIPPED):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    return text


def _title(heading: str) -> str:
    plain = _EMPHASIS.sub("", _LINK.sub(r"\1", heading)).strip()
    return _NUMBER.sub("", plain).strip() or plain


def _joined(text: str, language: Language) -> str:
    """Put a blank for the line breaks within paragraphs."""
    least = _LONG_LINE[language]

    def blank(found: re.Match[str]) -> str:
        line = found.start() - (text.rfind("\n", 0, found.start()) + 1)
        return " " if line >= least else "\n"

    return _WRAPPED.sub(blank, text)


def _plain(text: str, language: Language) -> str:
    plain = _EMPHASIS.sub("", _LINK.sub(r"\1", text)).strip()
    if language == "ja":
        plain = _SPACE_JA.sub("", plain)
    return _SPACE.sub(" ", plain)


def _is_usable(text: str, language: Language) -> bool:
    least, most = _LENGTHS[language]
    if not least <= len(text) <= most or not _ENDS[language].search(text) or _UNUSABLE.search(text):
        return False
    balanced = all(
        text.count(opening) == text.count(closing) for opening, closing in ("()", "（）", "「」", "『』", "“”")
    )
    if not balanced or text.count("`") % 2 or text.count('"') % 2:
        return False
    if language == "en" and (not re.match(r"[A-Z\d\"“`]", text) or _TWO.search(text)):
        return False
    return 2 * len(_LETTER.findall(re.sub(r"`[^`]*`", "", text))) >= len(text)
