"""The passages that belong into a question beside the one chosen for it: near ones, and those tied by rare words."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from saiten.judges.offline.entities import entities_of
from saiten.rag.knowledge.base import KnowledgeBase
from saiten.testsets.plan.passages import BasePassage, BasePassages
from saiten.testsets.plan.sections import SEPARATOR
from saiten.testsets.plan.vocabulary import Ties
from saiten.text.quantities import quantities
from saiten.text.words import has_digit, in_order, normalize, stem

_NEAREST = 64
"""Passages asked for from the retriever, so that some are of other documents."""
_LEAST_TIE, _LEAST_SHARED = 0.2, 3
"""The tie, and the words of weight in common, from which two passages have something to do with each other; chosen by
looking at some hundred pairs."""
_SAME = 0.6
"""The share of words from which two passages say the same about one thing."""
_ALIKE, _UNIT, _MOST_UNITS, _LEAST_FIT = 0.3, 0.05, 3, 0.25
"""What counts beside the tie for things to compare: headings alike, and each unit of measure with other numbers; and
the sum from which they are compared."""
_COMPARED = 12
"""Passages whose names and numbers are compared with those of the first one."""
_LEAST_ALIKE = 0.3
"""The share of words of two headings from which these are alike: *Annual leave* and *Sick leave*."""
_KANJI = re.compile("[一-鿿]")


@dataclass(slots=True, eq=False)
class Companions:
    """Finds the other passages of a question. Not frozen, since it remembers what the retriever found."""

    base: KnowledgeBase
    read: BasePassages
    ties: Ties
    _numbers: dict[tuple[str, int | None, int | None], int] = field(default_factory=dict, init=False)
    _near: dict[int, list[int]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._numbers = {_place(each): number for number, each in enumerate(self.read.passages)}

    def number(self, source: str, start: int | None, end: int | None) -> int | None:
        """Return the number of the passage at a place; None if the base has none there."""
        return self._numbers.get((source, start, end))

    async def nearest(self, first: int, most: int) -> list[int]:
        """Return the nearest passages in the same language, by the base's own search, nearest first.

        Raises:
            ConfigurationError: the base is unreadable, or its embedder is another one by now.
            CallFailed: the server or the embedder failed.
        """
        if first not in self._near:
            found = await self.base.retrieve(self._at(first).passage.text, _NEAREST)
            numbers = (self.number(each.source, each.start, each.end) for each in found.passages)
            fitting = [each for each in numbers if each is not None and self._fits(first, each)]
            self._near[first] = _apart(first, fitting, _NEAREST, self._overlap)
        return self._near[first][:most]

    def several(self, first: int, most: int, *, new: Callable[[int], bool]) -> list[int]:
        """Return passages of the same document that are tied to the first one and do not simply continue it.

        In a document of two passages, the other one may.
        """
        begin, end = self._document(first)
        ties = dict(enumerate(self.ties.of(first, begin, end).tolist(), begin))
        tied = (each for each in ties if self._tied(first, each, ties[each]) and self._fits(first, each) and new(each))
        ranked = sorted(tied, key=lambda each: (-ties[each], each))
        return ranked[:1] if end - begin == 2 else _apart(first, ranked, most, self._continues)

    async def across(self, first: int, most: int, *, new: Callable[[int], bool]) -> list[int]:
        """Return near passages of other documents, each of a different one, that are tied to the first one."""
        near = [each for each in await self.nearest(first, _NEAREST) if new(each)]
        ties = {each: self.ties.tie(first, each) for each in near if not self._same_document(first, each)}
        tied = sorted((each for each in ties if self._tied(first, each, ties[each])), key=lambda each: -ties[each])
        return _apart(first, tied, most, self._same_document)

    async def comparison(self, first: int, most: int, *, new: Callable[[int], bool]) -> list[int]:
        """Return the passages that compare best with the first one, of sections called alike.

        They are near, or of the same document, and have names or numbers of their own.
        """
        others = dict.fromkeys([*await self.nearest(first, _NEAREST), *range(*self._document(first))])
        likeness = {each: self._alike(first, each) for each in others if self._fits(first, each) and new(each)}
        fits = {each: self.ties.tie(first, each) + _ALIKE * alike for each, alike in likeness.items() if alike}
        best = sorted(fits, key=lambda each: -fits[each])[:_COMPARED]
        better = {each: fits[each] + self._differing(first, each) for each in best}
        return sorted((each for each in best if better[each] >= _LEAST_FIT), key=lambda each: -better[each])[:most]

    def following(self, first: int, *, new: Callable[[int], bool]) -> list[int]:
        """Return the nearest passage in the same section; nothing if the section has no other."""
        begin, end = self._document(first)
        section = self._at(first).section
        found = [
            each
            for each in range(begin, end)
            if self._at(each).section == section and self._fits(first, each) and new(each)
        ]
        return sorted(found, key=lambda each: (abs(each - first), first > each))[:1]

    # ------------------------------------------------------------------------------------------ two passages

    def _tied(self, one: int, other: int, tie: float) -> bool:
        """Return whether two passages have something to do with each other without saying the same."""
        if tie < _LEAST_TIE or self.ties.overlap(one, other) > _SAME:
            return False
        return len(self.ties.shared(one, other)) >= _LEAST_SHARED

    def _differing(self, one: int, other: int) -> float:
        """Return how much two passages differ in what they have in common; -1 if there is nothing to compare."""
        names = [_names(self._at(each)) for each in (one, other)]
        units = [_units(self._at(each)) for each in (one, other)]
        differing = sum(units[0][unit] != units[1][unit] for unit in units[0].keys() & units[1].keys())
        too_far = self.ties.tie(one, other) < _LEAST_TIE / 2
        same_thing = not differing and self.ties.overlap(one, other) > _SAME
        if too_far or same_thing or names[0] <= names[1] or names[1] <= names[0]:
            return -1.0
        return _UNIT * min(differing, _MOST_UNITS)

    def _alike(self, one: int, other: int) -> float:
        """Return how alike the lowest headings are, 0 to 1: the share of words in common.

        1 also for two headings of one chapter, below the document's title; a half for two documents without headings; 0
        for one section, or one below the other.
        """
        sections = [self._at(each).section for each in (one, other)]
        (above, _, title), (above_other, _, title_other) = (section.rpartition(SEPARATOR) for section in sections)
        if self._same_document(one, other):
            if any(f"{each}{SEPARATOR}".startswith(f"{than}{SEPARATOR}") for each, than in (sections, sections[::-1])):
                return 0.0
            if SEPARATOR in above and above == above_other:
                return 1.0
        elif not title and not title_other:
            return 0.5
        mine, others = _title_words(title), _title_words(title_other)
        alike = len(mine & others) / (len(mine | others) or 1)
        return alike if alike >= _LEAST_ALIKE else 0.0

    def _continues(self, one: int, other: int) -> bool:
        """Return whether one passage directly follows the other in a section, or shares text with it."""
        return self._overlap(one, other) or (abs(one - other) == 1 and not self._other_section(one, other))

    def _fits(self, one: int, other: int) -> bool:
        """Return whether the passages are of one language and share no text."""
        return one != other and self._at(one).language == self._at(other).language and not self._overlap(one, other)

    def _overlap(self, one: int, other: int) -> bool:
        if not self._same_document(one, other):
            return False
        first, second = self._at(one).passage, self._at(other).passage
        return (first.end or 0) > (second.start or 0) and (second.end or 0) > (first.start or 0)

    def _same_document(self, one: int, other: int) -> bool:
        return self._at(one).passage.source == self._at(other).passage.source

    def _other_section(self, one: int, other: int) -> bool:
        return not self._same_document(one, other) or self._at(one).section != self._at(other).section

    def _document(self, number: int) -> tuple[int, int]:
        """Return the numbers of the first passage of its document, and of the one after the last."""
        begin = end = number
        while begin > 0 and self._same_document(begin - 1, number):
            begin -= 1
        while end < len(self.read.passages) and self._same_document(end, number):
            end += 1
        return begin, end

    def _at(self, number: int) -> BasePassage:
        return self.read.passages[number]


def _apart(first: int, ranked: Iterable[int], most: int, too_close: Callable[[int, int], bool]) -> list[int]:
    """Return the best passages no two of which are too close, the first one included."""
    chosen: list[int] = []
    for each in ranked:
        if len(chosen) < most and not any(too_close(each, other) for other in (first, *chosen)):
            chosen.append(each)
    return chosen


def _place(passage: BasePassage) -> tuple[str, int | None, int | None]:
    return passage.passage.source, passage.passage.start, passage.passage.end


def _title_words(title: str) -> set[str]:
    """Return the words of a heading: English ones without endings, and of kanji the last two of each run, its head."""
    words = (word for word in in_order(normalize(title).lower()) if not has_digit(word))
    return {word[-2:] if _KANJI.match(word) else stem(word) for word in words}


def _names(passage: BasePassage) -> frozenset[str]:
    return frozenset(map(str.casefold, entities_of(passage.passage.text, passage.language)))


def _units(passage: BasePassage) -> dict[str, frozenset[str]]:
    """Return the units of the passage's quantities, each with its numbers."""
    found: dict[str, frozenset[str]] = {}
    for each in quantities(normalize(passage.passage.text).lower()):
        found[each.unit] = found.get(each.unit, frozenset()) | each.readings
    return found
