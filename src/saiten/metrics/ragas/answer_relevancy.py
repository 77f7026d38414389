"""Answer relevancy: the similarity of the question to questions written from the answer.

1 is to the point, 0 is irrelevant or non-committal; undefined if no question could be written.
Source: Es et al. 2024, section 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from saiten.errors import ConfigurationError
from saiten.metrics.base import perform_all
from saiten.metrics.ragas.compat import RagasMetric, is_blank
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.similarity import MeasureSimilarity, Questions, WriteQuestions


@dataclass(frozen=True)
class AnswerRelevancy(RagasMetric):
    """(1/n) Σ cos(q, q_i) over n questions written from the answer; 0 if the answer is non-committal.

    Differences from RAGAS 0.4.3 (`compat=ragas` removes them):

    - One call writes all questions, so that they differ, and decides once whether the answer is non-committal. RAGAS
      makes n calls for one question each, and takes the answer as non-committal if all n replies say so.
    - The mean is clipped to [0, 1]; RAGAS's may be negative.
    - More or fewer questions than requested are used as they are; the details then say how many were `requested`.
    - No question written: undefined; RAGAS gives 0. A blank question is dropped; RAGAS raises.
    - An empty answer: 0 without a call, as it answers nothing; RAGAS raises.
    - In a conversation, each written question is compared with the question alone and with the question after the
      user's previous one, and the higher cosine counts: *And in winter?* means nothing alone, and after a change of the
      subject the previous question does not matter. RAGAS knows no history.
    """

    title = "answer_relevancy"
    needs = ("question", "answer")
    tasks = (WriteQuestions, MeasureSimilarity)
    lowest_in_ragas = -1.0
    refused_by_ragas = ("question", "answer")
    questions: int = 3
    """Number of questions to request; RAGAS calls it strictness."""

    def __post_init__(self) -> None:
        """Refuse a number of questions outside 1 to 50."""
        super().__post_init__()
        if not 1 <= self.questions <= 50:
            raise ConfigurationError(f"answer_relevancy needs 1 to 50 questions, not {self.questions}")

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if nothing := self.empty(sample, "question"):
            return nothing
        if not self.as_ragas and is_blank(sample.answer):
            return Score(0.0, reason="the answer is empty")
        questions, noncommittal = read_questions(await perform_all(judge, self._writing(sample)), exact=self.as_ragas)
        if self.as_ragas and any(is_blank(question) for question in questions):
            return Score.undefined("a written question is white space, which RAGAS refuses to embed")
        details = {"noncommittal": noncommittal, "questions": list(questions)}
        if len(questions) != self.questions:
            details["requested"] = self.questions
        if noncommittal:
            return Score(0.0, reason="the answer is non-committal", details={**details, "similarities": []})
        if not questions:
            reason = "no question could be written from the answer"
            return Score(0.0, reason=reason) if self.as_ragas else Score.undefined(reason)
        values = await self._similarities(sample, questions, judge)
        mean = fmean(values)
        return Score(
            mean if self.as_ragas else min(max(mean, 0.0), 1.0),
            reason=f"{len(questions)} questions written from the answer: mean cosine {mean:.3f} with the question",
            details={**details, "similarities": values},
        )

    async def _similarities(self, sample: Sample, questions: tuple[str, ...], judge: Judge) -> list[float]:
        """Return the cosine of each written question with the sample's, alone or after the one before it."""
        before = "" if self.as_ragas else next((turn.question for turn in reversed(sample.history)), "")
        asked = (sample.question, f"{before}\n{sample.question}") if before else (sample.question,)
        tasks = [MeasureSimilarity(each, questions, language=sample.language) for each in asked]
        similar = await perform_all(judge, tasks)
        return [max(values) for values in zip(*(reply.values for reply in similar), strict=True)]

    def _writing(self, sample: Sample) -> list[WriteQuestions]:
        answer, language = sample.answer or "", sample.language
        if self.as_ragas:
            return [WriteQuestions(answer, 1, draw, language=language) for draw in range(self.questions)]
        return [WriteQuestions(answer, self.questions, language=language)]


def read_questions(replies: Sequence[Questions], *, exact: bool = False) -> tuple[tuple[str, ...], bool]:
    """Return the non-blank questions, and whether all replies with a question say non-committal.

    With `exact`, as in RAGAS, only an empty question is blank, and no question at all is not non-committal.
    """
    kept = [[q for q in reply.questions if (q if exact else q.strip())] for reply in replies]
    flags = [reply.noncommittal for reply, questions in zip(replies, kept, strict=True) if questions]
    if not flags and not exact:
        flags = [reply.noncommittal for reply in replies]
    return tuple(q for questions in kept for q in questions), bool(flags) and all(flags)
