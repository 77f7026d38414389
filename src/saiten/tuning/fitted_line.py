"""Lines through labeled items: a logistic one for verdicts, a straight one for grades."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from saiten.tuning.splitting import digest


class FittedLine(NamedTuple):
    """y = intercept + slope · x."""

    intercept: float
    slope: float

    def at(self, x: float) -> float:
        """Return the line's value."""
        return self.intercept + self.slope * x


class LabeledPoint(NamedTuple):
    """A labeled item."""

    item: str
    x: float
    label: float
    question: str
    """Items of one question are resampled together."""


Fit = Callable[[Sequence[LabeledPoint]], FittedLine]


def fit_log_odds(points: Sequence[LabeledPoint]) -> FittedLine:
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
    for _ in range(100):  # Newton steps; a handful is enough
        p = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (weight * (y - p)) - (beta - unchanged)
        curvature = (design * (weight * p * (1 - p))[:, None]).T @ design + np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        beta = beta + np.clip(step, -2, 2)
        if float(np.abs(step).max()) < 1e-9:
            break
    return FittedLine(float(beta[0]), float(beta[1]))


def fit_grades(points: Sequence[LabeledPoint]) -> FittedLine:
    """Fit the grade on x by least squares; a level line if x does not rise with the grade, or is constant."""
    x = [point.x for point in points]
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(point.label for point in points) / len(x)
    spread = math.fsum((each - mean_x) ** 2 for each in x)
    together = math.fsum((point.x - mean_x) * (point.label - mean_y) for point in points)
    slope = max(0.0, together / spread) if spread > 1e-12 else 0.0
    return FittedLine(mean_y - slope * mean_x, slope)


def cross_validated(points: Sequence[LabeledPoint], fit: Fit, folds: int) -> list[float]:
    """Return for each point the value of a line fitted without its fold.

    Folds are balanced over the labels and made from the items' digests, so they do not depend on the order.
    """
    ranked = sorted(range(len(points)), key=lambda at: (points[at].label, digest(points[at].item)))
    fold = {at: place % folds for place, at in enumerate(ranked)}
    lines = [fit([point for at, point in enumerate(points) if fold[at] != each]) for each in range(folds)]
    return [lines[fold[at]].at(point.x) for at, point in enumerate(points)]
