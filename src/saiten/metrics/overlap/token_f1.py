"""Token F1: the harmonic mean of token precision and recall against the reference.

1 is the same tokens in both, in any order; 0 is none in common.
Source: Rajpurkar et al. 2016, *SQuAD*, section 6.1. English is normalised as in SQuAD's script (`squad.py` lists the
differences), Japanese by its tokens. SQuAD 2.0's rule for unanswerable questions (no reference, no answer: 1) does not
apply: without a reference the score is undefined.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from saiten.metrics.overlap.base import Compared, ReferenceMetric, Units, f_score, in_common
from saiten.metrics.overlap.squad import squad_words
from saiten.records import Language
from saiten.text.tokenisers import tokeniser_for


@dataclass(frozen=True)
class TokenF1(ReferenceMetric):
    """F1 over tokens as SQuAD counts them; best over the references."""

    title = "token_f1"

    def describe(self) -> Mapping[str, str]:
        """Return Sudachi for Japanese, SQuAD's rule for English."""
        return {"tokeniser_ja": tokeniser_for("ja").name, "tokeniser_en": "squad-1"}

    def units(self, text: str, language: Language) -> Units:
        """Return tokens, or SQuAD's words."""
        return squad_words(text) if language == "en" else tokeniser_for(language).tokens(text)

    def compare(self, answer: Units, reference: Units) -> Compared:
        """Count tokens in common, with multiplicity."""
        return f_score(in_common(answer, reference), len(answer), len(reference))
