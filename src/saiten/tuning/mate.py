"""Learning the weights of aspects from people's grades: least squares on deductions, held out by question.

    y = acceptability - 3        y ≈ w · f,  f the deductions (`metrics/rubrics/weights.py`)

Fitted to 80 % of the questions and tested on the other 20 %, never splitting a question (spec 06). In general any
aspects are possible, an intercept, or the grades themselves instead of deductions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from saiten.errors import BadInput
from saiten.metrics.rubrics import Rubric, is_name
from saiten.metrics.rubrics.weights import AspectWeight, Features, Learned, Weights, weight_of
from saiten.stats.clusters import Floats
from saiten.stats.correlation import pearson
from saiten.stats.estimate import Estimate, bootstrap_statistic
from saiten.stats.regression import LinearFit, least_squares
from saiten.tuning.rated import Rated
from saiten.tuning.splitting import digest, held_out_questions
from saiten.words import Message

_LARGEST = 1e9
"""Larger grades are on no scale."""

_DIGITS = 12
"""Significant digits of stored figures."""


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """Weights with their reliability."""

    weights: Weights
    fit: LinearFit
    """Includes intervals and warnings."""
    held_out: Estimate
    """Correlation between the score and people on held-out questions."""
    rated: Rated
    notes: tuple[str | Message, ...]
    """Notes for the user."""


def learn_weights(
    rated: Rated,
    rubric: Rubric | None,
    *,
    intercept: bool = False,
    resamples: int = 1_000,
    seed: int = 0,
) -> LearnedWeights:
    """Learn the weights of the aspects, independent of the order of answers.

    Args:
        rated: the answers with their grades.
        rubric: the scales that turn grades into deductions; None uses the grades themselves.
        intercept: whether to add a constant to every score.
        resamples: bootstrap rounds for the intervals.
        seed: seed of the split and of the bootstrap.

    Raises:
        BadInput: too few questions, a grade off the scale, an aspect that does not vary, or collinear aspects.
    """
    blank = _blank(rated, rubric)
    columns = _columns(rated, blank, rubric)
    y = np.array(rated.targets) - blank.best
    apart = held_out_questions(rated.questions, seed)
    held = np.array([question in apart for question in rated.questions])
    inside, outside = np.flatnonzero(~held), np.flatnonzero(held)
    questions = np.array(rated.questions, dtype=object)
    _check_spread(rated, [column[inside] for column in columns], y[inside])
    fit = least_squares(
        [column[inside] for column in columns],
        y[inside],
        list(questions[inside]),
        names=rated.aspects,
        intercept=intercept,
        resamples=resamples,
        seed=seed,
    )
    if fit.reason is not None:
        raise BadInput(
            f"no weights can be learned from these grades: {fit.reason}; leave one out, or grade more answers"
        )
    predicted = fit.predict([column[outside] for column in columns])
    measured = bootstrap_statistic(
        pearson, predicted, y[outside], list(questions[outside]), resamples=resamples, seed=seed
    )
    learned = Learned(
        _fingerprint(rated, rubric, intercept=intercept, seed=seed),
        len(inside),
        fit.clusters,
        len(outside),
        len(set(questions[outside])),
        _short(measured.value),
        _short(measured.low),
        _short(measured.high),
        seed,
        rubric.digest if rubric else None,
        rated.source,
    )
    constant = fit.intercept or Estimate(0.0, fit.n)
    weights = replace(
        blank,
        aspects=tuple(_with(one, found) for one, found in zip(blank.aspects, fit.weights, strict=True)),
        intercept=_short(constant.value) or 0.0,
        intercept_low=_short(constant.low),
        intercept_high=_short(constant.high),
        learned=learned,
    )
    return LearnedWeights(weights, fit, measured, rated, tuple(_notes(fit, weights, rated)))


def _blank(rated: Rated, rubric: Rubric | None) -> Weights:
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


def _columns(rated: Rated, weights: Weights, rubric: Rubric | None) -> list[Floats]:
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


def _check_spread(rated: Rated, columns: Sequence[Floats], y: Floats) -> None:
    for name, values in zip((*rated.aspects, rated.target), (*columns, y), strict=True):
        if len(values) and float(np.ptp(values)) <= 1e-12 * float(np.abs(values).max()):
            raise BadInput(
                f"all {len(values)} answers in the training data have the same grade of {name!r}, so nothing can be "
                "learned about it; leave it out with --aspect, or grade answers that differ"
            )


def _with(one: AspectWeight, found: Estimate) -> AspectWeight:
    return replace(one, weight=_short(found.value) or 0.0, low=_short(found.low), high=_short(found.high))


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{_DIGITS}g}") + 0.0  # no -0.0


def _fingerprint(rated: Rated, rubric: Rubric | None, *, intercept: bool, seed: int) -> str:
    lines = [repr((rated.target, rated.aspects, rated.source, rubric.digest if rubric else None, intercept, seed))]
    lines += [repr(row) for row in zip(rated.items, rated.questions, rated.grades, rated.targets, strict=True)]
    return digest("\n".join(lines))[:12]


def _notes(fit: LinearFit, weights: Weights, rated: Rated) -> list[str | Message]:
    notes: list[str | Message] = [f"left out {n} answers: {reason}" for reason, n in rated.left_out.items()]
    if weights.features == "deductions":
        notes += [
            f"the weight of {one.name} is negative: the more is deducted there, the better people found the answer; "
            "look at its interval before you use it"
            for one in weights.aspects
            if one.weight < 0
        ]
    notes += [note for note in dict.fromkeys(each.note for each in fit.weights) if note]
    return notes
