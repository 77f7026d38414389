"""The base of reference-based overlap metrics: tokens, undefined cases, best reference, counts and F."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saiten.metrics.base import BaseMetric
from saiten.protocols import Judge
from saiten.records import Language, Sample, Score
from saiten.stats.f_measure import f_beta
from saiten.text.tokenizers import tokenizer_for

Units = Sequence[str]
"""The units counted: tokens, or characters (a str is a sequence of them)."""

Compared = tuple[float, dict[str, Any]]
"""A value in [0, 1] with the counts behind it."""


class TokenMetric(BaseMetric):
    """A metric that counts tokens, whose tokenizers are in its signature."""

    def describe(self) -> Mapping[str, str]:
        return {"tokeniser_ja": tokenizer_for("ja").name, "tokeniser_en": tokenizer_for("en").name}


@dataclass(frozen=True)
class ReferenceMetric(TokenMetric, ABC):
    """Compares the answer with each reference; the best match counts, since every reference is right by itself.

    An empty answer is wrong: 0. References without any units are skipped; if none is left, the score is undefined.
    Details: the counts, and `best_reference`, its index in `sample.references`.
    """

    needs = ("answer", "reference")

    def units(self, text: str, language: Language) -> Units:
        """Return the units to count: tokens, unless the metric overrides this."""
        return tokenizer_for(language).tokens(text)

    @abstractmethod
    def compare(self, answer: Units, reference: Units) -> Compared:
        """Compute the value; the reference is never empty, the answer may be."""

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """Return the best score over the references, without using the judge."""
        if sample.answer is None:
            return Score.undefined("the sample has no answer")
        units = [self.units(text, sample.language) for text in sample.references]
        countable = {i: reference for i, reference in enumerate(units) if reference}
        if not countable:
            return Score.undefined("no reference has a word in it")
        return self.best(self.units(sample.answer, sample.language), countable)

    def best(self, answer: Units, references: Mapping[int, Units]) -> Score:
        """Return the highest value; the first reference wins ties."""
        compared = [(i, *self.compare(answer, reference)) for i, reference in references.items()]
        index, value, details = compared[0] if len(compared) == 1 else max(compared, key=lambda each: each[1])
        return Score(value, details={**details, "best_reference": index})


def in_common(one: Iterable[Hashable], other: Iterable[Hashable]) -> int:
    """Return the size of the multiset intersection: a token occurring twice here and once there counts once."""
    left: dict[Hashable, int] = {}  # a Counter costs twice as much for texts of a sentence or two
    for each in other:
        left[each] = left.get(each, 0) + 1
    found = 0
    for each in one:
        if count := left.get(each):
            left[each] = count - 1
            found += 1
    return found


def f_score(matched: int, answer: int, reference: int) -> tuple[float, dict[str, Any]]:
    """Return F1 and the counts behind it.

    `answer` and `reference` are sizes; an empty answer has precision 0. The reference is not empty.
    """
    return f_beta(matched, answer - matched, reference - matched), {
        "matched": matched,
        "answer_size": answer,
        "reference_size": reference,
        "precision": matched / answer if answer else 0.0,
        "recall": matched / reference,
    }
