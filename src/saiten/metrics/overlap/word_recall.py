"""Word recall: the share of the reference's tokens that the answer has too.

1 is every token found, 0 none; an answer that says everything gets 1, so read it beside `length`.
Source: Adlakha et al. 2024, *Evaluating Correctness and Faithfulness of Instruction-Following Models for Question
Answering* (recall). A token counts as often as both sides have it. We do not drop articles, as they do.
"""

from dataclasses import dataclass

from saiten.metrics.overlap.base import Compared, ReferenceMetric, Units
from saiten.metrics.overlap.counts import in_common


@dataclass(frozen=True)
class WordRecall(ReferenceMetric):
    """The share of the reference's tokens found in the answer; best over the references."""

    title = "word_recall"

    def compare(self, answer: Units, reference: Units) -> Compared:
        """Tokens in common over tokens of the reference."""
        matched = in_common(answer, reference)
        return matched / len(reference), {
            "matched": matched,
            "answer_size": len(answer),
            "reference_size": len(reference),
        }
