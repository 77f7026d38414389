"""Exact match: whether the answer equals the reference, except for irrelevant spelling.

1 is equal, 0 is not; for short answers only, since a sentence around the right answer is a miss.
Source: Rajpurkar et al. 2016, *SQuAD*, section 6.1. English is normalised as in SQuAD's script (`squad.py` lists the
differences). Japanese is compared after NFKC and case folding, without punctuation and white space; characters that
belong to a number stay (1.5 is not 15, 50% not 50), thousands separators go, and symbols stay (○ is not ×).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from saiten.metrics.overlap.base import Compared, ReferenceMetric, Units
from saiten.metrics.overlap.squad import squad_words
from saiten.records import Language
from saiten.text.normalisation import bare


@dataclass(frozen=True)
class ExactMatch(ReferenceMetric):
    """1 if the answer equals one of the references, else 0."""

    title = "exact_match"

    def describe(self) -> Mapping[str, str]:
        """Return the normalisations."""
        return {"normalised_ja": "bare-2", "normalised_en": "squad-1"}

    def units(self, text: str, language: Language) -> Units:
        """Return SQuAD's words, or the bare characters."""
        return squad_words(text) if language == "en" else bare(text)

    def compare(self, answer: Units, reference: Units) -> Compared:
        """Return 1 if both are equal, else 0."""
        return float(answer == reference), {}
