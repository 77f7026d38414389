"""Cells of a table as a page shows them: cleaned, escaped, folded if long, and sorted by their numbers."""

import re
from dataclasses import dataclass, replace
from math import isfinite

from markupsafe import Markup, escape
from rich.cells import cell_len

from saiten.records import Language
from saiten.views.gist.marked import MarkedText
from saiten.views.strip_controls import clean
from saiten.views.table import Value, is_number, show_cell

_ONE_LINE = 30
"""Maximum width of an unbroken text, in Latin letters."""
_LONGEST_CELL = 400
"""Maximum characters of a fully open cell; a longer one shows its beginning, and the rest unfolds."""
_BEGINNING = 160
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell as shown on the page."""

    kind: str
    """Its class: `text` is on one line, `prose` on several, `long` shows its beginning; `number`, `interval`, or
    `none`; `marked` has marked passages."""
    text: str
    rest: str = ""
    """The part of a long cell that unfolds."""
    order: float | None = None
    """The sort key, if it is not the text."""
    language: Language | None = None
    """Language of a text, if it is not the page's."""


def interval_cell(low: Value, high: Value) -> ShownCell:
    """Return both ends as one cell, sorted by the lower one."""
    if isinstance(low, int | float) and isinstance(high, int | float):
        return ShownCell("interval", f"[{show_cell(low)}, {show_cell(high)}]", order=low if isfinite(low) else None)
    return ShownCell("none", "–")


def marked_up(text: str) -> Markup:
    """Mark up a sentence; text between backticks is code."""
    parts = [escape(part) for part in clean(text).split("`")]
    if len(parts) % 2 == 0:  # an unmatched backtick
        return Markup("`").join(parts)
    return Markup().join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def note_cell(cell: Value, language: Language) -> ShownCell:
    """Return a whole note, in which text between backticks is code."""
    shown = shown_cell(cell, "none", language, whole=True)
    return replace(shown, text=marked_up(shown.text))


def shown_cell(cell: Value, nothing: str, language: Language, *, whole: bool = False) -> ShownCell:
    """Return the cell as shown on the page. `whole`: never fold it, whatever its length."""
    if cell is None or cell == "":
        return ShownCell(nothing, show_cell(cell))
    if isinstance(cell, MarkedText):
        japanese = _JAPANESE.search(cell, 0, _LONGEST_CELL)
        return ShownCell("marked", cell.html(language), language="ja" if japanese else "en")
    if isinstance(cell, float) and isfinite(cell):
        return ShownCell("number", show_cell(cell), order=cell)
    text = clean(show_cell(cell))
    if is_number(cell):
        return ShownCell("number", text)
    kind = "prose" if cell_len(text) > _ONE_LINE or "\n" in text else "text"
    if len(text) > _LONGEST_CELL and not whole:
        kind = "long"
    own: Language = "ja" if _JAPANESE.search(text, 0, _LONGEST_CELL) else "en"
    # A short Latin text on a Japanese page is a name, which has no language.
    other = own if own != language and (own == "ja" or kind != "text") else None
    if kind != "long":
        return ShownCell(kind, text, language=other)
    end = max(text.rfind(sign, _BEGINNING // 2, _BEGINNING) for sign in " \n。、") + 1 or _BEGINNING
    return ShownCell(kind, text[:end], rest=text[end:], language=other)
