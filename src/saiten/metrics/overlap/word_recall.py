"""Word recall: the share of the reference's tokens that the answer contains.

1 is all tokens, 0 none; an answer that says everything gets 1, so read it together with `length`.
Source: Adlakha et al. 2024, *Evaluating Correctness and Faithfulness of Instruction-Following Models for Question
Answering* (recall). Tokens count with multiplicity. Unlike the paper, we keep articles.
"""

from dataclasses import dataclass

from saiten.metrics.overlap.base import Compared, ReferenceMetric, Units, in_common


@dataclass(frozen=True)
class WordRecall(ReferenceMetric):
    """The share of the reference's tokens found in the answer; best over the references."""

    title = "word_recall"

    def compare(self, answer: Units, reference: Units) -> Compared:
        """Divide the tokens in common by the reference's tokens."""
        matched = in_common(answer, reference)
        return matched / len(reference), {
            "matched": matched,
            "answer_size": len(answer),
            "reference_size": len(reference),
        }
