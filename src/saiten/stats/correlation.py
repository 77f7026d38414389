"""Correlations of two columns of numbers: Pearson, Spearman and Kendall's tau-b.

All three are the cosine of two centered columns: of the values, of their ranks, and of the signs of all differences
between rows (tau-b). They are undefined for a constant column.
"""

from collections.abc import Callable

import numpy as np

from saiten.stats.clusters import CELLS, Column, Floats, as_pair, quotient
from saiten.stats.estimate import Estimate
from saiten.stats.ranks import concordance_each, ranks, ranks_each, ties_each
from saiten.words import Message

FEWEST = 3
"""Two points always lie on a line."""

EQUAL = 1e-12
"""Values with at most this relative difference are equal: 0.1 + 0.2 and 0.3."""


def pearson(x: Column, y: Column) -> Estimate:
    """Compute Pearson's correlation: how close the pairs are to a rising line, -1 to 1."""
    a, b = as_pair(x, y)
    return _undecidable(a, b) or Estimate(_correlation(a, b), len(a))


def spearman(x: Column, y: Column) -> Estimate:
    """Compute Pearson's correlation of the ranks, ties sharing their mean rank: -1 to 1."""
    a, b = as_pair(x, y)
    return _undecidable(a, b) or Estimate(_correlation(ranks(a), ranks(b)), len(a))


def kendall(x: Column, y: Column) -> Estimate:
    """Compute Kendall's tau-b: concordant minus discordant pairs, corrected for ties, -1 to 1."""
    a, b = as_pair(x, y)
    return _undecidable(a, b) or Estimate(float(kendall_each(a, b)(np.ones((1, len(a))))[0]), len(a))


def cosine(across: Floats, squares: Floats, other_squares: Floats) -> Floats:
    """Compute the cosine of two columns from their product and squares; NaN where one is all 0."""
    return np.clip(quotient(across, np.sqrt(squares * other_squares)), -1, 1)


def _correlation(a: Floats, b: Floats) -> float:
    a, b = _centered(a), _centered(b)
    return float(cosine(a @ b, a @ a, b @ b))


def _centered(values: Floats) -> Floats:
    """Return the values of each row minus their mean, scaled so that squares neither overflow nor underflow."""
    away: Floats = values / _largest(values)
    away = away - away.mean(axis=-1, keepdims=True)
    away = np.where(np.abs(away).max(axis=-1, keepdims=True) <= EQUAL, 0.0, away)
    stretched: Floats = away / _largest(away)
    return stretched


def _largest(values: Floats) -> Floats:
    largest = np.abs(values).max(axis=-1, keepdims=True)
    return np.where(largest > 0, largest, 1.0)


def _undecidable(a: Floats, b: Floats) -> Estimate | None:
    if len(a) < FEWEST:
        return Estimate(None, len(a), Message("remark", "few_pairs", n=len(a), least=FEWEST))
    for values, name in ((a, "first"), (b, "second")):
        if np.ptp(values) <= EQUAL * np.abs(values).max():
            return Estimate(None, len(a), Message("remark", f"{name}_constant", value=float(values[0])))
    return None


# ------------------------------------------------------------------------------------------- many resamples at once


def moments(x: Floats, y: Floats) -> Floats:
    """Return columns that add up to Pearson's correlation (rows × 6); centered and scaled first to keep precision."""
    a, b = standard(x), standard(y)
    return np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1)


def pearson_of(sums: Floats) -> Floats:
    """Compute Pearson's correlation from sums of `moments` (… × 6); NaN where a column is constant."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    # the remainder after subtraction for a constant column is rounding, small relative to the minuend
    spreads = [
        np.where(n * square - one * one > 1e-13 * n * square, n * square - one * one, 0.0)
        for one, square in ((x, xx), (y, yy))
    ]
    return cosine(n * xy - x * y, *spreads)


def standard(values: Floats) -> Floats:
    """Standardize to mean 0 and standard deviation 1; all 0 if the values do not differ."""
    if not len(values):
        return values
    away: Floats = values - values.mean()
    spread = float(np.sqrt((away * away).mean()))
    return away / spread if spread > 1e-12 * max(float(np.abs(values).max()), 1e-300) else np.zeros_like(away)


def spearman_each(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """Return Spearman's correlation as a function of weights, with ranks within the resample."""
    rank_x, rank_y = ranks_each(x), ranks_each(y)

    def figure(weights: Floats) -> Floats:
        a, b = rank_x(weights), rank_y(weights)
        n = weights.sum(axis=1)
        middle = ((n + 1) / 2)[:, None]
        a -= middle
        b -= middle
        weighted = a * weights
        across = np.einsum("ij,ij->i", weighted, b)
        spread_a = np.einsum("ij,ij->i", weighted, a)
        b *= b
        spread_b = np.einsum("ij,ij->i", weights, b)
        return cosine(across, spread_a, spread_b)

    return figure


def kendall_each(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """Return Kendall's tau-b as a function of weights."""
    balance = concordance_each(x, y)
    tied_x, tied_y = ties_each(x), ties_each(y)

    def figure(weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        pairs = n * (n - 1) / 2
        return cosine(balance(weights), pairs - tied_x(weights), pairs - tied_y(weights))

    return figure


def apart(a: Floats, b: Floats) -> Floats:
    """Return 1 where a is above b, -1 where below, 0 where equal up to rounding; NaN stays NaN."""
    return np.where(np.abs(a - b) <= EQUAL * np.maximum(np.abs(a), np.abs(b)), 0.0, np.sign(a - b))


def correlations_by_row(x: Floats, y: Floats) -> Floats:
    """Compute Pearson, Spearman and Kendall's tau-b of each row of x with that of y (rows x 3), NaN where undefined."""
    size = x.shape[1]
    rows = max(1, CELLS // max(1, size**2))
    parts = [_by_row(x[at : at + rows], y[at : at + rows]) for at in range(0, len(x), rows)]
    return np.concatenate(parts) if parts else np.empty((0, 3))


def _by_row(x: Floats, y: Floats) -> Floats:
    orders = [apart(side[:, :, None], side[:, None, :]) for side in (x, y)]
    ranked = [order.sum(axis=2) for order in orders]
    flat = [order.reshape(len(order), -1) for order in orders]
    columns = ([_centered(x), _centered(y)], ranked, flat)
    return np.stack([cosine((a * b).sum(axis=1), (a * a).sum(axis=1), (b * b).sum(axis=1)) for a, b in columns], axis=1)
