"""Coverage: how much of a question each sentence contains, as the IDF-weighted share of content units."""

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from saiten.records import Language
from saiten.text.sentences import split_sentences
from saiten.text.words import normalise, units_of, words_of

_READ = 200_000
"""Maximum characters read, over all texts; passages have a few hundred each."""
_HEADING = re.compile(r"\s*#{1,6}\s")
_LONGEST = 1_000
"""Maximum characters per sentence, since a table or a line of data may have no end."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Distinct sentences in order, with their coverage of a question."""

    sentences: Sequence[str]
    units: Sequence[AbstractSet[str]]
    """The units of each sentence."""
    texts: Sequence[int]
    """The index of the text that first contains each sentence."""
    weights: dict[str, float]
    """The question's units with their inverse document frequencies among sentences, scaled to sum to 1."""

    def share(self, units: Collection[str]) -> float:
        """Return the share of the question's weight covered by these units."""
        return math.fsum(weight for unit, weight in self.weights.items() if unit in units)

    def shares(self) -> list[float]:
        """Return the share covered by each sentence."""
        return [self.share(units) for units in self.units]

    def shares_of_texts(self) -> list[float]:
        """Return, for each sentence, the share covered by its whole text."""
        held: dict[int, set[str]] = {}
        for text, units in zip(self.texts, self.units, strict=True):
            held.setdefault(text, set()).update(units & self.weights.keys())
        share = {text: self.share(units) for text, units in held.items()}
        return [share[text] for text in self.texts]


def pool_of(question: str, texts: Sequence[str], language: Language) -> Pool:
    """Split the texts into sentences and weight the question's units."""
    read = _content if _content(question) else _all_words  # *What is it?* has no content words
    found = _sentences(texts, language)
    units = [read(sentence) for sentence in found]
    frequency = Counter(unit for each in units for unit in each)
    raw = {unit: math.log((len(found) + 1) / (frequency[unit] or 1)) for unit in sorted(read(question))}
    whole = math.fsum(raw.values()) or 1.0
    return Pool(list(found), units, list(found.values()), {unit: weight / whole for unit, weight in raw.items()})


def _content(text: str) -> set[str]:
    """Return the content units of a text."""
    return units_of(normalise(text).lower())


def _all_words(text: str) -> set[str]:
    return words_of(normalise(text).lower())


def _sentences(texts: Sequence[str], language: Language) -> dict[str, int]:
    """Return the distinct sentences, without Markdown headings, each with the index of the first text that has it."""
    found: dict[str, int] = {}
    left = _READ
    for number, text in enumerate(texts):
        for sentence in split_sentences(text[:left], language):
            if not _HEADING.match(sentence.text):
                found.setdefault(sentence.text[:_LONGEST], number)
        left -= min(left, len(text))
    return found
