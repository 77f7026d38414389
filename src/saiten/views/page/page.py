"""Tables as one web page: a single file that loads nothing and is complete without its script.

Text from outside can be neither markup nor script: Jinja escapes every value, control characters become signs, and the
page's own policy (Content-Security-Policy) lets run only the style sheet and the script whose digests it names.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import IO

from markupsafe import Markup

from saiten.records import Language
from saiten.text.templates import templates
from saiten.version import __version__
from saiten.views.page.chapters import Chapter, Part, ShownChapter, contents_of, in_chapters
from saiten.views.strip_controls import clean
from saiten.views.table import Table
from saiten.words import section

_TABLES_ONLY = Part("page", {})
_FILTERED_FROM = 16
"""Minimum rows for a filter box."""


def write_page(
    tables: Sequence[Table | Chapter],
    out: IO[str],
    *,
    title: str = "",
    language: Language = "en",
    part: Part = _TABLES_ONLY,
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
    tables: Sequence[Table | Chapter], *, title: str = "", language: Language = "en", part: Part = _TABLES_ONLY
) -> Iterator[str]:
    """Yield the page in pieces of some kilobytes, so that a long table is never held as text."""
    labels = section("page", language)
    own = (part.name,) if part.scripted else ()
    script = "\n".join(_source(f"{name}.js") for name in dict.fromkeys(("page", *part.scripts, *own)))
    chapters = [ShownChapter(number, chapter, language) for number, chapter in enumerate(in_chapters(tables), 1)]
    sections = [one for chapter in chapters for one in chapter.sections]
    marks = ("gist",) if any(one.marked for one in sections) else ()
    style = "\n".join(_source(f"{name}.css") for name in dict.fromkeys(("page", *part.also, *marks, part.name)))
    signatures = [table for chapter in chapters for table in chapter.signatures]
    stream = (
        templates("saiten.views")
        .get_template(f"{part.name}.html")
        .stream(
            **part.values,
            language=language,
            labels=labels,
            title=clean(title) or (sections[0].title if len(sections) == 1 else labels["report"]),
            style=Markup(style),  # noqa: S704 - our own file, whose digest the policy names
            script=Markup(script),  # noqa: S704 - the same
            digests=[_digest(style), _digest(script)],
            chapters=chapters,
            contents=contents_of(chapters, part),
            signed=sum(len(table.rows) for table in signatures),
            signatures=[(clean(table.title), [clean(str(cell)) for (cell,) in table.rows]) for table in signatures],
            made=labels["made"].format(version=__version__),
            filtered_from=_FILTERED_FROM,
        )
    )
    stream.enable_buffering(64)
    yield from stream


def _source(name: str) -> str:
    page = templates("saiten.views")
    assert page.loader is not None  # noqa: S101 - said for the type checker
    return page.loader.get_source(page, name)[0].strip()


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
