"""Direct: the judge's grade of the answer as a whole, in a single call and without a reference.

3 is acceptable, 0 unacceptable, with the rubric of long answers; the paper calls it OA.
Source: the paper on long-form question answering and LLM-MATE.
"""

from dataclasses import dataclass
from functools import cached_property

from saiten.errors import ConfigurationError
from saiten.metrics.judged.aspects import Given, RubricMetric, rating_task, score_of
from saiten.metrics.rubrics import Aspect
from saiten.protocols import Judge
from saiten.records import Sample, Score


@dataclass(frozen=True)
class Direct(RubricMetric):
    """The grade on the rubric's overall aspect, the mean over a panel's votes.

    Shares its call with `aspects[acceptability]`. A blank answer gets the worst grade without a call, since a system
    that answers nothing must not be excluded from its own mean.
    """

    title = "direct"
    bounds = (0.0, 3.0)

    rubric: str = ""
    """A TOML file with an overall aspect; empty: the four aspects of long answers."""
    given: Given = "nothing"
    """What the judge checks facts against: nothing but what it knows, the `contexts`, or the `reference`."""

    def __post_init__(self) -> None:
        """Read the rubric now, not at the first sample; its overall aspect determines scale and direction."""
        super().__post_init__()
        self.declare(bounds=self.overall.bounds, higher_is_better=self.overall.higher_is_better)

    @cached_property
    def overall(self) -> Aspect:
        """The aspect that is rated."""
        if self.read.overall is None:
            raise ConfigurationError(
                f"direct: {self.rubric} has no overall aspect; add a line such as "
                f'overall = "{self.read.names[-1]}" at its top'
            )
        return self.read.aspect(self.read.overall)

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if not (sample.answer or "").strip():
            worst = self.overall.worst
            details = {"aspect": self.overall.name, "grade": worst, "best": self.overall.best}
            return Score(float(worst), reason="the answer is empty", details=details)
        if nothing := self.nothing_given(sample):
            return nothing
        rating = await judge.perform(rating_task(self.overall, sample, self.given))
        return score_of(self.overall, rating)
