"""Correctness: the grade from 1 to 5 that a judge, given a right answer, gives the answer.

5 is correct and complete, 3 half right, 1 wrong or beside the question; an answer that only says it does not know
(grade 0) is declined, and excluded from the mean. The paper's scale, in which 1 and 2 also speak of harm, is a set of
prompts of its own (`saiten prompts`).
Source: the papers on graded correctness presented at the Japanese NLP society's meetings (ANLP), whose modes E2 and E3
are `evidence=answer` and `evidence=reference` here; the prometheus form is that of Kim et al. 2024, *Prometheus 2*.
"""

from dataclasses import dataclass
from typing import Literal

from saiten.metrics.base import BaseMetric
from saiten.metrics.judged.references import Reading, as_read
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.correctness import GradeAnswer


@dataclass(frozen=True)
class Correctness(BaseMetric):
    """The judge's grade given all references; the mean over a panel's votes.

    A blank answer is declined without a call.
    """

    title = "correctness"
    needs = ("question", "answer", "reference")
    tasks = (GradeAnswer,)
    bounds = (1.0, 5.0)

    evidence: Literal["none", "answer", "reference"] = "reference"
    """The judge's evidence in addition to the references: none, the contexts the system retrieved for its answer (E2),
    or the sample's evidence, retrieved with question and reference together (E3); none if the sample has none."""
    form: Literal["json", "prometheus"] = "json"
    """The reply format: JSON by schema, or `Feedback: … [RESULT] n` as written by models trained for this."""
    rubric: Literal["best_first", "worst_first"] = "best_first"
    """The order in which the grades are explained to the judge: 5 to 0, or 0 to 5 (used by a probe)."""
    references: Reading = "alternatives"
    """Several references are each correct by themselves, or `parts` of one correct answer."""

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if not (sample.answer or "").strip():
            return Score.declined("the answer is empty")
        task = self.task(sample)
        grade = await judge.perform(task)
        details = {"grade": grade.grade, "evidence": {"mode": self.evidence, "pieces": len(task.evidence)}}
        if grade.grade == 0:
            return Score.declined(grade.feedback, **details)
        return Score(grade.value, reason=grade.feedback, details=details, expected=grade.expected)

    def task(self, sample: Sample) -> GradeAnswer:
        chosen = {"none": (), "answer": sample.contexts, "reference": sample.evidence}[self.evidence]
        given = as_read(sample, self.references)
        return GradeAnswer(
            sample.question,
            sample.answer or "",
            given.alternatives,
            chosen or (),
            self.form,
            self.rubric,
            given.parts,
            language=sample.language,
            conversation=sample.history,
        )
