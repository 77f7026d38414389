"""Length: the number of tokens of the answer.

0 is an empty answer; there is no upper bound, and neither direction is better. Read it together with word recall, which
grows with it.
"""

import math
from dataclasses import dataclass

from saiten.metrics.overlap.base import TokenMetric
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.text.tokenizers import tokenizer_for


@dataclass(frozen=True)
class Length(TokenMetric):
    """The number of the answer's tokens."""

    title = "length"
    needs = ("answer",)
    bounds = (0.0, math.inf)
    higher_is_better = None

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """Count without using the judge. Details: the number of characters."""
        if sample.answer is None:
            return Score.undefined("the sample has no answer")
        tokens = tokenizer_for(sample.language).tokens(sample.answer)
        return Score(float(len(tokens)), details={"characters": len(sample.answer)})
