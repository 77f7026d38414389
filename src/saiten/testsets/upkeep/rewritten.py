"""Sentences that were rewritten: nearly the same words as before, with another number or a negation.

Where a fact is replaced, the old number is often somewhere else in the text, so that comparing a reference with what is
found shows nothing. Comparing the old sentence with the new one does.
"""

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from saiten.records import Language
from saiten.testsets.items import SetPassage
from saiten.text.numbers import claimed_numbers, known_numbers, missing_numbers
from saiten.text.polarity import is_negated
from saiten.text.sentences import split_sentences
from saiten.text.words import normalize

_NEAR = 80.0
"""Similarity (0 to 100) from which a sentence is a new version of another one."""


def rewritten(passages: Iterable[SetPassage], texts: Iterable[str], language: Language) -> tuple[str, str] | None:
    """Return the first quoted sentence of the passages with its new version in the texts; None if there is none.

    Without quotes, all sentences of the passages count. A sentence that is still there is not rewritten.
    """
    now = {normalize(each.text).lower(): each.text for text in texts for each in split_sentences(text, language)}
    for passage in passages:
        for before in _quoted(passage, language):
            lowered = normalize(before).lower()
            if lowered in now:
                continue
            found = process.extractOne(lowered, now.keys(), scorer=fuzz.ratio, score_cutoff=_NEAR)
            if found is not None and _says_otherwise(lowered, found[0]):
                return before, now[found[0]]
    return None


def _quoted(passage: SetPassage, language: Language) -> list[str]:
    sentences = split_sentences(passage.text, language)
    if not passage.quotes:
        return [each.text for each in sentences]
    return [
        each.text for each in sentences if any(each.start < end and start < each.end for start, end in passage.quotes)
    ]


def _says_otherwise(before: str, now: str) -> bool:
    """Return whether each has a number that the other lacks, or only one of them is negated."""
    gone = missing_numbers(claimed_numbers(before), known_numbers(now))
    new = missing_numbers(claimed_numbers(now), known_numbers(before))
    return bool(gone and new) or is_negated(before) != is_negated(now)
