"""Context overlap: the share of the answer's tokens that are in the contexts, counted with multiplicity.

1 is an answer made of the contexts' words, 0 one without any of them, or one for which nothing was retrieved. Undefined
for an answer without tokens, which claims nothing.
Source: K-Precision of Adlakha et al. 2024, *Evaluating Correctness and Faithfulness of Instruction-Following Models for
Question Answering*. It is the baseline that every judge of faithfulness has to beat: on real RAG answers it comes close
to LLM judges. It does not see who did what to whom, nor a *not*.
"""

from dataclasses import dataclass

from saiten.metrics.overlap.base import TokenMetric, in_common
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.text.tokenizers import tokenizer_for


@dataclass(frozen=True)
class ContextOverlap(TokenMetric):
    """The share of the answer's tokens found in the contexts."""

    title = "context_overlap"
    needs = ("answer", "contexts")

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """Count without using the judge. Details: tokens found, and their total."""
        if sample.contexts is None:
            return Score.undefined("the sample has no contexts")
        tokenizer = tokenizer_for(sample.language)
        answer = tokenizer.tokens(sample.answer or "")
        contexts = [token for context in sample.contexts for token in tokenizer.tokens(context)]
        if not answer:
            return Score.undefined("the answer has no word in it")
        matched = in_common(answer, contexts)
        return Score(
            matched / len(answer),
            reason=None if contexts else "no context has a word in it",
            details={"matched": matched, "answer_size": len(answer)},
        )
