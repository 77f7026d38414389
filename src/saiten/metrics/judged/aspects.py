"""Aspects: the judge's grade of the answer on one aspect of a rubric, in a call of its own and without a reference.

The scale and its best grade are the rubric's: 0 is best for formality and amount_info (-1 to 1), 3 for factuality and
acceptability (0 to 3).
Source: the paper on long-form question answering and LLM-MATE.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from saiten.errors import ConfigurationError
from saiten.metrics.base import BaseMetric
from saiten.metrics.naming import read_name, write_name
from saiten.metrics.rubrics import Aspect, Rubric, read_rubric
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.aspects import RateAspect, Rating


@dataclass(frozen=True)
class Aspects(BaseMetric):
    """The grade on one aspect, the mean over a panel's votes; `aspects` alone stands for all aspects of the rubric.

    A blank answer is undefined without a call: there is nothing to rate.
    """

    title = "aspects"
    needs = ("question", "answer")
    tasks = (RateAspect,)
    bounds = (-1.0, 3.0)
    higher_is_better = None
    main: ClassVar[str] = "aspect"
    """The setting that stands in the brackets without its name."""

    aspect: str = ""
    """One of the rubric's; empty: its first."""
    rubric: str = ""
    """A TOML file; empty: the four aspects of long answers."""

    def __post_init__(self) -> None:
        """Read the rubric now rather than at the first sample; the aspect decides about scale and direction."""
        if not self.aspect:
            object.__setattr__(self, "aspect", self.read.names[0])
        asked = aspect_of(self.read, self.aspect, "aspects")
        # The instance's own hide the class's.
        object.__setattr__(self, "bounds", asked.bounds)
        object.__setattr__(self, "higher_is_better", asked.higher_is_better)

    @cached_property
    def read(self) -> Rubric:
        """The rubric."""
        return read_rubric(self.rubric)

    @property
    def parts(self) -> tuple[str, ...]:
        """What the bare name stands for."""
        return self.read.names

    @property
    def name(self) -> str:
        """`aspects[factuality]`, or `aspects[clarity,rubric=file.toml]`."""
        return write_name(self.title, {"rubric": self.rubric} if self.rubric else {}, main=self.aspect)

    def describe(self) -> Mapping[str, str]:
        """The rubric and its digest."""
        return described(self.read)

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """The grade."""
        if not (sample.answer or "").strip():
            return Score.undefined("the answer is empty")
        asked = self.read.aspect(self.aspect)
        rating = await judge.perform(rating_task(asked, sample))
        return score_of(asked, rating)


def aspect_of(rubric: Rubric, name: str, metric: str) -> Aspect:
    """The aspect; raises ConfigurationError with those that there are."""
    if name not in rubric.names:
        raise ConfigurationError(
            f"{metric}: the rubric {rubric.name!r} has no aspect {name!r}; it has {', '.join(rubric.names)}"
        )
    return rubric.aspect(name)


def described(rubric: Rubric) -> Mapping[str, str]:
    """What a figure depends on beside the judge."""
    return {"rubric": f"{rubric.name}:{rubric.digest}"}


def rating_task(aspect: Aspect, sample: Sample) -> RateAspect:
    """The task; equal for every metric that asks for this aspect, so that it is performed once."""
    worded = aspect.worded(sample.language)
    return RateAspect(
        aspect.name,
        worded.asks,
        worded.grades,
        sample.question,
        sample.answer or "",
        aspect.values,
        () if worded.example is None else (worded.example,),
        language=sample.language,
    )


def score_of(aspect: Aspect, rating: Rating) -> Score:
    """The mean over the votes; where they are split around the best grade, the reason says so."""
    details = details_of(aspect, rating)
    reason = rating.reason
    if details["grade"] is None:
        votes = ", ".join(f"{vote:g}" for vote in rating.given)
        reason = f"the votes ({votes}) are split around the best grade, {aspect.best}; one of them: {reason}"
    return Score(rating.value, reason=reason, details=details)


def details_of(aspect: Aspect, rating: Rating) -> Mapping[str, Any]:
    """What is kept of a rating: enough for tables that have no rubric at hand.

    `grade` is the one that the votes come to, None where they are split evenly around the best grade.
    """
    grade = aspect.counted(rating.given) if rating.given else rating.grade
    votes = {"given": list(rating.given)} if rating.given else {}
    exact = {} if rating.exact is None else {"exact": rating.exact}
    return {"aspect": aspect.name, "grade": grade, "best": aspect.best, **exact, **votes}


def aspect_of_metric(metric: str) -> str | None:
    """`factuality` of `aspects[factuality,rubric=…]`; None for another metric."""
    try:
        title, items = read_name(metric)
    except ConfigurationError:
        return None
    return next((item.value for item in items if item.key in {None, "aspect"}), None) if title == "aspects" else None
