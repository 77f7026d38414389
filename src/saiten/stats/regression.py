"""Least squares with intervals: a column as a weighted sum of others, with or without an intercept.

Source: solved by a QR decomposition (Golub and Van Loan 2013, *Matrix Computations*, section 5.3); the intervals
resample clusters whole (Davison and Hinkley 1997, section 6.2.4: cases are drawn, not residuals), with the percentile
interval of `estimate.py`. There are no weights if the columns do not determine them.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saiten.stats.clusters import Column, Floats, as_floats
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.words import Message

SINGULAR = 1e-9
"""Unit columns whose smallest singular value is below this times the largest do not determine weights."""

_LARGEST = 1e100
"""Beyond this, and below its inverse, squares overflow or underflow."""


@dataclass(frozen=True, slots=True)
class LinearFit:
    """One weight per column, or the reason why they are undefined."""

    weights: tuple[Estimate, ...]
    """In the order of the columns, each with its interval; empty if undefined."""
    intercept: Estimate | None
    """None without an intercept."""
    n: int
    """Number of rows."""
    clusters: int
    reason: str | None = None
    """Why there are no weights, naming the columns."""

    def predict(self, columns: Sequence[Column]) -> Floats:
        """Return the weighted sum for other rows; raise ValueError if there are no weights."""
        if self.reason is not None:
            raise ValueError(f"there are no weights: {self.reason}")
        start = (self.intercept.value or 0.0) if self.intercept else 0.0
        total = np.full(len(columns[0]), start)
        for weight, column in zip(self.weights, columns, strict=True):
            total += (weight.value or 0.0) * as_floats(column, "a column")
        return total


def least_squares(
    columns: Sequence[Column],
    y: Column,
    clusters: Sequence[Hashable],
    *,
    names: Sequence[str],
    intercept: bool = False,
    resamples: int = 1_000,
    seed: int = 0,
) -> LinearFit:
    """Compute the least-squares weights of the columns for `y`.

    Args:
        columns: one per weight, each as long as `y`; finite numbers.
        y: the column to explain.
        clusters: a label per row, for example the question.
        names: names of the columns, for the reasons.
        intercept: whether to add a constant to the sum.
        resamples: draws for the intervals.
        seed: seed of the draws.

    Raises:
        ValueError: a value is not finite, lengths differ, there is no column, or `resamples` is below 1.
    """
    draws = Resamples.of(clusters, resamples=resamples, seed=seed)
    found, target = [as_floats(column, name) for column, name in zip(columns, names, strict=True)], as_floats(y, "y")
    if not found:
        raise ValueError("there is no column to explain anything with")
    lengths = {len(target), len(clusters), *map(len, found)}
    if len(lengths) > 1:
        raise ValueError(f"columns, y and clusters must be of one length, not {sorted(lengths)}")
    n, k = len(target), draws.clusters
    ones = [np.ones(n)] if intercept else []
    design = np.column_stack([*ones, *found])
    if problem := _undetermined(design, [*(["the intercept"] if intercept else []), *names], intercept=intercept):
        return LinearFit((), None, n, k, problem)
    scale: Floats = np.sqrt((design * design).sum(axis=0))
    q, r = (np.asarray(part, dtype=np.float64) for part in np.linalg.qr(design / scale))
    whole = _back(r, scale, q.T @ target)
    estimates = [
        draws.interval(Estimate(float(weight), n, clusters=k), drawn)
        for weight, drawn in zip(whole, _resampled(q, r, scale, target, draws).T, strict=True)
    ]
    if np.linalg.norm(target - design @ whole) <= 1e-9 * max(float(np.linalg.norm(target)), 1e-300):
        note = Message("remark", "explained_exactly")
        estimates = [replace(each, low=None, high=None, note=note) for each in estimates]
    return LinearFit(tuple(estimates[len(ones) :]), estimates[0] if intercept else None, n, k)


def _resampled(q: Floats, r: Floats, scale: Floats, y: Floats, draws: Resamples) -> Floats:
    """Return the weights of every resample (resamples x weights); NaN where undetermined.

    Cross products are taken of the orthogonal columns, which are well-conditioned, and added up by cluster.
    """
    p = q.shape[1]
    products = np.column_stack(
        [q[:, i] * q[:, j] for i in range(p) for j in range(p)] + [q[:, i] * y for i in range(p)]
    )
    sums = draws.sums(products)
    gram, across = sums[:, : p * p].reshape(-1, p, p), sums[:, p * p :]
    values = np.linalg.eigvalsh(gram)
    usable = values[:, 0] > SINGULAR * values[:, -1]
    weights = np.full((len(gram), p), np.nan)
    if usable.any():
        solved = np.asarray(np.linalg.solve(gram[usable], across[usable][..., None]), dtype=np.float64)[..., 0]
        weights[usable] = _back(r, scale, solved.T).T
    return weights


def _back(r: Floats, scale: Floats, inner: Floats) -> Floats:
    """Transform weights of the orthogonal columns to those of the original columns."""
    solved = np.asarray(np.linalg.solve(r, inner), dtype=np.float64)
    divided: Floats = solved / (scale if solved.ndim == 1 else scale[:, None])
    return divided


def _undetermined(design: Floats, names: Sequence[str], *, intercept: bool) -> str | None:
    """Return why the columns do not determine weights, in a sentence; None if they do."""
    n, p = design.shape
    if n <= p:
        return f"{n} rows are too few for {p} weights; there must be more rows than weights"
    for column, name in list(zip(design.T, names, strict=True))[intercept:]:
        largest = float(np.abs(column).max())
        if largest > _LARGEST:
            return f"{name} has a value of {largest:g}, which is too large to be squared"
        if intercept and float(np.ptp(column)) <= 1e-12 * largest:
            return f"{name} is the same everywhere ({column[0]:g}), so it explains nothing in addition to an intercept"
        if largest < 1 / _LARGEST:
            return f"{name} is 0 everywhere, so its weight could be anything"
    unit: Floats = design / np.sqrt((design * design).sum(axis=0))
    if intercept:  # a column far from 0 is nearly constant, yet may be just as informative
        away = design[:, 1:] - design[:, 1:].mean(axis=0)
        unit = away / np.sqrt((away * away).sum(axis=0))
        names = names[1:]
    _, values, directions = np.linalg.svd(unit, full_matrices=False)
    if values[-1] > SINGULAR * values[0]:
        return None
    bound = np.abs(directions[-1])
    among = [name for name, part in zip(names, bound, strict=True) if part > 1e-3 * bound.max()]
    return (
        f"{' and '.join(among)} are collinear (one is a combination of the others), so their weights are undetermined"
    )
