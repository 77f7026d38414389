"""Metrics that compare words without a judge: the baselines that every judge has to beat."""

from saiten.metrics.overlap.bleu4 import Bleu4
from saiten.metrics.overlap.chrf import ChrF
from saiten.metrics.overlap.context_overlap import ContextOverlap
from saiten.metrics.overlap.exact_match import ExactMatch
from saiten.metrics.overlap.length import Length
from saiten.metrics.overlap.rouge import Rouge1, Rouge2, RougeL
from saiten.metrics.overlap.token_f1 import TokenF1
from saiten.metrics.overlap.word_recall import WordRecall

__all__ = [
    "Bleu4",
    "ChrF",
    "ContextOverlap",
    "ExactMatch",
    "Length",
    "Rouge1",
    "Rouge2",
    "RougeL",
    "TokenF1",
    "WordRecall",
]
