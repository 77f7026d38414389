"""On which scale a column lies, and whether two columns share one: only then can values be taken from each other."""

from collections.abc import Iterable, Mapping

import numpy as np

from saiten.errors import ConfigurationError
from saiten.metrics.catalog import make_metric
from saiten.results.metric_figures import Scale
from saiten.stats.clusters import Floats

GRADES_AT_MOST = 11
"""More different whole numbers than this are no grades but a measurement."""

Bounds = Mapping[str, tuple[float, float]]
"""Metric → the lowest and highest possible value, as the metric declares them."""


def scale_of(values: Floats, declared: tuple[float, float] | None = None) -> Scale:
    """The declared scale, else 0 to 1 for what fits into it, else from the lowest to the highest value there is."""
    if declared is not None:
        return Scale(*declared)
    if not len(values):
        return Scale(0.0, 1.0)
    low, high = float(values.min()), float(values.max())
    return Scale(0.0, 1.0) if low >= 0 and high <= 1 else Scale(low, high)


def shared(metric: Scale, people: Scale, *, declared: bool) -> str | None:
    """None if both lie on one scale, else why not.

    Both 0 to 1 is one scale. Beyond that a metric's declared scale must be finite and hold all that people said; an
    undeclared one must not leave the range that people used. Grades that share the top and differ by one step at the
    bottom (1 to 5 against 0 to 5) are one scale too: a step that only one side uses moves no other.
    """
    apart = f"the metric's scale is {metric}, that of the labels {people}"
    if metric.unit or people.unit:
        return None if metric.unit and people.unit else apart
    if not np.isfinite([metric.low, metric.high]).all():
        return apart
    holds = metric.low <= people.low and people.high <= metric.high
    held = people.low <= metric.low and metric.high <= people.high
    return None if (holds if declared else held) or _one_step(metric, people) else apart


def _one_step(one: Scale, other: Scale) -> bool:
    return one.high == other.high and abs(one.low - other.low) <= 1 and one.high - one.low < GRADES_AT_MOST


def grades(values: Floats) -> Floats:
    """To the nearest whole number, halves away from 0, so that -1 and 0 come to a fault as 0 and 1 do."""
    rounded: Floats = np.sign(values) * np.floor(np.abs(values) + 0.5)
    return rounded + 0.0  # no -0


def are_grades(scale: Scale, people: Floats) -> bool:
    """Whether rounding to whole numbers loses little: a scale of few steps that is not 0 to 1."""
    return not scale.unit and scale.high - scale.low < GRADES_AT_MOST and bool(len(people))


def declared_bounds(metrics: Iterable[str]) -> dict[str, tuple[float, float]]:
    """The scales of saiten's own metrics; of others nothing is known."""
    found = {}
    for metric in set(metrics):
        try:
            found[metric] = make_metric(metric).bounds
        except ConfigurationError:
            continue
    return found
