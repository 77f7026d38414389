"""Accuracy: whether a judge, given a right answer, considers the answer correct.

1 is correct, 0 is not; the mean over samples is the accuracy of the system.
Source: the papers on binary accuracy presented at the Japanese NLP society's meetings (ANLP); `grounded` implements
their future work.
"""

from dataclasses import dataclass
from typing import Literal

from saiten.metrics.base import BaseMetric
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.correctness import DecideCorrect


@dataclass(frozen=True)
class Accuracy(BaseMetric):
    """The judge's verdict given all references, each of them right by itself. A blank answer is 0 without a call."""

    title = "accuracy"
    needs = ("question", "answer", "reference")
    tasks = (DecideCorrect,)

    grounded: bool = False
    """The stricter variant: the judge also sees the contexts, and an addition that neither they nor the references
    support is a mistake. The plain variant accepts an answer with the reference and made-up additions."""
    form: Literal["json", "marker"] = "json"
    """The reply format: JSON by schema, or an explanation ending in `[[True]]` or `[[False]]`."""

    def __post_init__(self) -> None:
        """Refuse unknown settings; `grounded` requires contexts."""
        super().__post_init__()
        if self.grounded:
            self.declare(needs=(*self.needs, "contexts"))

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if not (sample.answer or "").strip():
            return Score(0.0, reason="the answer is empty")
        decision = await judge.perform(self.task(sample))
        return Score(
            float(decision.correct),
            reason=decision.explanation,
            details={"correct": decision.correct},
            expected=decision.p,
        )

    def task(self, sample: Sample) -> DecideCorrect:
        contexts = (sample.contexts or ()) if self.grounded else None
        return DecideCorrect(
            sample.question, sample.answer or "", sample.references, contexts, self.form, language=sample.language
        )
