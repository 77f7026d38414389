"""ROUGE-1, ROUGE-2 and ROUGE-L: F1 over tokens, pairs of tokens, and the longest common subsequence.

1 is the same tokens (pairs, sequence) in both, 0 none in common.
Source: Lin 2004, *ROUGE: A Package for Automatic Evaluation of Summaries*, sections 2 and 3.1, with precision and
recall weighted equally as in the rouge-score package. Differences from that package: our tokens (it only sees a-z and
0-9, so Japanese scores 0), no stemming, and ROUGE-2 against a reference of one token counts single tokens instead of
giving 0, so that equal texts always score 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from typing import ClassVar

from saiten.metrics.overlap.base import Compared, ReferenceMetric, Units, f_score, in_common


@dataclass(frozen=True)
class _RougeN(ReferenceMetric):
    """F1 over n-grams; best over the references."""

    order: ClassVar[int]

    def compare(self, answer: Units, reference: Units) -> Compared:
        """Count n-grams in common; n is reduced if the reference is shorter."""
        n = min(self.order, len(reference))
        ours, theirs = _ngrams(answer, n), _ngrams(reference, n)
        return f_score(in_common(ours, theirs), len(ours), len(theirs))


@dataclass(frozen=True)
class Rouge1(_RougeN):
    """F1 over tokens; best over the references."""

    title = "rouge_1"
    order = 1


@dataclass(frozen=True)
class Rouge2(_RougeN):
    """F1 over pairs of adjacent tokens; best over the references."""

    title = "rouge_2"
    order = 2


@dataclass(frozen=True)
class RougeL(ReferenceMetric):
    """F1 over the longest common subsequence of tokens, with the text as one sequence; best over the references."""

    title = "rouge_l"

    def describe(self) -> Mapping[str, str]:
        return {**super().describe(), "rapidfuzz": version("rapidfuzz")}

    def compare(self, answer: Units, reference: Units) -> Compared:
        """Count the tokens of the subsequence as matches."""
        from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - loaded when used, for the command line's start

        return f_score(LCSseq.similarity(answer, reference), len(answer), len(reference))


def _ngrams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return list(zip(*(islice(tokens, i, None) for i in range(n)), strict=False))
