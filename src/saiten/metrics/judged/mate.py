"""MATE: acceptability composed from the judge's grades of single aspects, with weights learned from people's labels.

3 is best; every aspect that is not at its best is a deduction. The worst possible answer gets -0.122 with the published
weights: the sum is not clipped to the scale of 0 to 3.
Source: the paper on long-form question answering and LLM-MATE, whose equation (1) is garbled in print;
`rubrics/weights.py` has the correct one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import fsum

from saiten.metrics.base import perform_all
from saiten.metrics.judged.aspects import NO_GRADE, Given, RubricMetric, details_of, rating_task
from saiten.metrics.rubrics.weights import AspectWeight, Weights, read_weights
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.aspects import Rating


@dataclass(frozen=True)
class Mate(RubricMetric):
    """w · f + 3, one call per aspect, shared with `aspects`.

    With several votes their deductions are averaged, not their grades. A blank answer gets the worst possible score
    without a call. Undefined if the judge gives no grade on some aspect, since there is nothing to grade.
    """

    title = "mate"
    bounds = (-0.122, 3.0)

    weights: str = ""
    """A TOML file written by `saiten tune mate`; empty: the published weights."""
    rubric: str = ""
    """A TOML file; empty: the four aspects of long answers."""
    given: Given = "nothing"
    """What the judge checks facts against: nothing but what it knows, the `contexts`, or the `reference`."""

    def __post_init__(self) -> None:
        """Read the files at once rather than at the first sample, and check that they match."""
        super().__post_init__()
        self.weighing.check(self.read, self.name)
        self.declare(bounds=self.weighing.bounds(self.read))

    @cached_property
    def weighing(self) -> Weights:
        return read_weights(self.weights)

    def describe(self) -> Mapping[str, str]:
        """Return the rubric, and the weights with the fingerprint of their training data."""
        learned = f":{self.weighing.learned.fingerprint}" if self.weighing.learned else ""
        weights = f"{self.weighing.digest}{learned}" if self.weights else f"published:{self.weighing.digest}"
        return {**super().describe(), "weights": weights}

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if not (sample.answer or "").strip():
            return Score(self.bounds[0], reason="the answer is empty")
        if nothing := self.nothing_given(sample):
            return nothing
        aspects = [self.read.aspect(name) for name in self.weighing.names]
        ratings = await perform_all(judge, [rating_task(aspect, sample, self.given) for aspect in aspects])
        for aspect, rating in zip(aspects, ratings, strict=True):
            if rating.ungraded:
                return Score.undefined(f"{aspect.name}: {NO_GRADE}", aspect=aspect.name, said=rating.reason)
        rated = dict(zip(self.weighing.names, ratings, strict=True))
        grades = {name: rating.grades for name, rating in rated.items()}
        ratings_kept = {
            aspect.name: {**details_of(aspect, rating), "reason": rating.reason}
            for aspect, rating in zip(aspects, ratings, strict=True)
        }
        summands = parts(self.weighing, rated)
        costs = [f"{name} {part:+.3f}" for name, part in sorted(summands.items(), key=lambda pair: pair[1]) if part]
        return Score(
            self.weighing.score(grades),
            reason=", ".join(costs) or "no deduction",
            details={"ratings": ratings_kept, "parts": summands},
            expected=expected_score(self.weighing, rated),
        )


def parts(weights: Weights, rated: Mapping[str, Rating]) -> dict[str, float]:
    """Return each aspect's contribution to the score."""
    return {
        aspect.name: aspect.weight * weights.feature(aspect, rated[aspect.name].grades) for aspect in weights.aspects
    }


def expected_score(weights: Weights, rated: Mapping[str, Rating]) -> float | None:
    """Return the expectation of the score by the probabilities of each aspect's grades; None if none has any.

    Of an aspect without probabilities, its grades count.
    """
    if all(rating.expected is None for rating in rated.values()):
        return None
    each = [aspect.weight * _expected_feature(weights, aspect, rated[aspect.name]) for aspect in weights.aspects]
    return fsum([weights.best, weights.intercept, *each])


def _expected_feature(weights: Weights, aspect: AspectWeight, rating: Rating) -> float:
    if not rating.probabilities:
        return weights.feature(aspect, rating.grades)
    total = fsum(rating.probabilities.values())
    return fsum(p * weights.feature(aspect, [grade]) for grade, p in rating.probabilities.items()) / total
