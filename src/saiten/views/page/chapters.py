"""Chapters of a page in the form of its template, and its table of contents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from saiten.records import Language
from saiten.views.page.cells import marked_up
from saiten.views.page.sections import ShownSection
from saiten.views.strip_controls import clean
from saiten.views.table import Table
from saiten.words import Message, in_language


@dataclass(frozen=True, slots=True)
class Part:
    """Content of a page in addition to its tables."""

    name: str
    """Name of a template that extends `page.html`, of its style sheet, and of its script if it has one: `gist` is
    gist.html, gist.css and gist.js."""
    values: Mapping[str, Any]
    """The template's values, in addition to those of every page."""
    contents: Sequence[tuple[str, str]] = ()
    """Anchor and title of each of its chapters, for the table of contents."""
    also: Sequence[str] = ()
    """Names of further style sheets that it needs."""
    scripts: Sequence[str] = ()
    """Names of further scripts, which come before its own and only declare what that one puts together."""
    first: bool = False
    """Whether it is before the chapters."""
    scripted: bool = True
    """Whether it has a script of its own."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """Tables under a common heading, for pages with many."""

    title: str | Message
    tables: Sequence[Table]
    lead: str | Message = ""
    """Sentences below the heading."""
    points: Sequence[str | Message] = ()
    """The chapter's answers, a sentence each, for the first screen of a report."""
    about: str | Message = ""
    """Sentence on what the chapter has, next to its heading: the chapter is folded. Without one it is open."""


_SIGNATURES = ("signature",)
"""Columns of the table of signatures, which is in the page's footer."""


class ShownChapter:
    """A chapter in the template's form."""

    def __init__(self, number: int, chapter: Chapter, language: Language) -> None:
        self.anchor = f"chapter-{number}"
        self.title = clean(in_language(chapter.title, language))
        self.lead = marked_up(in_language(chapter.lead, language))
        self.about = marked_up(in_language(chapter.about, language))
        self.signatures = [table.in_language(language) for table in chapter.tables if table.columns == _SIGNATURES]
        shown = [table for table in chapter.tables if table.columns != _SIGNATURES]
        prefix = f"{number}-" if chapter.title else ""
        self.sections = [ShownSection(f"table-{prefix}{at}", table, language) for at, table in enumerate(shown, 1)]


def in_chapters(tables: Sequence[Table | Chapter]) -> Iterator[Chapter]:
    """Wrap tables outside chapters in a chapter without a title."""
    for alone, run in groupby(tables, lambda one: isinstance(one, Table)):
        if alone:
            yield Chapter("", [one for one in run if isinstance(one, Table)])
        else:
            yield from (one for one in run if isinstance(one, Chapter))


def contents_of(chapters: Sequence[ShownChapter], part: Part) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return anchor and title of each chapter and of its tables; tables without a chapter are separate entries."""
    found: list[tuple[str, str, list[tuple[str, str]]]] = []
    for chapter in chapters:
        within = [(one.anchor, one.title) for one in chapter.sections]
        if chapter.title:
            found.append((chapter.anchor, chapter.title, within))
        else:
            found += [(anchor, title, []) for anchor, title in within]
    own: list[tuple[str, str, list[tuple[str, str]]]] = [(anchor, clean(title), []) for anchor, title in part.contents]
    return own + found if part.first else found + own
