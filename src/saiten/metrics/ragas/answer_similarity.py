"""Answer similarity: how close the answer's meaning is to the reference's, by their embeddings.

1 is the same meaning, 0 none in common; the value of unrelated texts depends on the embedding model.
Source: RAGAS documentation, *semantic similarity*, after Risch et al. 2021, *Semantic Answer Similarity*.
"""

from dataclasses import dataclass

from saiten.metrics.ragas.compat import RagasMetric, is_blank
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.similarity import MeasureSimilarity


@dataclass(frozen=True)
class AnswerSimilarity(RagasMetric):
    """cos(answer, reference), clipped to [0, 1]; of several references, the main one.

    Differences from RAGAS 0.4.3 (`compat=ragas` removes them):

    - The cosine is clipped; RAGAS's may be negative.
    - A blank answer is 0 and a blank reference undefined, without a call. RAGAS embeds white space as it is, and a
      single space for an empty text.

    A text embedded as zeros has cosine 0, such as white space by the built-in embedder; RAGAS gives NaN.
    """

    title = "answer_similarity"
    needs = ("answer", "reference")
    tasks = (MeasureSimilarity,)
    lowest_in_ragas = -1.0

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if nothing := self.empty(sample, "reference"):
            return nothing
        cosine = await self.similarity(sample, judge)
        return Score(cosine, reason=f"the cosine of answer and reference is {cosine:.3f}", details={"cosine": cosine})

    async def similarity(self, sample: Sample, judge: Judge) -> float:
        """Return the cosine alone, for answer correctness."""
        if not self.as_ragas and is_blank(sample.answer):
            return 0.0
        task = MeasureSimilarity(sample.answer or " ", (sample.reference or " ",), language=sample.language)
        cosine = (await judge.perform(task)).values[0]
        return cosine if self.as_ragas else min(max(cosine, 0.0), 1.0)
