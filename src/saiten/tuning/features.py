"""The quantities that the weights of aspects multiply, with checks of the grades that they are made from."""

from collections.abc import Sequence

import numpy as np

from saiten.errors import BadInput
from saiten.metrics.rubrics import Rubric, is_name
from saiten.metrics.rubrics.weights import AspectWeight, Features, Weights, weight_of
from saiten.stats.clusters import Floats
from saiten.tuning.grades import Rated

_LARGEST = 1e9
"""Larger grades are on no scale."""


def blank_weights(rated: Rated, rubric: Rubric | None) -> Weights:
    """Return the weights, all 0; raises BadInput if the rubric lacks an aspect."""
    features: Features = "values" if rubric is None else "deductions"
    if rubric is None:
        if strange := [name for name in (rated.target, *rated.aspects) if not is_name(name)]:
            raise BadInput(
                f"a file of weights cannot have an aspect {strange[0]!r}; rename it, using only letters, digits and _"
            )
        return Weights(rated.target, 0.0, features, tuple(AspectWeight(name, 0.0) for name in rated.aspects))
    unknown = [name for name in (rated.target, *rated.aspects) if name not in rubric.names]
    if unknown:
        raise BadInput(
            f"the rubric {rubric.name!r} has no aspect {unknown[0]!r} (it has {', '.join(rubric.names)}), so its best "
            "grade is unknown; name a rubric that has it with --rubric, or use the grades as they are with --values"
        )
    aspects = tuple(weight_of(rubric.aspect(name), 0.0) for name in rated.aspects)
    return Weights(rated.target, float(rubric.aspect(rated.target).best), features, aspects)


def columns_of(rated: Rated, weights: Weights, rubric: Rubric | None) -> list[Floats]:
    """Return the quantities to weight, one column per aspect; raises BadInput for a grade off the rubric's scale."""
    for item, by_aspect, target in zip(rated.items, rated.grades, rated.targets, strict=True):
        for name, grades in zip((*rated.aspects, rated.target), (*by_aspect, (target,)), strict=True):
            if rubric is not None:
                _check_scale(item, name, grades, rubric)
            elif any(abs(grade) > _LARGEST for grade in grades):
                raise BadInput(f"{item!r} has a grade beyond {_LARGEST:g}; is this the right column?")
    return [
        np.array([weights.feature(aspect, by_aspect[at]) for by_aspect in rated.grades])
        for at, aspect in enumerate(weights.aspects)
    ]


def _check_scale(item: str, name: str, grades: Sequence[float], rubric: Rubric) -> None:
    low, high = rubric.aspect(name).bounds
    for grade in grades:
        if not low <= grade <= high:
            raise BadInput(
                f"the grade of {name!r} for {item!r} is {grade:g}; the scale of the rubric {rubric.name!r} is {low:g} "
                f"to {high:g}. Name the rubric that was used (--rubric), or use the grades as they are (--values)"
            )


def check_spread(rated: Rated, columns: Sequence[Floats], y: Floats) -> None:
    """Raise BadInput if an aspect, or the target, does not vary."""
    for name, values in zip((*rated.aspects, rated.target), (*columns, y), strict=True):
        if len(values) and float(np.ptp(values)) <= 1e-12 * float(np.abs(values).max()):
            raise BadInput(
                f"all {len(values)} answers in the training data have the same grade of {name!r}, so nothing can be "
                "learned about it; leave it out with --aspect, or grade answers that differ"
            )
