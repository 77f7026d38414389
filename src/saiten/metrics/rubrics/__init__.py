"""Rubrics and weights as data: the aspects on which answers are rated, and how they are combined into a score."""

from saiten.metrics.rubrics.rubric import SHIPPED, Aspect, Rubric, read_rubric
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
