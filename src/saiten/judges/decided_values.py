"""Where a reply says its verdicts and grades: the places of values in the text, in JSON or after a marker."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from saiten.judges.blocks import end_of_block
from saiten.judges.fields import names_of
from saiten.judges.grades import grade_places
from saiten.judges.marks import decision_places

_PIECE = re.compile(r"\"((?:[^\"\\]|\\.)*+)\"|'((?:[^'\\\n]|\\.)*+)'|([{}\[\]:,])|([^\s{}\[\]:,\"']+)", re.DOTALL)
"""A string in either quotation marks, a sign, or a bare word."""


@dataclass(frozen=True, slots=True)
class DecidedValue:
    """A value in a text."""

    start: int
    """Its first character, without a quotation mark."""
    end: int
    key: str
    """Its key in JSON, as written; "" after a marker."""
    within: str = ""
    """The key of the list or object that it belongs to, or of the list around that."""


def places_in_json(text: str, key: str) -> list[DecidedValue]:
    """Return the places of the values of a key, in order, in all JSON of the text.

    Strings are read as a whole, so a verdict quoted in a reason has no place.
    """
    found: list[DecidedValue] = []
    at = 0
    while (begin := _next_block(text, at)) is not None:
        end = end_of_block(text, begin)
        if end is None:
            at = begin + 1
            continue
        found += (place for place in _values(text, begin, end) if key in names_of(place.key))
        at = end
    return found


def places_after_marks(text: str, key: str) -> list[DecidedValue]:
    """Return the places of `[[True]]` or `[RESULT] 4` for the key `correct` or `grade`, in order."""
    spans = {"correct": decision_places, "grade": grade_places}
    return [DecidedValue(start, end, "") for start, end in spans[key](text)] if key in spans else []


def _next_block(text: str, at: int) -> int | None:
    found = [begin for bracket in "{[" if (begin := text.find(bracket, at)) >= 0]
    return min(found, default=None)


def _values(text: str, begin: int, end: int) -> Iterator[DecidedValue]:
    """Yield the values of all keys in a block."""
    within: list[str] = []
    key, after_colon = "", False
    for piece in _PIECE.finditer(text, begin, end):
        sign = piece[3]
        if sign is None:
            group = next(group for group in (1, 2, 4) if piece[group] is not None)
            if after_colon:
                yield DecidedValue(*piece.span(group), key, next(filter(None, reversed(within)), ""))
                after_colon = False
            else:
                key = piece[group]
        elif sign == ":":
            after_colon = True
        elif sign in "{[":
            within.append(key if after_colon else "")
            key, after_colon = "", False
        elif sign in "}]" and within:
            within.pop()
            key, after_colon = "", False
        else:
            key, after_colon = "", False
