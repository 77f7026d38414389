"""chrF: F over runs of one to six characters, with recall weighted twice as much as precision.

1 is the same characters in both, 0 none in common. It needs no tokenizer.
Source: Popović 2015, *chrF: character n-gram F-score for automatic MT evaluation*, as computed by sacrebleu with its
defaults (chrF2, white space removed, punctuation kept). Differences: 0–1 instead of 0–100, and the text is normalized
first (NFKC, case folding), so that ２頭 equals 2頭.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from saiten.metrics.overlap.base import Compared, ReferenceMetric, Units
from saiten.records import Language
from saiten.text.normalization import normalize


@dataclass(frozen=True)
class ChrF(ReferenceMetric):
    """Character F-score; best over the references."""

    title = "chrf"

    def describe(self) -> Mapping[str, str]:
        """Return sacrebleu's version and settings; there is no tokenizer."""
        return {"normalised": "nfkc-casefold", "sacrebleu": version("sacrebleu"), "characters": "6", "beta": "2"}

    def units(self, text: str, language: Language) -> Units:
        """Return the characters without white space."""
        return "".join(normalize(text).split())

    def compare(self, answer: Units, reference: Units) -> Compared:
        score = _scorer().sentence_score("".join(answer), ["".join(reference)]).score / 100
        return min(1.0, score), {"answer_size": len(answer), "reference_size": len(reference)}


@lru_cache(maxsize=1)
def _scorer() -> Any:
    from sacrebleu.metrics.chrf import CHRF  # noqa: PLC0415 - loaded when used, for the command line's start

    return CHRF()
