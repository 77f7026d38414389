"""Tables as one web page: a single file that loads nothing and is complete without its script.

Text from outside can be neither markup nor script: Jinja escapes every value, control characters become signs, and the
page's own policy (Content-Security-Policy) lets run only the style sheet and the script whose digests it names.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby
from math import isfinite
from typing import IO, Any

from markupsafe import Markup, escape
from rich.cells import cell_len

from saiten.records import Language
from saiten.text.templates import templates
from saiten.version import __version__
from saiten.views.strip_controls import clean
from saiten.views.table import Chart, Table, Value, is_number, show_cell
from saiten.words import Message, in_language, section

_ONE_LINE = 30
"""Maximum width of an unbroken text, in Latin letters."""
_LONGEST_CELL = 400
"""Maximum characters of a fully open cell; a longer one shows its beginning, and the rest unfolds."""
_BEGINNING = 160
_FILTERED_FROM = 16
"""Minimum rows for a filter box."""
_SIGNATURES = ("signature",)
"""Columns of the table of signatures, which is in the page's footer."""
_REMARKS, _REMARKED_FROM = "remarks", 2
"""The last column of a table with more columns than this, which a page shows below its row."""
_NOTES = ("note",)
"""Columns of a table of notes."""
_FEW = 3
"""Maximum charts that stay open above a folded table; if there are more, all are folded with it."""
_NOTHING = Markup()
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Part:
    """Content of a page in addition to its tables."""

    name: str
    """Name of a template that extends `page.html`, and of its style sheet and script (gist.html, .css, .js: `gist`)."""
    values: Mapping[str, Any]
    """The template's values, in addition to those of every page."""
    contents: Sequence[tuple[str, str]] = ()
    """Anchor and title of each of its chapters, for the table of contents."""
    also: Sequence[str] = ()
    """Names of further style sheets that it needs."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """Tables under a common heading, for pages with many."""

    title: str | Message
    tables: Sequence[Table]
    lead: str | Message = ""
    """Sentences below the heading."""
    points: Sequence[str | Message] = ()
    """Sentences at the beginning, one per line: the chapter's answers."""


def write_page(
    tables: Sequence[Table | Chapter],
    out: IO[str],
    *,
    title: str = "",
    language: Language = "en",
    part: Part | None = None,
) -> None:
    """Write the page piece by piece; a stream that is not UTF-8 gets equivalent character references."""
    encoding = (getattr(out, "encoding", None) or "utf-8").lower().replace("_", "-")
    plain = encoding not in {"utf-8", "utf8"}
    for piece in page_pieces(tables, title=title, language=language, part=part):
        out.write(piece.encode("ascii", "xmlcharrefreplace").decode("ascii") if plain else piece)
    out.write("\n")


def as_html(tables: Sequence[Table | Chapter], *, title: str = "", language: Language = "en") -> str:
    """Return the page as one text. `title`: its subject; `language`: of the page's own labels."""
    return "".join(page_pieces(tables, title=title, language=language)) + "\n"


def page_pieces(
    tables: Sequence[Table | Chapter], *, title: str = "", language: Language = "en", part: Part | None = None
) -> Iterator[str]:
    """Yield the page in pieces of some kilobytes, so that a long table is never held as text."""
    labels = section("page", language)
    names = ["page"] if part is None else ["page", part.name]
    styles = [*names[:1], *(part.also if part is not None else ()), *names[1:]]
    style = "\n".join(_source(f"{name}.css") for name in styles)
    script = "\n".join(_source(f"{name}.js") for name in names)
    chapters = [_Chapter(number, chapter, language) for number, chapter in enumerate(_chapters(tables), 1)]
    sections = [one for chapter in chapters for one in chapter.sections]
    signatures = [table for chapter in chapters for table in chapter.signatures]
    stream = (
        templates("saiten.views")
        .get_template(f"{names[-1]}.html")
        .stream(
            **(part.values if part is not None else {}),
            language=language,
            labels=labels,
            title=clean(title) or (sections[0].title if len(sections) == 1 else labels["report"]),
            style=Markup(style),  # noqa: S704 - our own file, whose digest the policy names
            script=Markup(script),  # noqa: S704 - the same
            digests=[_digest(style), _digest(script)],
            chapters=chapters,
            contents=_contents(chapters, part),
            signed=sum(len(table.rows) for table in signatures),
            signatures=[(clean(table.title), [clean(str(cell)) for (cell,) in table.rows]) for table in signatures],
            made=labels["made"].format(version=__version__),
            filtered_from=_FILTERED_FROM,
        )
    )
    stream.enable_buffering(64)
    yield from stream


def _chapters(tables: Sequence[Table | Chapter]) -> Iterator[Chapter]:
    """Wrap tables outside chapters in a chapter without a title."""
    for alone, run in groupby(tables, lambda one: isinstance(one, Table)):
        if alone:
            yield Chapter("", [one for one in run if isinstance(one, Table)])
        else:
            yield from (one for one in run if isinstance(one, Chapter))


def _source(name: str) -> str:
    page = templates("saiten.views")
    assert page.loader is not None  # noqa: S101 - said for the type checker
    return page.loader.get_source(page, name)[0].strip()


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@dataclass(frozen=True, slots=True)
class _Head:
    """A column's head."""

    name: str
    kind: str = ""
    """Its class: `number`, `interval`, or none."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A cell as shown on the page."""

    kind: str
    """Its class: `text` is on one line, `prose` on several, `long` shows its beginning; `number`, `interval`, or
    `none`."""
    text: str
    rest: str = ""
    """The part of a long cell that unfolds."""
    order: float | None = None
    """The sort key, if it is not the text."""
    language: Language | None = None
    """Language of a text, if it is not the page's."""


@dataclass(frozen=True, slots=True)
class _ShownRow:
    """A row as shown on the page."""

    cells: Sequence[_Shown]
    below: _Shown | None
    """Its remarks: a line across the whole table, since a column at its end would be out of sight."""


class _Chapter:
    """A chapter in the template's form."""

    def __init__(self, number: int, chapter: Chapter, language: Language) -> None:
        self.anchor = f"chapter-{number}"
        self.title = clean(in_language(chapter.title, language))
        self.lead = _said(in_language(chapter.lead, language))
        self.points = [_said(in_language(point, language)) for point in chapter.points]
        self.signatures = [table.in_language(language) for table in chapter.tables if table.columns == _SIGNATURES]
        shown = [table for table in chapter.tables if table.columns != _SIGNATURES]
        prefix = f"{number}-" if chapter.title else ""
        self.sections = [_Section(f"table-{prefix}{at}", table, language) for at, table in enumerate(shown, 1)]


def _contents(chapters: Sequence[_Chapter], part: Part | None) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return anchor and title of each chapter and of its tables; tables without a chapter are separate entries."""
    found: list[tuple[str, str, list[tuple[str, str]]]] = []
    for chapter in chapters:
        within = [(one.anchor, one.title) for one in chapter.sections]
        if chapter.title:
            found.append((chapter.anchor, chapter.title, within))
        else:
            found += [(anchor, title, []) for anchor, title in within]
    return found + [(anchor, clean(title), []) for anchor, title in (part.contents if part is not None else ())]


class _Section:
    """A table in the template's form."""

    def __init__(self, anchor: str, made: Table, language: Language) -> None:
        last = made.columns[-1] if len(made.columns) > _REMARKED_FROM else ""
        self._below = len(made.columns) - 1 if last == _REMARKS else None
        self._notes = made.columns == _NOTES
        table = made.in_language(language)
        self.anchor = anchor
        self.title = clean(table.title)
        self.caption = _said(table.caption)
        self.length = len(table.rows)
        self.named = len(table.columns) > 1  # a single column names nothing
        index = table.columns.index
        self._ends = {index(each.low): index(each.high) for each in table.intervals}
        self.charts = [(clean(chart.title), picture) for chart in table.charts if (picture := _chart(chart))]
        few = 0 < len(self.charts) <= _FEW
        self.folded = ("table" if few else "whole") if table.folded and self.length else ""
        self._table = table
        self._numeric = {
            place for place in range(len(table.columns)) if any(is_number(row[place]) for row in table.rows)
        }
        self._left_out = set(self._ends.values())
        if self._below is not None:
            self._left_out.add(self._below)
        self._language = language
        self._labels = section("page", language)
        self.counted = self._labels["rows"].format(n=self.length)

    @property
    def heads(self) -> Iterator[_Head]:
        """Yield one head per column; both ends of an interval share one."""
        for place, name in enumerate(self._table.columns):
            if place in self._ends:
                yield _Head(self._labels["interval"], "interval")
            elif place not in self._left_out:
                yield _Head(clean(name), "number" if place in self._numeric else "")

    @property
    def rows(self) -> Iterator[_ShownRow]:
        """Yield one row at a time, so that they are never all in memory."""
        makers = [self._maker(place) for place in range(len(self._table.columns)) if place not in self._left_out]
        for row in self._table.rows:
            remark = None if self._below is None else row[self._below]
            below = None if remark in (None, "") else _shown(remark, "none", self._language, whole=True)
            yield _ShownRow([make(row) for make in makers], below)

    def _maker(self, place: int) -> Callable[[tuple[Value, ...]], _Shown]:
        if place in self._ends:
            return lambda row: _interval(row[place], row[self._ends[place]])
        if self._notes:
            return lambda row: _note(row[place], self._language)
        nothing = "none number" if place in self._numeric else "none"
        return lambda row: _shown(row[place], nothing, self._language)


def _interval(low: Value, high: Value) -> _Shown:
    if isinstance(low, int | float) and isinstance(high, int | float):
        return _Shown("interval", f"[{show_cell(low)}, {show_cell(high)}]", order=low if isfinite(low) else None)
    return _Shown("none", "–")


def _chart(chart: Chart) -> Markup:
    return Markup(chart.svg(clean))  # noqa: S704 - escaped where it is drawn


def _said(text: str) -> Markup:
    """Mark up a sentence; text between backticks is code."""
    parts = [escape(part) for part in clean(text).split("`")]
    if len(parts) % 2 == 0:  # an unmatched backtick
        return Markup("`").join(parts)
    return _NOTHING.join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def _note(cell: Value, language: Language) -> _Shown:
    shown = _shown(cell, "none", language, whole=True)
    return replace(shown, text=_said(shown.text))


def _shown(cell: Value, nothing: str, language: Language, *, whole: bool = False) -> _Shown:
    """Return the cell as shown on the page. `whole`: never fold it, whatever its length."""
    if cell is None or cell == "":
        return _Shown(nothing, show_cell(cell))
    if isinstance(cell, float) and isfinite(cell):
        return _Shown("number", show_cell(cell), order=cell)
    text = clean(show_cell(cell))
    if is_number(cell):
        return _Shown("number", text)
    kind = (
        "long"
        if len(text) > _LONGEST_CELL and not whole
        else "prose"
        if cell_len(text) > _ONE_LINE or "\n" in text
        else "text"
    )
    own: Language = "ja" if _JAPANESE.search(text, 0, _LONGEST_CELL) else "en"
    # A short Latin text on a Japanese page is a name, which has no language.
    other = own if own != language and (own == "ja" or kind != "text") else None
    if kind != "long":
        return _Shown(kind, text, language=other)
    end = max(text.rfind(sign, _BEGINNING // 2, _BEGINNING) for sign in " \n。、") + 1 or _BEGINNING
    return _Shown(kind, text[:end], rest=text[end:], language=other)
