"""Accuracy: whether a judge, given a right answer, considers the answer correct.

1 is correct, 0 is not; the mean over samples is the accuracy of the system.
Source: the papers on binary accuracy presented at the Japanese NLP society's meetings (ANLP); `grounded` implements
their future work.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from saiten.errors import ConfigurationError
from saiten.metrics.base import BaseMetric
from saiten.metrics.naming import write_name
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.correctness import DecideCorrect

Written = Literal["json", "marker"]


@dataclass(frozen=True)
class Accuracy(BaseMetric):
    """The judge's verdict given all references, each of them right by itself. A blank answer is 0 without a call."""

    title = "accuracy"
    needs = ("question", "answer", "reference")
    tasks = (DecideCorrect,)

    grounded: bool = False
    """The stricter variant: the judge also sees the contexts, and an addition that neither they nor the references
    support is a mistake. The plain variant accepts an answer with the reference and made-up additions."""
    form: Written = "json"
    """The reply format: JSON by schema, or an explanation ending in `[[True]]` or `[[False]]`."""

    def __post_init__(self) -> None:
        """Refuse an unknown form; `grounded` requires contexts."""
        if self.form not in get_args(Written):
            raise ConfigurationError(f"accuracy: form is one of {', '.join(get_args(Written))}, not {self.form!r}")
        if self.grounded:
            # the needs depend on a setting, so an instance attribute hides the class's
            object.__setattr__(self, "needs", (*self.needs, "contexts"))

    @property
    def name(self) -> str:
        """`accuracy`, `accuracy[grounded]` or `accuracy[grounded,form=marker]`."""
        settings = {"grounded": True} if self.grounded else {}
        return write_name(self.title, settings | ({"form": self.form} if self.form != "json" else {}))

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """Return the verdict as 1 or 0."""
        if not (sample.answer or "").strip():
            return Score(0.0, reason="the answer is empty")
        decision = await judge.perform(self.task(sample))
        return Score(
            float(decision.correct),
            reason=decision.explanation,
            details=decision.model_dump(mode="json", include={"correct", "p"}, exclude_none=True),
        )

    def task(self, sample: Sample) -> DecideCorrect:
        """Return the judge's task for this sample."""
        contexts = (sample.contexts or ()) if self.grounded else None
        return DecideCorrect(
            sample.question,
            sample.answer or "",
            sample.references,
            contexts,
            self.form,
            language=sample.language,
        )
