"""Aspects: the judge's grade of the answer on one aspect of a rubric, in a separate call.

By default the judge is shown neither contexts nor reference. The scale and its best grade come from the rubric: 0 is
best for formality and amount_info (-1 to 1), 3 for factuality and acceptability (0 to 3).
Source: the paper on long-form question answering and LLM-MATE.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from saiten.errors import ConfigurationError
from saiten.metrics.base import BaseMetric
from saiten.metrics.naming import settings_of
from saiten.metrics.rubrics import Aspect, Rubric, read_rubric
from saiten.protocols import Judge, Need
from saiten.records import Sample, Score
from saiten.tasks.aspects import RateAspect, Rating

NO_GRADE = "the judge found nothing to grade"
"""The reason for a score without a grade; one text for all samples, so that tables can count it."""

Given = Literal["nothing", "contexts", "reference"]
"""What the judge is shown besides question and answer."""


class RatingMetric(BaseMetric):
    """A metric that rates answers; subclasses declare the setting `given`, whose place decides that in the name."""

    needs = ("question", "answer")
    tasks = (RateAspect,)
    given: Given

    def __post_init__(self) -> None:
        """Refuse an unknown `given`, and require the field that it names."""
        super().__post_init__()
        if self.given != "nothing":
            self.declare(needs=(*self.needs, self.given))

    def nothing_given(self, sample: Sample) -> Score | None:
        """Return the undefined score if the judge is to be shown something that is blank, else None."""
        material: dict[Given, tuple[Need, tuple[str, ...]]] = {
            "contexts": ("contexts", sample.contexts or ()),
            "reference": ("reference", (sample.reference or "",)),
        }
        name, texts = material.get(self.given, (None, ()))
        if name is None or any(text.strip() for text in texts):
            return None
        return Score.undefined("there is no context" if name == "contexts" else f"the {name} is empty")

    async def rated(self, aspect: Aspect, sample: Sample, judge: Judge) -> Score:
        """Return the grade on an aspect; undefined without a call if the answer, or what is given, is blank."""
        if not (sample.answer or "").strip():
            return Score.undefined("the answer is empty")
        if nothing := self.nothing_given(sample):
            return nothing
        return score_of(aspect, await judge.perform(rating_task(aspect, sample, self.given)))


class RubricMetric(RatingMetric):
    """A metric by a rubric; subclasses also declare the setting `rubric`."""

    rubric: str

    @cached_property
    def read(self) -> Rubric:
        return read_rubric(self.rubric)

    def describe(self) -> Mapping[str, str]:
        return {"rubric": f"{self.read.name}:{self.read.digest}"}


@dataclass(frozen=True)
class Aspects(RubricMetric):
    """The grade on one aspect, the mean over a panel's votes; `aspects` alone means all aspects of the rubric.

    A blank answer is undefined without a call: there is nothing to rate.
    """

    title = "aspects"
    bounds = (-1.0, 3.0)
    higher_is_better = None
    main = "aspect"

    aspect: str = ""
    """An aspect of the rubric; empty: its first."""
    rubric: str = ""
    """A TOML file; empty: the four aspects of long answers."""
    given: Given = "nothing"
    """What the judge checks facts against: nothing but what it knows, the `contexts`, or the `reference`."""

    def __post_init__(self) -> None:
        """Read the rubric at once rather than at the first sample; the aspect determines scale and direction."""
        super().__post_init__()
        if not self.aspect:
            self.declare(aspect=self.read.names[0])
        rubric = self.read
        if self.aspect not in rubric.names:
            listed = ", ".join(rubric.names)
            raise ConfigurationError(
                f"aspects: the rubric {rubric.name!r} has no aspect {self.aspect!r}; it has {listed}"
            )
        chosen = rubric.aspect(self.aspect)
        self.declare(bounds=chosen.bounds, higher_is_better=chosen.higher_is_better)

    @property
    def parts(self) -> tuple[str, ...]:
        """The metrics that the bare name means."""
        return self.read.names

    async def score(self, sample: Sample, judge: Judge) -> Score:
        return await self.rated(self.read.aspect(self.aspect), sample, judge)


def rating_task(aspect: Aspect, sample: Sample, given: Given = "nothing") -> RateAspect:
    """Return the task, equal for all metrics that use this aspect, so that it is performed once."""
    worded = aspect.worded(sample.language)
    return RateAspect(
        aspect.name,
        worded.asks,
        f"{worded.grades}\nnull: {worded.ungraded}" if worded.ungraded else worded.grades,
        sample.question,
        sample.answer or "",
        aspect.values,
        () if worded.example is None else (worded.example,),
        sample.contexts or () if given == "contexts" else (),
        sample.reference or "" if given == "reference" else "",
        bool(worded.ungraded),
        language=sample.language,
        conversation=sample.history,
    )


def score_of(aspect: Aspect, rating: Rating) -> Score:
    """Return the mean over the votes, noting in the reason if they are split around the best grade.

    Undefined, with the judge's reason in the details, if it says that there is nothing to grade.
    """
    if rating.ungraded:
        return Score.undefined(NO_GRADE, aspect=aspect.name, said=rating.reason)
    details = details_of(aspect, rating)
    reason = rating.reason
    if details["grade"] is None:
        votes = ", ".join(f"{vote:g}" for vote in rating.given)
        one = f"; one of them: {reason}" if reason else ""
        reason = f"the votes ({votes}) are split around the best grade, {aspect.best}{one}"
    return Score(rating.value, reason=reason, details=details, expected=rating.expected)


def details_of(aspect: Aspect, rating: Rating) -> Mapping[str, Any]:
    """Return the details of a rating, enough for tables that do not have the rubric.

    `grade` is the result of the votes, None if they are split evenly around the best grade.
    """
    grade = aspect.counted(rating.given) if rating.given else rating.grade
    votes = {"given": list(rating.given)} if rating.given else {}
    exact = {} if rating.exact is None else {"exact": rating.exact}
    return {"aspect": aspect.name, "grade": grade, "best": aspect.best, **exact, **votes}


def aspect_of_metric(metric: str) -> str | None:
    """Return the aspect of the labels to compare with: `factuality` for `aspects[factuality,rubric=…]`.

    For `criterion[…]` it is the criterion as typed, or the file's name without its ending. None for another metric.
    """
    for title, main in (("aspects", "aspect"), ("criterion", "criterion")):
        found = next((item.value for item in settings_of(metric, title) or () if item.key in {None, main}), None)
        if found is not None:
            return file.stem if title == "criterion" and (file := file_in(found)) else found
    return None


def file_in(criterion: str) -> Path | None:
    """Return the file that a criterion names, by its ending (`.txt`, `.toml`, `.json`); None for one in words."""
    text = criterion.strip()
    return Path(text) if text.lower().endswith((".txt", ".toml", ".json")) and "\n" not in text else None
