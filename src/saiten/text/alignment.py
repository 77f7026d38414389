"""Alignment: where units of a text, as a model or a person wrote them down, stand in the text.

Offsets count characters (code points) of the text as it is, so `text[start:end]` is the unit's place. Three attempts:
the very words; the words but for width, case, white space and the like (`folding`); the nearest passage, from 75 % of
agreement (`nearest`). What cannot be found keeps its words and has no place.
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

from saiten.text.folding import Folded, fold, is_narrow
from saiten.text.nearest import index_grams, nearest

How = Literal["exact", "normalised", "fuzzy"]

_LONGEST = 20
"""Times the length of its text beyond which a unit is not looked for: it stands in no part of it, and a reply that
repeats itself for ever is not to cost seconds."""
_LOOKS = 2_000
"""Occurrences of one unit that are looked at; beyond that a text repeats itself without end."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A unit and its place."""

    text: str
    """As it was written down, without white space around it."""
    start: int | None = None
    """None: it was not found."""
    end: int | None = None
    how: How | None = None
    """By which attempt it was found."""


def place(source: str, units: Sequence[str]) -> tuple[Placed, ...]:
    """The units in their order, each with its place in the source.

    Units that stand there once are placed first. Of several occurrences a unit gets the first one that no other has and
    that follows the unit before it, else the first that no other has; a second unit with the same words and no
    occurrence left gets a place that is taken. Latin words are not looked for inside of longer ones.

    The time grows with the length of the source times the number of units, but at the speed of a text search: 500 units
    in 100,000 characters took 0.05 s where all stand there word for word, and 0.3 to 0.5 s where none does.
    """
    placed = [Placed(unit.strip()) for unit in units]
    if not any(one.text for one in placed):
        return tuple(placed)
    text = _Source(source, fold(source))
    longest = _LONGEST * len(source)
    searches = [_search(text, one.text) if len(one.text) <= longest else None for one in placed]
    taken = _Taken()
    waiting = []
    for at, search in enumerate(searches):
        if search is not None and len(first := list(islice(search.occurrences(), 2))) == 1:
            placed[at] = _put(placed[at], first[0], search.how, taken)
        else:
            waiting.append(at)
    for at in waiting:
        chosen = searches[at]
        if chosen is not None:
            follows = next((end for one in reversed(placed[:at]) if (end := one.end) is not None), 0)
            placed[at] = _put(placed[at], chosen.free(taken, follows), chosen.how, taken)
    lost = [at for at, one in enumerate(placed) if one.start is None and 0 < len(one.text) <= longest]
    grams = index_grams(text.folded.text) if lost else {}
    for at in lost:
        spans = [
            span
            for passage in nearest(fold(placed[at].text).text, text.folded.text, grams)
            if (span := text.folded.span(*_whole(text.folded, passage.start, passage.end)))
        ]
        best = next((span for span in spans if taken.free(*span)), spans[0] if spans else None)
        if best is not None:
            placed[at] = _put(placed[at], best, "fuzzy", taken)
    return tuple(placed)


@dataclass(frozen=True, slots=True)
class _Source:
    text: str
    folded: Folded


@dataclass(slots=True)
class _Taken:
    """The places that have been given, as disjoint ranges in order."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def free(self, start: int, end: int) -> bool:
        after = bisect_left(self.starts, end)
        return after == 0 or self.ends[after - 1] <= start

    def add(self, start: int, end: int) -> None:
        first, last = bisect_left(self.ends, start), bisect_left(self.starts, end + 1)
        if first < last:
            start, end = min(start, self.starts[first]), max(end, self.ends[last - 1])
        self.starts[first:last], self.ends[first:last] = [start], [end]


@dataclass(frozen=True, slots=True)
class _Search:
    """A unit that stands in the source, in its own words or in the folded ones."""

    source: _Source
    needle: str
    how: How

    def occurrences(self, begin: int = 0) -> Iterator[tuple[int, int]]:
        """Its places from `begin` on, those that cut a word or a character in two left out."""
        exact = self.how == "exact"
        text = self.source.text if exact else self.source.folded.text
        at = begin if exact else bisect_left(self.source.folded.places, begin)
        for _ in range(_LOOKS):
            at = text.find(self.needle, at)
            if at < 0:
                return
            end = at + len(self.needle)
            if _stands_alone(text, at, end):
                span = (at, end) if exact else self.source.folded.span(at, end)
                if span is not None and span[0] >= begin:
                    yield span
            at += 1

    def free(self, taken: _Taken, follows: int) -> tuple[int, int]:
        """The first place that is free after what it follows, else the first that is free, else the first."""
        for begin in (follows, 0):
            for span in self.occurrences(begin):
                if taken.free(*span):
                    return span
        return next(self.occurrences())


def _search(source: _Source, unit: str) -> _Search | None:
    """How the unit can be found without guessing; None if it cannot."""
    if not unit:
        return None
    exact = _Search(source, unit, "exact")
    if next(exact.occurrences(), None):
        return exact
    folded = fold(unit).text
    normalised = _Search(source, folded, "normalised")
    return normalised if folded and next(normalised.occurrences(), None) else None


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether neither end lies within a Latin word, a number, or a letter and its mark."""
    if end < len(text) and (unicodedata.combining(text[end]) or (is_narrow(text[end - 1]) and is_narrow(text[end]))):
        return False
    return start == 0 or not (
        unicodedata.combining(text[start]) or (is_narrow(text[start - 1]) and is_narrow(text[start]))
    )


def _whole(folded: Folded, start: int, end: int) -> tuple[int, int]:
    """The range, widened until it cuts no character in two."""
    while folded.cuts(start):
        start -= 1
    while folded.cuts(end):
        end += 1
    return start, end


def _put(one: Placed, span: tuple[int, int], how: How, taken: _Taken) -> Placed:
    taken.add(*span)
    return replace(one, start=span[0], end=span[1], how=how)
