"""The sections of a document in a knowledge base, found in the text of its chunks."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from saiten.text.words import JAPANESE

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_MARKED = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*#*[ \t]*")
_UNDERLINE = re.compile(r"(?P<strong>={3,})|[-~^\"]{3,}")
_NUMBERED = re.compile(
    r"(?P<parts>\d{1,3}(?:\.\d{1,3})+)\.?\s+\D.*|第\s?[\d一二三四五六七八九十百]{1,4}(?P<unit>[編部章節条款項]).*"
)
_UNITS = {"編": 1, "部": 1, "章": 1, "節": 2, "条": 3, "款": 3, "項": 4}
_NO_HEADING = re.compile(r"[-*+•・◦>|<(（「\[!]|\d{1,3}[.)．）]?\s|https?:|.*[。．.！!?？;；:：,，、|…]$")
_LONGEST, _LONGEST_JAPANESE = 80, 40
_IS_JAPANESE = re.compile(f"[{JAPANESE}]")
_UNMARKED = 7
"""The level of headings that only their form shows: below those with marks."""


SEPARATOR = " > "
"""Between the headings of a section, from the title down."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in a document."""

    start: int
    """Place in the document, in characters."""
    end: int
    level: int
    title: str


class Outline:
    """The headings and code blocks of a document; places are those in the document's text.

    Markdown's headings and underlined ones are sure. Only a document without any has others: numbered lines (`2.1
    Setup`, 第2章), and short lines between empty ones that do not end like a sentence: this is how headings of HTML and
    DOCX look in a base.
    """

    def __init__(self, chunks: Iterable[tuple[int, str]]) -> None:
        """`chunks`: start and text of all chunks of the document, in order."""
        lines = list(_lines(document_text(chunks)))
        self._code = list(_code(lines))
        prose = _without_lines(lines, self._code)
        self._headings = list(_sure(prose)) or list(_likely(prose))
        self._titles = list(_paths(self._headings))
        self._starts = [heading.start for heading in self._headings]
        self._apart = sorted([*self._code, *((heading.start, heading.end) for heading in self._headings)])

    def section(self, start: int, end: int) -> str:
        """Return the section that most of the characters from start to end are in, as `Title > Heading`.

        "" above the first heading.
        """
        at = bisect_right(self._starts, start)
        best, most = "", 0
        while start < end:
            until = min(end, self._starts[at] if at < len(self._starts) else end)
            if until - start > most:
                best, most = self._titles[at - 1] if at else "", until - start
            start, at = until, at + 1
        return best

    def has_code(self, start: int, end: int) -> bool:
        """Return whether some of the text from start to end is in a block of code."""
        before = bisect_right(self._code, (end, 0))
        return before > 0 and self._code[before - 1][1] > start

    def prose(self, start: int, text: str) -> str:
        """Return the text of a chunk without headings and code."""
        kept, at = [], 0
        first = max(bisect_right(self._apart, (start, start)) - 1, 0)
        for begin, end in self._apart[first : bisect_right(self._apart, (start + len(text), 0))]:
            if end > start + at:
                kept.append(text[at : max(begin - start, at)])
                at = end - start
        return "".join([*kept, text[at:]])


def document_text(chunks: Iterable[tuple[int, str]]) -> str:
    """Return the text of a document from its chunks; the white space between chunks becomes line feeds."""
    parts, end = [], 0
    for start, text in chunks:
        new = text[max(end - start, 0) :]
        parts += ["\n" * (start - end), new]
        end = max(end, start + len(text))
    return "".join(parts)


_Line = tuple[int, str]
_Span = tuple[int, int]


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _code(lines: Sequence[_Line]) -> Iterator[_Span]:
    """Yield the fenced blocks; a fence that is never closed begins none."""
    opened: tuple[int, str] | None = None
    for at, line in lines:
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if opened is None:
            opened = at, fence[1]
        elif line.strip() == opened[1]:
            yield opened[0], at + len(line)
            opened = None


def _without_lines(lines: Sequence[_Line], spans: Sequence[_Span]) -> list[_Line]:
    """Return the lines, empty ones in the place of those in the spans."""
    starts = [start for start, _ in spans]
    kept = []
    for at, line in lines:
        before = bisect_right(starts, at)
        kept.append((at, "" if before and at < spans[before - 1][1] else line))
    return kept


def _sure(lines: Sequence[_Line]) -> Iterator[Heading]:
    """Yield headings with marks: `## Setup`, or underlined."""
    for (_, before), (at, line), (under, below) in zip([(0, ""), *lines], lines, [*lines[1:], (0, "")], strict=False):
        if marked := _MARKED.fullmatch(line):
            yield Heading(at, at + len(line), len(marked[1]), marked[2])
        elif (
            not before.strip()
            and _may_be_heading(line)
            and (found := _UNDERLINE.fullmatch(below.rstrip()))
            and 2 * len(found[0]) >= len(line.strip())
        ):
            yield Heading(at, under + len(below), 1 if found["strong"] else 2, line.strip())


def _likely(lines: Sequence[_Line]) -> Iterator[Heading]:
    """Yield headings that only their form shows."""
    for (_, before), (at, line), (_, below) in zip([(0, ""), *lines], lines, [*lines[1:], (0, "")], strict=False):
        title = line.strip()
        numbered = _NUMBERED.fullmatch(title) if len(title) <= _LONGEST else None
        if numbered and not _NO_HEADING.match(title.lstrip("0123456789.")):
            level = numbered["parts"].count(".") + 1 if numbered["parts"] else _UNITS[numbered["unit"]]
            yield Heading(at, at + len(line), level, title)
        elif not before.strip() and not below.strip() and _may_be_heading(line):
            yield Heading(at, at + len(line), _UNMARKED, title)


def _may_be_heading(line: str) -> bool:
    title = line.strip()
    longest = _LONGEST_JAPANESE if _IS_JAPANESE.search(title) else _LONGEST
    return 1 < len(title) <= longest and any(map(str.isalpha, title)) and not _NO_HEADING.match(title)


def _paths(headings: Sequence[Heading]) -> Iterator[str]:
    above: list[Heading] = []
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        yield SEPARATOR.join(each.title for each in above)
