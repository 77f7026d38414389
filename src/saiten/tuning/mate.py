"""Learning the weights of aspects from people's grades: least squares on deductions, held out by question.

    y = acceptability - 3        y ≈ w · f,  f the deductions (`metrics/rubrics/weights.py`)

Fitted to 80 % of the questions and tested on the other 20 %, never splitting a question (spec 06). In general any
aspects are possible, an intercept, or the grades themselves instead of deductions.
"""

from dataclasses import dataclass, replace

import numpy as np

from saiten.errors import BadInput
from saiten.metrics.rubrics import Rubric
from saiten.metrics.rubrics.weights import Learned, Weights
from saiten.stats.correlation import pearson
from saiten.stats.estimate import Estimate, bootstrap_statistic
from saiten.stats.regression import LinearFit, least_squares
from saiten.tuning.features import blank_weights, check_spread, columns_of
from saiten.tuning.grades import Rated
from saiten.tuning.splitting import digest, held_out_questions
from saiten.words import Message


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
    blank = blank_weights(rated, rubric)
    columns = columns_of(rated, blank, rubric)
    y = np.array(rated.targets) - blank.best
    apart = held_out_questions(rated.questions, seed)
    held = np.array([question in apart for question in rated.questions])
    inside, outside = np.flatnonzero(~held), np.flatnonzero(held)
    questions = np.array(rated.questions, dtype=object)
    check_spread(rated, [column[inside] for column in columns], y[inside])
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
        aspects=tuple(
            replace(one, weight=_short(found.value) or 0.0, low=_short(found.low), high=_short(found.high))
            for one, found in zip(blank.aspects, fit.weights, strict=True)
        ),
        intercept=_short(constant.value) or 0.0,
        intercept_low=_short(constant.low),
        intercept_high=_short(constant.high),
        learned=learned,
    )
    return LearnedWeights(weights, fit, measured, rated, tuple(_notes(fit, weights, rated)))


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.12g}") + 0.0  # no -0.0


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
