"""The index of some contexts: where each unit stands, and all numbers, names and n-grams there are.

Built once for a set of contexts, in time linear in their length; a statement then costs its own length times the
sentences that share a word with it, of which there are at most `limits.sentences`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saiten.judges.offline.constants import Constants
from saiten.records import Language
from saiten.text.numbers import known_numbers
from saiten.text.sentences import split_sentences
from saiten.text.words import grams_of, normalise, units_of, words_of


@dataclass(frozen=True, slots=True)
class Index:
    """Some contexts, read."""

    contexts: Sequence[str]
    windows: Sequence[tuple[int, int, int]]
    """The sentences as (index of the context, start, end)."""
    postings: Mapping[str, Sequence[int]]
    """For each content unit the windows it stands in."""
    grams: frozenset[str]
    numbers: frozenset[str]
    words: frozenset[str]
    """Every token, lower-cased."""
    text: str
    """All contexts, normalised and lower-cased."""
    floor: float
    """The lowest weight of a unit, as a share of the highest."""
    cut: bool
    """Whether the contexts were too long to be read to their end."""

    def sentence(self, window: int) -> str:
        """The window's text, normalised and lower-cased."""
        context, start, end = self.windows[window]
        return normalise(self.contexts[context][start:end]).lower()

    def weight(self, unit: str) -> float:
        """The inverse document frequency of the unit among the windows; units that stand nowhere weigh most."""
        highest = math.log(len(self.windows) + 1)
        found = len(self.postings.get(unit, ())) or 1
        return max(self.floor * highest, highest - math.log(found)) or 1.0

    def shares(self, units: Sequence[str]) -> dict[int, float]:
        """For each window that holds one of the units the share of the units' weight that it holds.

        Units are to come sorted: the sums then have the same last bit in every process.
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
        """(window, share of the units' weight in it, share of their number); (-1, 0, 0) if nothing is shared."""
        shares = self.shares(units)
        if not shares:
            return -1, 0.0, 0.0
        best = min(shares, key=lambda window: (-shares[window], window))
        return best, shares[best], sum(best in self.postings.get(unit, ()) for unit in units) / len(units)


def build_index(contexts: Sequence[str], language: Language, constants: Constants) -> Index:
    """Read the contexts."""
    read = _within(contexts, constants.limits["characters"])
    sentences = [split_sentences(context, language) for context in read]
    together = -(-sum(map(len, sentences)) // constants.limits["sentences"]) or 1
    windows: list[tuple[int, int, int]] = []
    postings: dict[str, list[int]] = {}
    for number, found in enumerate(sentences):
        for first in range(0, len(found), together):
            start, end = found[first].start, found[min(first + together, len(found)) - 1].end
            for unit in units_of(normalise(read[number][start:end]).lower()):
                postings.setdefault(unit, []).append(len(windows))
            windows.append((number, start, end))
    texts = [normalise(context).lower() for context in read]
    text = "\n".join(texts)
    words = words_of(text)
    return Index(
        contexts=contexts,
        windows=windows,
        postings=postings,
        grams=frozenset(gram for each in texts for gram in grams_of(each)),
        numbers=frozenset(known_numbers(text)),
        words=frozenset(words),
        text=text,
        floor=constants.support["idf_floor"],
        cut=sum(map(len, contexts)) > constants.limits["characters"],
    )


def _within(contexts: Sequence[str], characters: int) -> list[str]:
    """The contexts as far as they can be read."""
    read = []
    for context in contexts:
        read.append(context[:characters])
        characters -= len(read[-1])
    return read
