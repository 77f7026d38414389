"""Latency of answers: median, mean and 95th percentile."""

from array import array
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Latency:
    """Latency in seconds, over the answers with a measurement."""

    n: int
    median: float
    mean: float
    p95: float
    """Interpolated between the two adjacent answers; with fewer than about 20 it is close to the slowest."""


def latency_of(seconds: "array[float]") -> Latency | None:
    """Return the figures of an array of type `d`; None if nothing was measured."""
    if not seconds:
        return None
    values = np.frombuffer(seconds)
    median, p95 = np.quantile(values, [0.5, 0.95])
    return Latency(len(values), float(median), float(values.mean()), float(p95))
