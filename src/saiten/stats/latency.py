"""How long answers took: median, mean and 95th percentile."""

from array import array
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Latency:
    """In seconds, over the answers where it was measured."""

    n: int
    median: float
    mean: float
    p95: float
    """Interpolated between the two answers around it; with less than some 20 it is hardly below the slowest."""


def latency_of(seconds: "array[float]") -> Latency | None:
    """The figures of an array of type `d`; None where nothing was measured."""
    if not seconds:
        return None
    values = np.frombuffer(seconds)
    median, p95 = np.quantile(values, [0.5, 0.95])
    return Latency(len(values), float(median), float(values.mean()), float(p95))
