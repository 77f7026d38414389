"""Exact match: whether the answer is the reference, up to spelling that does not matter.

1 is the same, 0 is not; for short answers only, since a sentence around the right answer is a miss.
Source: Rajpurkar et al. 2016, *SQuAD*, section 6.1. English is read as SQuAD's script reads it (`squad.py` says where
we differ). Japanese is compared after NFKC and case folding, without punctuation and white space; what belongs to a
number stays (1.5 is not 15, 50% not 50), the commas of thousands go, and symbols stay (○ is not ×).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from saiten.metrics.overlap.base import Compared, ReferenceMetric, Units
from saiten.metrics.overlap.squad import squad_words
from saiten.records import Language
from saiten.text.normalisation import bare


@dataclass(frozen=True)
class ExactMatch(ReferenceMetric):
    """1 where the answer equals one of the references, else 0."""

    title = "exact_match"

    def describe(self) -> Mapping[str, str]:
        """How texts are made comparable."""
        return {"normalised_ja": "bare-2", "normalised_en": "squad-1"}

    def units(self, text: str, language: Language) -> Units:
        """What has to be equal: SQuAD's words, or the bare characters."""
        return squad_words(text) if language == "en" else bare(text)

    def compare(self, answer: Units, reference: Units) -> Compared:
        """Equal or not."""
        return float(answer == reference), {}
