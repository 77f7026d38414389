"""Units at their places in a text: the text in pieces, each with the units that lie over it, however they overlap.

Offsets count characters (code points) of the text as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import pairwise
from typing import Literal

from saiten.views.strip_controls import strip_controls

Kind = Literal["missing_gist", "missing_supplement", "extra_gist", "extra_supplement", "gist", "supplement"]
KINDS: tuple[Kind, ...] = ("missing_gist", "missing_supplement", "extra_gist", "extra_supplement", "gist", "supplement")
"""The four that matter, then the units of the reference that the answer has."""

_DEEPEST = 8
"""Units on top of one another that are marked; more cannot be told apart, and are listed."""
_NO_TEXT = dict.fromkeys([*range(0xD800, 0xE000), *range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF], "\ufffd")
"""Halves of surrogate pairs and code points that are no characters."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of the reference, or a passage of the answer."""

    kind: Kind
    """What it is to the answer."""
    text: str
    """Its words."""
    start: int | None = None
    """None: it was not found in its text."""
    end: int | None = None
    said: str = ""
    """The words in which the judge named it, where they are others."""
    why: str = ""
    """An explanation, where there is one."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text in which the same units lie."""

    text: str
    units: tuple[Unit, ...] = ()
    """The outermost first; more than one where units overlap."""
    begin: int = 0
    """How many of them, the innermost, begin with this piece; the others go on from the piece before."""


def cut(text: str, units: Sequence[Unit]) -> tuple[tuple[Piece, ...], tuple[Unit, ...]]:
    """The text in pieces that join to it, and the units that lie too deep under others to be marked.

    Units may nest, cross or be equal; those without a place are left out. n log n in the number of units.
    """
    placed = sorted((unit for unit in units if unit.start is not None), key=_outermost_first)
    ends: list[int] = []
    begun: dict[int, list[Unit]] = {}
    too_deep = []
    for unit in placed:
        start, end = _place(unit)
        while ends and ends[0] <= start:
            heappop(ends)
        if len(ends) < _DEEPEST:
            heappush(ends, end)
            begun.setdefault(start, []).append(unit)
        else:
            too_deep.append(unit)
    edges = {0, len(text), *begun, *(_place(unit)[1] for of in begun.values() for unit in of)}
    pieces, open_units = [], list[Unit]()
    for start, end in pairwise(sorted(edges)):
        new = begun.get(start, [])
        open_units = [unit for unit in open_units if _place(unit)[1] > start] + new
        pieces.append(Piece(text[start:end], tuple(open_units), len(new)))
    return tuple(pieces), tuple(too_deep)


def harmless(pieces: Sequence[Piece]) -> list[Piece]:
    """The same pieces with texts that can stand on a screen and in a page: signs for what would act or is no character.

    A CRLF that ends in the next piece stays one line end.
    """
    texts = [piece.text for piece in pieces]
    for at, (one, other) in enumerate(pairwise(texts)):
        if one.endswith("\r") and other.startswith("\n"):
            texts[at] = one[:-1]
    return [replace(piece, text=sign(text)) for piece, text in zip(pieces, texts, strict=True)]


def sign(text: str) -> str:
    """The text with signs for control characters and for what is no character."""
    return strip_controls(text).translate(_NO_TEXT)


def _place(unit: Unit) -> tuple[int, int]:
    return unit.start or 0, unit.end or 0


def _outermost_first(unit: Unit) -> tuple[int, int]:
    start, end = _place(unit)
    return start, -end
