"""Accuracy: whether a judge, given a right answer, considers the answer correct.

1 is correct, 0 is not; the mean over samples is the accuracy of the system.
Source: the papers on binary accuracy presented at the Japanese NLP society's meetings (ANLP); `grounded` implements
their future work.
"""

from dataclasses import dataclass
from typing import Literal

from saiten.metrics.base import BaseMetric
from saiten.metrics.judged.references import Reading, as_read
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.correctness import DecideCorrect, DecideCorrectGrounded


@dataclass(frozen=True)
class Accuracy(BaseMetric):
    """The judge's verdict given all references. A blank answer is 0 without a call."""

    title = "accuracy"
    needs = ("question", "answer", "reference")
    tasks = (DecideCorrect,)

    grounded: bool = False
    """The stricter variant: the judge also sees the contexts, and an addition that neither they nor the references
    support is a mistake. The plain variant accepts an answer with the reference and made-up additions. The details
    contain both verdicts, `correct` and `supported`."""
    form: Literal["json", "marker"] = "json"
    """The reply format: JSON by schema, or an explanation ending in `[[True]]` or `[[False]]`."""
    references: Reading = "alternatives"
    """Several references are each correct by themselves, or `parts` of one correct answer."""

    def __post_init__(self) -> None:
        """Refuse unknown settings; `grounded` requires contexts."""
        super().__post_init__()
        if self.grounded:
            self.declare(needs=(*self.needs, "contexts"), tasks=(DecideCorrectGrounded,))

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if not (sample.answer or "").strip():
            return Score(0.0, reason="the answer is empty")
        decision = await judge.perform(self.task(sample))
        return Score(
            float(decision.holds),
            reason=decision.explanation,
            details=decision.model_dump(mode="json", include={"correct", "supported"}, exclude_none=True),
            expected=decision.p,
        )

    def task(self, sample: Sample) -> DecideCorrect:
        given = as_read(sample, self.references)
        asked = (sample.question, sample.answer or "", given.alternatives, self.form, given.parts)
        if self.grounded:
            return DecideCorrectGrounded(
                *asked, sample.contexts or (), language=sample.language, conversation=sample.history
            )
        return DecideCorrect(*asked, language=sample.language, conversation=sample.history)
