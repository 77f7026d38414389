"""An index of contexts: the position of each unit, with all numbers, names and n-grams.

An index is built once per set of contexts, in time linear in their length. Looking up a statement costs its length
times the number of sentences that share a word with it, at most `limits.sentences`.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saiten.judges.offline.constants import Constants
from saiten.records import Language
from saiten.text.numbers import known_numbers
from saiten.text.sentences import split_sentences
from saiten.text.words import content_units, grams_of, normalize, stem, words_of


@dataclass(frozen=True, slots=True)
class Index:
    """The indexed contexts."""

    contexts: Sequence[str]
    windows: Sequence[tuple[int, int, int]]
    """The sentences as (index of the context, start, end)."""
    postings: Mapping[str, Sequence[int]]
    """The windows that contain each content unit."""
    grams: frozenset[str]
    numbers: frozenset[str]
    words: frozenset[str]
    """Every token, lower-cased."""
    text: str
    """All contexts, normalized and lower-cased."""
    floor: float
    """The lowest weight of a unit, relative to the highest."""
    cut: bool
    """Whether the contexts were too long to be read to the end."""

    def sentence(self, window: int) -> str:
        """Return the window's text, normalized and lower-cased."""
        context, start, end = self.windows[window]
        return normalize(self.contexts[context][start:end]).lower()

    def weight(self, unit: str) -> float:
        """Return the unit's inverse document frequency among windows; unknown units weigh most."""
        highest = math.log(len(self.windows) + 1)
        found = len(self.postings.get(unit, ())) or 1
        return max(self.floor * highest, highest - math.log(found)) or 1.0

    def has_name(self, name: str) -> bool:
        """Return whether a name in lower case, or each part of it, is among the words."""
        return (
            name in self.words
            or stem(name) in self.postings
            or all(part in self.words for part in re.split("['-]", name))
        )

    def shares(self, units: Sequence[str]) -> dict[int, float]:
        """Return each matching window's share of the units' weight.

        Pass sorted units: the sums are then equal to the last bit in every process.
        """
        weights = {unit: self.weight(unit) for unit in units}
        whole = math.fsum(weights.values())
        sums: dict[int, float] = {}
        for unit in units:
            part = weights[unit] / whole
            for window in self.postings.get(unit, ()):
                sums[window] = sums.get(window, 0.0) + part
        return sums

    def best_window(self, units: Sequence[str]) -> tuple[int, float, float]:
        """Return (window, its share of the units' weight, share of their number); (-1, 0, 0) without a match."""
        shares = self.shares(units)
        if not shares:
            return -1, 0.0, 0.0
        best = min(shares, key=lambda window: (-shares[window], window))
        return best, shares[best], sum(best in self.postings.get(unit, ()) for unit in units) / len(units)


def build_index(contexts: Sequence[str], language: Language, constants: Constants) -> Index:
    """Index the contexts."""
    read = _within(contexts, constants.limits["characters"])
    sentences = [split_sentences(context, language) for context in read]
    together = -(-sum(map(len, sentences)) // constants.limits["sentences"]) or 1
    windows: list[tuple[int, int, int]] = []
    postings: dict[str, list[int]] = {}
    for number, found in enumerate(sentences):
        for first in range(0, len(found), together):
            start, end = found[first].start, found[min(first + together, len(found)) - 1].end
            for unit in content_units(read[number][start:end]):
                postings.setdefault(unit, []).append(len(windows))
            windows.append((number, start, end))
    texts = [normalize(context).lower() for context in read]
    text = "\n".join(texts)
    return Index(
        contexts=contexts,
        windows=windows,
        postings=postings,
        grams=frozenset(gram for each in texts for gram in grams_of(each)),
        numbers=frozenset(known_numbers(text)),
        words=frozenset(words_of(text)),
        text=text,
        floor=constants.support["idf_floor"],
        cut=sum(map(len, contexts)) > constants.limits["characters"],
    )


def _within(contexts: Sequence[str], characters: int) -> list[str]:
    read = []
    for context in contexts:
        read.append(context[:characters])
        characters -= len(read[-1])
    return read
