"""Tables as one page for the browser: a single file that loads nothing, complete without its script.

Text from outside can be neither markup nor script: Jinja escapes every value, control characters become signs, and the
page's own policy (Content-Security-Policy) lets run only the style sheet and the script whose digests it names.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import groupby
from math import isfinite
from typing import IO, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from rich.cells import cell_len

from saiten.records import Language
from saiten.version import __version__
from saiten.views.page.page_labels import LABELS
from saiten.views.strip_controls import strip_controls
from saiten.views.table import Chart, Table, Value, show_cell

_ONE_LINE = 30
"""Width of a text, in Latin letters, that is not broken."""
_LONGEST_CELL = 400
"""Characters of a cell that stand open; of a longer one the beginning does, and the rest unfolds."""
_BEGINNING = 160
_FILTERED_FROM = 16
"""Rows from which a table has a box to filter them."""
_SIGNATURES = ("signature",)
"""The columns of the table that says how figures were made; it stands in the page's foot."""
_REMARKS, _REMARKED_FROM = "remarks", 2
"""The last column of a table of more than so many, which stands below its row on a page."""
_NOTES = ("note",)
"""The columns of a table of sentences of ours."""
_FEW = 3
"""Charts that stand open above a table that is folded; more of them are folded with it."""
_NO_TEXT = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Halves of surrogate pairs and code points that are no characters: they cannot stand in valid UTF-8 or HTML."""
_NOTHING = Markup()
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Part:
    """What a page shows beside its tables."""

    name: str
    """Of a template that extends `page.html`, and of its style sheet and script: `gist` for gist.html, .css and .js."""
    values: Mapping[str, Any]
    """What stands in the template, beside what stands in every page."""
    contents: Sequence[tuple[str, str]] = ()
    """Anchor and title of each of its chapters, for the table of contents."""
    also: Sequence[str] = ()
    """Further style sheets of ours that it needs."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """Tables under a heading of their own, where a page has many."""

    title: str
    tables: Sequence[Table]
    lead: str = ""
    """A sentence below the heading."""
    points: Sequence[str] = ()
    """Sentences that stand first, each on a line of its own: what the chapter answers."""


def write_page(
    tables: Sequence[Table | Chapter],
    out: IO[str],
    *,
    title: str = "",
    language: Language = "en",
    part: Part | None = None,
) -> None:
    """Write the page piece by piece; a stream that is not UTF-8 gets character references, which say the same."""
    encoding = (getattr(out, "encoding", None) or "utf-8").lower().replace("_", "-")
    plain = encoding not in {"utf-8", "utf8"}
    for piece in page_pieces(tables, title=title, language=language, part=part):
        out.write(piece.encode("ascii", "xmlcharrefreplace").decode("ascii") if plain else piece)
    out.write("\n")


def as_html(tables: Sequence[Table | Chapter], *, title: str = "", language: Language = "en") -> str:
    """The page as one text. `title`: what it is about; `language`: of the page's own labels."""
    return "".join(page_pieces(tables, title=title, language=language)) + "\n"


@cache
def templates() -> Environment:
    """Our templates; every value that stands in one is escaped."""
    return Environment(
        loader=PackageLoader("saiten.views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def page_pieces(
    tables: Sequence[Table | Chapter], *, title: str = "", language: Language = "en", part: Part | None = None
) -> Iterator[str]:
    """The page in pieces of some kilobytes, so that a long table is never held as text."""
    labels = LABELS[language]
    names = ["page"] if part is None else ["page", part.name]
    styles = [*names[:1], *(part.also if part is not None else ()), *names[1:]]
    style = "\n".join(_source(f"{name}.css") for name in styles)
    script = "\n".join(_source(f"{name}.js") for name in names)
    chapters = [_Chapter(number, chapter, language) for number, chapter in enumerate(_chapters(tables), 1)]
    sections = [section for chapter in chapters for section in chapter.sections]
    signatures = [table for chapter in chapters for table in chapter.signatures]
    stream = (
        templates()
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
    """Tables that stand in no chapter are one without a title."""
    for alone, run in groupby(tables, lambda one: isinstance(one, Table)):
        if alone:
            yield Chapter("", [one for one in run if isinstance(one, Table)])
        else:
            yield from (one for one in run if isinstance(one, Chapter))


def clean(text: str) -> str:
    """The text with a sign for every control character, and U+FFFD for what is no character at all."""
    return _NO_TEXT.sub("\ufffd", strip_controls(text))


def _source(name: str) -> str:
    page = templates()
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
    """A cell as it stands on the page."""

    kind: str
    """Its class: `text` stands on one line, `prose` on several, of `long` the beginning is open; `number`, `interval`,
    and `none` where there is nothing.
    """
    text: str
    rest: str = ""
    """Of a long one: what unfolds."""
    order: float | None = None
    """What it is sorted by, where that is not its text."""
    language: Language | None = None
    """Of a text in another language than the page's."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as it stands on the page."""

    cells: Sequence[_Shown]
    below: _Shown | None
    """What is remarked on it: a line across the whole table, since a column at its end would be out of sight."""


class _Chapter:
    """A chapter as the template wants it."""

    def __init__(self, number: int, chapter: Chapter, language: Language) -> None:
        self.anchor = f"chapter-{number}"
        self.title, self.lead = clean(chapter.title), _said(chapter.lead)
        self.points = [_said(point) for point in chapter.points]
        self.signatures = [table.in_language(language) for table in chapter.tables if table.columns == _SIGNATURES]
        shown = [table for table in chapter.tables if table.columns != _SIGNATURES]
        prefix = f"{number}-" if chapter.title else ""
        self.sections = [_Section(f"table-{prefix}{at}", table, language) for at, table in enumerate(shown, 1)]


def _contents(chapters: Sequence[_Chapter], part: Part | None) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Anchor and title of each chapter and of the tables in it; tables without a chapter stand for themselves."""
    found: list[tuple[str, str, list[tuple[str, str]]]] = []
    for chapter in chapters:
        within = [(section.anchor, section.title) for section in chapter.sections]
        if chapter.title:
            found.append((chapter.anchor, chapter.title, within))
        else:
            found += [(anchor, title, []) for anchor, title in within]
    return found + [(anchor, clean(title), []) for anchor, title in (part.contents if part is not None else ())]


class _Section:
    """A table as the template wants it."""

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
            place for place in range(len(table.columns)) if any(_is_number(row[place]) for row in table.rows)
        }
        self._left_out = set(self._ends.values())
        if self._below is not None:
            self._left_out.add(self._below)
        self._language = language
        self._labels = LABELS[language]
        self.counted = self._labels["rows"].format(self.length)

    @property
    def heads(self) -> Iterator[_Head]:
        """Yield one head per column; both ends of an interval share one."""
        for place, name in enumerate(self._table.columns):
            if place in self._ends:
                yield _Head(self._labels["interval"], "interval")
            elif place not in self._left_out:
                yield _Head(clean(name), "number" if place in self._numeric else "")

    @property
    def rows(self) -> Iterator[_Row]:
        """One after another, so that they are never all there at once."""
        makers = [self._maker(place) for place in range(len(self._table.columns)) if place not in self._left_out]
        for row in self._table.rows:
            remark = None if self._below is None else row[self._below]
            below = None if remark in (None, "") else _shown(remark, "none", self._language, whole=True)
            yield _Row([make(row) for make in makers], below)

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


def _is_number(cell: Value) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _said(text: str) -> Markup:
    """A sentence of ours: what stands between backticks is code."""
    parts = [escape(part) for part in clean(text).split("`")]
    if len(parts) % 2 == 0:  # one of them stands alone
        return Markup("`").join(parts)
    return _NOTHING.join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def _note(cell: Value, language: Language) -> _Shown:
    shown = _shown(cell, "none", language, whole=True)
    return replace(shown, text=_said(shown.text))


def _shown(cell: Value, nothing: str, language: Language, *, whole: bool = False) -> _Shown:
    """`whole`: however long it is, nothing of it is folded."""
    if cell is None or cell == "":
        return _Shown(nothing, show_cell(cell))
    if isinstance(cell, float) and isfinite(cell):
        return _Shown("number", show_cell(cell), order=cell)
    text = clean(show_cell(cell))
    if _is_number(cell):
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
