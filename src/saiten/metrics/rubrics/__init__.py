"""Rubrics and weights as data: which aspects answers are rated on, and how a score is put together from them."""

from saiten.metrics.rubrics.reading import SHIPPED, read_rubric
from saiten.metrics.rubrics.rubric import Aspect, Rubric
from saiten.metrics.rubrics.weights import PUBLISHED, AspectWeight, Learned, Weights, read_weights

__all__ = [
    "PUBLISHED",
    "SHIPPED",
    "Aspect",
    "AspectWeight",
    "Learned",
    "Rubric",
    "Weights",
    "read_rubric",
    "read_weights",
]
