"""Calibrating the offline judge with a user's own labels: 20 to 50 of them correct most of its threshold's drift."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple, get_args

import numpy as np

from saiten.errors import BadInput, CannotJudge
from saiten.judges.offline import Aspect, Calibration, CalibrationFigure, OfflineJudge
from saiten.judges.offline.calibration import Measure, log_odds
from saiten.records import Label, Sample
from saiten.stats.classification import balanced_accuracy
from saiten.stats.estimate import bootstrap_mean, bootstrap_statistic
from saiten.tasks.correctness import DecideCorrect
from saiten.tasks.statements import SplitStatements, VerifyStatements
from saiten.text.refusals import is_refusal
from saiten.trust.inputs.declining import graded
from saiten.tuning.splitting import digest

FEWEST = 20
"""Minimum number of labeled samples."""

FEWEST_OF_A_KIND = 3
"""Minimum number of samples labeled yes, and labeled no, for a threshold."""

_MEASURES: tuple[Measure, Measure] = get_args(Measure)
_ONE_OUT = 100
"""Up to this many samples, leave one out; beyond, use 20 folds."""
_STEPS = 100
"""Newton steps; a handful is enough."""


class FittedLine(NamedTuple):
    """y = intercept + slope · x."""

    intercept: float
    slope: float

    def at(self, x: float) -> float:
        """Return the line's value."""
        return self.intercept + self.slope * x


class LabelledPoint(NamedTuple):
    """A labeled item."""

    item: str
    x: float
    label: float
    question: str
    """Items of one question are resampled together."""


Fit = Callable[[Sequence[LabelledPoint]], FittedLine]


async def calibrate_offline(
    samples: Iterable[Sample], labels: Sequence[Label], aspect: Aspect, judge: OfflineJudge | None = None
) -> Calibration:
    """Calibrate one aspect with labeled samples.

    - `support` (labels 0 or 1: do the contexts support the whole answer?): the weakest statement's probability.
    - `correct` (labels 0 or 1): the probability that the answer is correct given its references.
    - `grade` (labels 0 to 5; 0, and answers that decline, are left out): the same probability, fitted to the grade.

    Several labels of a sample are averaged (a tie of verdicts is a no). Labels of other aspects are ignored, unless all
    labels have the same aspect: then that one is used.

    Raises:
        BadInput: labels of unknown samples or out of range, a sample that lacks what the aspect needs, too few labels
            or labels of one kind only.
    """
    values = _values(labels, aspect)
    found = {sample.id: sample for sample in samples if sample.id in values}
    unknown = [item for item in values if item not in found]
    if unknown:
        raise BadInput(
            f"{len(unknown)} of {len(values)} labels belong to no sample, for example {unknown[0]!r}; "
            "the labels' item must be the id of a sample"
        )
    plain = OfflineJudge(constants=(judge or OfflineJudge()).constants)
    points = []
    for item, value in values.items():
        p = await _probability(found[item], aspect, plain)
        if p is not None and not (aspect == "grade" and value == 0):
            points.append(LabelledPoint(item, p, value, found[item].question or item))
    return calibrate(points, aspect, plain.constants.digest)


def calibrate(points: Sequence[LabelledPoint], aspect: Aspect, constants: str) -> Calibration:
    """Calibrate with the judge's own probabilities (`x`) and the labels; `constants` is the digest of its constants.

    Verdicts: a line in log-odds with both labels weighted equally (Platt's, balanced), whose zero is the threshold.
    Grades: a straight line by least squares. `before` and `after` are measured on the same samples, `after` by
    cross-validation (leave-one-out, or 20 folds beyond 100 samples); their intervals resample questions.

    Raises:
        BadInput: too few labels, labels of one kind only, or labels that do not rise with the probability.
    """
    if len(points) < FEWEST:
        raise BadInput(
            f"{len(points)} usable labeled samples; a calibration of {aspect!r} needs {FEWEST} (better 50); "
            "label some more"
        )
    fit: Fit
    if aspect == "grade":
        used, before = points, [1 + 4 * point.x for point in points]
        fit, measure, figure = fit_grades, _MEASURES[1], _error
    else:
        _check_kinds(points)
        used = [point._replace(x=log_odds(point.x)) for point in points]
        before = [point.x for point in used]
        fit, measure, figure = fit_log_odds, _MEASURES[0], _balanced_accuracy
    line = fit(used)
    after = cross_validated(used, fit, len(used) if len(used) <= _ONE_OUT else 20)
    if line.slope <= 0:
        raise BadInput(
            f"the labels of {aspect!r} do not rise with the judge's probability, so no line through it can help; "
            "use an LLM judge, and check that the labels are the right way round (1 is good)"
        )
    return Calibration(
        aspect, len(points), *line, _fingerprint(points), constants, measure, figure(used, before), figure(used, after)
    )


def _check_kinds(points: Sequence[LabelledPoint]) -> None:
    yes = sum(point.label == 1 for point in points)
    no = len(points) - yes
    if min(yes, no) < FEWEST_OF_A_KIND:
        raise BadInput(
            f"{yes} samples are labeled yes (1) and {no} no (0); a threshold needs at least {FEWEST_OF_A_KIND} of "
            "each. Label answers that you expect to be of the rarer kind"
        )


def _values(labels: Sequence[Label], aspect: Aspect) -> Mapping[str, float]:
    """Return each item's label, averaged over annotators."""
    aspects = sorted({label.aspect for label in labels})
    chosen = [label for label in labels if label.aspect == aspect] or (list(labels) if len(aspects) == 1 else [])
    if not chosen:
        there = f"there are labels of {', '.join(map(repr, aspects))}" if aspects else "there are none at all"
        raise BadInput(f"expected labels of {aspect!r}, but {there}; choose some with --label-aspect")
    grades = aspect == "grade"
    for label in chosen:
        if not (0 <= label.value <= 5 if grades else label.value in {0, 1}):
            expected = "a grade from 0 to 5" if grades else "0 (no) or 1 (yes)"
            raise BadInput(f"the label of {label.item!r} is {label.value}, but {aspect!r} expects {expected}")
    if grades and any(label.value for label in chosen):
        chosen = list(graded(aspect, chosen, (), "declined").labels)
    said: dict[str, list[float]] = {}
    for label in chosen:
        said.setdefault(label.item, []).append(label.value)
    return {item: fmean(each) if grades else float(fmean(each) > 0.5) for item, each in said.items()}


async def _probability(sample: Sample, aspect: Aspect, judge: OfflineJudge) -> float | None:
    """Return the judge's probability for the sample; None if it gives none."""
    lacking = "an answer" if sample.answer is None else ""
    if aspect == "support" and sample.contexts is None:
        lacking = "contexts"
    if aspect != "support" and not sample.references:
        lacking = "a reference"
    if sample.answer is None or lacking:
        raise BadInput(f"sample {sample.id!r} has a label of {aspect!r}, but lacks {lacking}")
    if aspect == "support":
        split = await judge.perform(SplitStatements(sample.question, sample.answer, language=sample.language))
        task = VerifyStatements(tuple(split.statements), sample.contexts or (), language=sample.language)
        found = [verdict.p for verdict in (await judge.perform(task)).verdicts if verdict.p is not None]
        return min(found, default=None)
    if aspect == "grade" and is_refusal(sample.answer, sample.language):
        return None
    try:
        decide = DecideCorrect(sample.question, sample.answer, sample.references, language=sample.language)
        return (await judge.perform(decide)).p
    except CannotJudge:
        return None


def _fingerprint(points: Sequence[LabelledPoint]) -> str:
    return digest("\n".join(sorted(f"{point.item}\t{point.x!r}\t{point.label!r}" for point in points)))[:12]


def _balanced_accuracy(points: Sequence[LabelledPoint], values: Sequence[float]) -> CalibrationFigure:
    labels, decisions = [point.label for point in points], [float(value >= 0) for value in values]
    found = bootstrap_statistic(balanced_accuracy, labels, decisions, [point.question for point in points])
    return CalibrationFigure(found.value, found.low, found.high)


def _error(points: Sequence[LabelledPoint], values: Sequence[float]) -> CalibrationFigure:
    """Return the mean absolute error, with figures clipped to 1 to 5."""
    errors = [abs(min(5.0, max(1.0, value)) - point.label) for point, value in zip(points, values, strict=True)]
    found = bootstrap_mean(errors, [point.question for point in points])
    return CalibrationFigure(found.value, found.low, found.high)


def fit_log_odds(points: Sequence[LabelledPoint]) -> FittedLine:
    """Fit a logistic regression of the label (0 or 1, both present) on x, with both kinds weighted equally.

    A ridge of 1 pulls it towards the line that changes nothing (intercept 0, slope 1), so that few labels change
    little. Its zero is the threshold. On all sets tried, 20 labels gave a better balanced accuracy this way than by
    choosing the best threshold on the labels, which follows their noise. The slope may be 0 or less.
    """
    x = np.array([point.x for point in points])
    y = np.array([point.label for point in points])
    weight = np.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    design = np.column_stack([np.ones_like(x), x])
    unchanged = beta = np.array([0.0, 1.0])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (weight * (y - p)) - (beta - unchanged)
        curvature = (design * (weight * p * (1 - p))[:, None]).T @ design + np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        beta = beta + np.clip(step, -2, 2)
        if float(np.abs(step).max()) < 1e-9:
            break
    return FittedLine(float(beta[0]), float(beta[1]))


def fit_grades(points: Sequence[LabelledPoint]) -> FittedLine:
    """Fit the grade on x by least squares; a level line if x does not rise with the grade, or is constant."""
    x = [point.x for point in points]
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(point.label for point in points) / len(x)
    spread = math.fsum((each - mean_x) ** 2 for each in x)
    together = math.fsum((point.x - mean_x) * (point.label - mean_y) for point in points)
    slope = max(0.0, together / spread) if spread > 1e-12 else 0.0
    return FittedLine(mean_y - slope * mean_x, slope)


def cross_validated(points: Sequence[LabelledPoint], fit: Fit, folds: int) -> list[float]:
    """Return for each point the value of a line fitted without its fold.

    Folds are balanced over the labels and made from the items' digests, so they do not depend on the order.
    """
    ranked = sorted(range(len(points)), key=lambda at: (points[at].label, digest(points[at].item)))
    fold = {at: place % folds for place, at in enumerate(ranked)}
    lines = [fit([point for at, point in enumerate(points) if fold[at] != each]) for each in range(folds)]
    return [lines[fold[at]].at(point.x) for at, point in enumerate(points)]
