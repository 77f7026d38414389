"""Token F1: the harmonic mean of the share of the answer's tokens in the reference and the other way round.

1 is the same tokens in both, in any order; 0 is none in common.
Source: Rajpurkar et al. 2016, *SQuAD*, section 6.1. English is read as SQuAD's script reads it (`squad.py` says where
we differ), Japanese by its tokens. SQuAD 2.0's rule for unanswerable questions (no reference, no answer: 1) is not
taken over: without a reference the score is undefined.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from saiten.metrics.overlap.base import Compared, ReferenceMetric, Units
from saiten.metrics.overlap.counts import f_score, in_common
from saiten.metrics.overlap.squad import squad_words
from saiten.records import Language
from saiten.text.tokenisers import tokeniser_for


@dataclass(frozen=True)
class TokenF1(ReferenceMetric):
    """F1 over tokens as SQuAD counts them; best over the references."""

    title = "token_f1"

    def describe(self) -> Mapping[str, str]:
        """Sudachi for Japanese; SQuAD's own rule for English."""
        return {"tokeniser_ja": tokeniser_for("ja").name, "tokeniser_en": "squad-1"}

    def units(self, text: str, language: Language) -> Units:
        """Tokens, or SQuAD's words."""
        return squad_words(text) if language == "en" else tokeniser_for(language).tokens(text)

    def compare(self, answer: Units, reference: Units) -> Compared:
        """Tokens in common, each as often as both sides have it."""
        return f_score(in_common(answer, reference), len(answer), len(reference))
