"""A text with its units marked: as HTML for a page, and as a cell of a table, which has their signs in every format."""

from collections.abc import Mapping, Sequence
from typing import Self

from markupsafe import Markup, escape
from rich.console import Console
from rich.text import Text

from saiten.records import Language
from saiten.views.gist.screen import pen_for, signed
from saiten.views.gist.view import MarkKind, Segment, Unit, Words, harmless
from saiten.views.strip_controls import clean
from saiten.views.table import Colored
from saiten.words import section

CLASSES: Mapping[MarkKind, str] = {
    "missing_gist": "mg",
    "missing_supplement": "ms",
    "extra_gist": "eg",
    "extra_supplement": "es",
    "gist": "bg",
    "supplement": "bs",
    "marked": "hm",
    "new_words": "nw",
}
"""CSS classes, short since every unit has one."""


class MarkedText(Colored):
    """A cell: the text with the signs of its units, and for a terminal and a page their colors."""

    __slots__ = ("_pieces",)
    _pieces: tuple[Segment, ...]

    def __new__(cls, pieces: Sequence[Segment]) -> Self:
        """Keep the pieces next to the text with signs."""
        made = super().__new__(cls, signed(pieces))
        made._pieces = tuple(pieces)
        return made

    def screen(self, out: Console) -> Text:
        """Return the text with signs that the terminal can show, in color."""
        return pen_for(out).text_of(harmless(self._pieces), whole=False)

    def html(self, language: Language) -> Markup:
        """Return the text with a `mark` per unit; `language`: of the remarks on units."""
        return marked(self._pieces, section("gist", language), whole=False)


def marked(pieces: Sequence[Segment], words: Words, *, whole: bool) -> Markup:
    """Wrap each unit in a `mark`; where units cross, the inner one is closed and reopened.

    `whole`: units should cover the text, so the rest is dimmed.
    """
    parts: list[str] = []
    around: tuple[Unit, ...] = ()
    between = whole and any(piece.units for piece in pieces)
    for piece in harmless(pieces):
        going_on = len(piece.units) - piece.begin
        same = next((at for at in range(going_on) if at >= len(around) or around[at] is not piece.units[at]), going_on)
        parts.append("</mark>" * (len(around) - same))
        parts += [_opening(unit, words, goes_on=same + at < going_on) for at, unit in enumerate(piece.units[same:])]
        text = str(escape(piece.text))
        parts.append(f"<span class=lo>{text}</span>" if between and not piece.units and text.strip() else text)
        around = piece.units
    parts.append("</mark>" * len(around))
    return Markup("".join(parts))  # noqa: S704 - escaped piece by piece


def _opening(unit: Unit, words: Words, *, goes_on: bool) -> str:
    remark = remark_of(unit, words)
    title = f' title="{escape(remark)}"' if remark else ""
    return f'<mark class="{CLASSES[unit.kind]}{" on" if goes_on else ""}"{title}>'


def remark_of(unit: Unit, words: Words) -> str:
    """Return the judge's explanation of a unit and its wording, if it differs."""
    said = words["said"].format(clean(unit.said)) if unit.said else ""
    return " ".join(part for part in (clean(unit.why), said) if part)
