"""What the metrics share that hold an answer against references: reading, the undefined cases, the best reference."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saiten.metrics.base import BaseMetric
from saiten.protocols import Judge
from saiten.records import Language, Sample, Score
from saiten.text.tokenisers import tokeniser_for

Units = Sequence[str]
"""What is counted: tokens, or characters (a str is a sequence of them)."""

Compared = tuple[float, dict[str, Any]]
"""A value in [0, 1] and the counts that it was made of."""


@dataclass(frozen=True)
class ReferenceMetric(BaseMetric, ABC):
    """The answer against each reference; the best one counts, since each of them is right on its own.

    An empty answer is an answer, and wrong: 0. A reference without anything to count is no reference; where no other
    is left, the score is undefined. Details: the counts, and `best_reference`, its place in `sample.references`.
    """

    needs = ("answer", "reference")

    def describe(self) -> Mapping[str, str]:
        """The tokenisers of both languages."""
        return tokeniser_names()

    def units(self, text: str, language: Language) -> Units:
        """What is counted: the tokens, unless the metric counts something else."""
        return tokeniser_for(language).tokens(text)

    @abstractmethod
    def compare(self, answer: Units, reference: Units) -> Compared:
        """The arithmetic; the reference is never empty, the answer may be."""

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """The best over the references; asks the judge nothing."""
        if sample.answer is None:
            return Score.undefined("the sample has no answer")
        references = {i: self.units(text, sample.language) for i, text in enumerate(sample.references)}
        countable = {i: reference for i, reference in references.items() if reference}
        if not countable:
            return Score.undefined("no reference has a word in it")
        return self.best(self.units(sample.answer, sample.language), countable)

    def best(self, answer: Units, references: Mapping[int, Units]) -> Score:
        """The highest value; the first reference wins a tie."""
        compared = {i: self.compare(answer, reference) for i, reference in references.items()}
        index = max(compared, key=lambda i: compared[i][0])
        value, details = compared[index]
        return Score(value, details={**details, "best_reference": index})


def tokeniser_names() -> dict[str, str]:
    """The part of a signature that says how words were cut."""
    return {"tokeniser_ja": tokeniser_for("ja").name, "tokeniser_en": tokeniser_for("en").name}
