"""Differences of two columns: mean absolute error and bias."""

import numpy as np

from saiten.stats.clusters import Column, as_pair
from saiten.stats.estimate import Estimate
from saiten.words import Message


def mean_absolute_error(x: Column, y: Column) -> Estimate:
    """Compute the mean of |x - y|."""
    a, b = as_pair(x, y)
    return _mean(np.abs(a - b))


def mean_difference(x: Column, y: Column) -> Estimate:
    """Compute the mean of x - y, the bias of x: above 0 if x is higher."""
    a, b = as_pair(x, y)
    return _mean(a - b)


def _mean(values: np.ndarray) -> Estimate:
    n = len(values)
    return Estimate(float(values.mean()), n) if n else Estimate(None, 0, Message("remark", "no_pairs"))
