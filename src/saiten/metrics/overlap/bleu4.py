"""BLEU-4 of one answer: precision of its runs of one to four tokens, with a penalty for brevity.

1 is an answer equal to a reference, 0 one without a token in common.
Source: Papineni et al. 2002; for single sentences smoothed by method 3 of Chen and Cherry 2014 (`exp`), as computed by
sacrebleu (Post 2018) from our tokens. Differences from sacrebleu's sentence score: 0–1 instead of 0–100, and our tokens
have no punctuation or capitals. Answers of fewer than four tokens are scored on the runs they have (effective order),
so that equal short texts score 1. All references count together.

Papers usually report corpus BLEU, which adds up the counts of all answers before dividing. The details of each score
contain these counts, and the summary shows corpus BLEU next to the mean (`stats/corpus_bleu.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from saiten.metrics.overlap.base import Compared, ReferenceMetric, Units
from saiten.records import Score


@dataclass(frozen=True)
class Bleu4(ReferenceMetric):
    """Smoothed sentence BLEU with runs of up to four tokens; references are pooled, as BLEU defines it."""

    title = "bleu4"

    def describe(self) -> Mapping[str, str]:
        return {**super().describe(), "sacrebleu": version("sacrebleu"), "smooth": "exp", "effective_order": "yes"}

    def best(self, answer: Units, references: Mapping[int, Units]) -> Score:
        """Score against all references together."""
        value, details = _bleu(answer, list(references.values()))
        return Score(value, details=details)

    def compare(self, answer: Units, reference: Units) -> Compared:
        """Score against a single reference."""
        return _bleu(answer, [reference])


def _bleu(answer: Units, references: list[Units]) -> Compared:
    result = _scorer().sentence_score(" ".join(answer), [" ".join(reference) for reference in references])
    # sacrebleu uses logarithms, so the score of an equal text is not exactly 100
    value = 1.0 if answer in references else min(1.0, result.score / 100)
    return value, {
        "matched": result.counts,
        "runs": result.totals,
        "precisions": [precision / 100 for precision in result.precisions],
        "brevity_penalty": result.bp,
        "answer_size": result.sys_len,
        "reference_size": result.ref_len,
        "references": len(references),
    }


@lru_cache(maxsize=1)
def _scorer() -> Any:
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - loaded when used, for the command line's start

    return BLEU(tokenize="none", smooth_method="exp", effective_order=True)
