"""How much of a question each of some sentences holds: the IDF-weighted share of its content units."""

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
"""Characters of all texts together that are read; passages are a few hundred each."""
_HEADING = re.compile(r"\s*#{1,6}\s")
_LONGEST = 1_000
"""Characters of a sentence; a table or a line of data may have no end."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Sentences to choose from, each once, in order; and how much of a question each holds."""

    sentences: Sequence[str]
    units: Sequence[AbstractSet[str]]
    """Of each sentence."""
    texts: Sequence[int]
    """The text that each sentence stands in, the first where several have it."""
    weights: dict[str, float]
    """Of each unit of the question: its inverse document frequency among the sentences; together 1."""

    def share(self, units: Collection[str]) -> float:
        """The part of the question's weight that these units hold."""
        return math.fsum(weight for unit, weight in self.weights.items() if unit in units)

    def shares(self) -> list[float]:
        """What each sentence holds."""
        return [self.share(units) for units in self.units]

    def shares_of_texts(self) -> list[float]:
        """For each sentence what the whole text holds that it stands in."""
        held: dict[int, set[str]] = {}
        for text, units in zip(self.texts, self.units, strict=True):
            held.setdefault(text, set()).update(units & self.weights.keys())
        share = {text: self.share(units) for text, units in held.items()}
        return [share[text] for text in self.texts]


def pool_of(question: str, texts: Sequence[str], language: Language) -> Pool:
    """The sentences of the texts, held against the question."""
    read = _content if _content(question) else _all_words  # *What is it?* holds nothing but words without content
    found = _sentences(texts, language)
    units = [read(sentence) for sentence in found]
    frequency = Counter(unit for each in units for unit in each)
    raw = {unit: math.log((len(found) + 1) / (frequency[unit] or 1)) for unit in sorted(read(question))}
    whole = math.fsum(raw.values()) or 1.0
    return Pool(list(found), units, list(found.values()), {unit: weight / whole for unit, weight in raw.items()})


def _content(text: str) -> set[str]:
    """The content units of a text."""
    return units_of(normalise(text).lower())


def _all_words(text: str) -> set[str]:
    return words_of(normalise(text).lower())


def _sentences(texts: Sequence[str], language: Language) -> dict[str, int]:
    """Each sentence, and the number of the text in which it stands first; the headings of Markdown are none."""
    found: dict[str, int] = {}
    left = _READ
    for number, text in enumerate(texts):
        for sentence in split_sentences(text[:left], language):
            if not _HEADING.match(sentence.text):
                found.setdefault(sentence.text[:_LONGEST], number)
        left -= min(left, len(text))
    return found
