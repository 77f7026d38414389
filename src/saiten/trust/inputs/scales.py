"""Scales of columns, and whether two columns share one: only then can their values be subtracted."""

from collections.abc import Iterable, Mapping

import numpy as np

from saiten.metrics.catalog import known_metric
from saiten.results.metric_figures import Scale
from saiten.stats.clusters import Floats
from saiten.words import Message

GRADES_AT_MOST = 11
"""More distinct whole numbers than this are measurements, not grades."""

Bounds = Mapping[str, tuple[float, float]]
"""Metric → the lowest and highest possible value it declares."""


def scale_of(values: Floats, declared: tuple[float, float] | None = None) -> Scale:
    """Return the declared scale, otherwise 0 to 1 if the values fit, otherwise their range."""
    if declared is not None:
        return Scale(*declared)
    if not len(values):
        return Scale(0.0, 1.0)
    low, high = float(values.min()), float(values.max())
    return Scale(0.0, 1.0) if low >= 0 and high <= 1 else Scale(low, high)


def shared(metric: Scale, people: Scale, *, declared: bool) -> Message | None:
    """Return None if both are on one scale, otherwise the reason.

    Two scales of 0 to 1 match. Otherwise a metric's declared scale must be finite and contain the people's; an
    undeclared one must stay within the people's range. Grades with the same top that differ by one step at the bottom
    (1 to 5 and 0 to 5) match, too: a step that only one side uses does not shift the others.
    """
    apart = Message("remark", "scales_apart", metric=metric.words, people=people.words)
    if metric.unit or people.unit:
        return None if metric.unit and people.unit else apart
    if not np.isfinite([metric.low, metric.high]).all():
        return apart
    holds = metric.low <= people.low and people.high <= metric.high
    held = people.low <= metric.low and metric.high <= people.high
    same_top = metric.high == people.high and metric.high - metric.low < GRADES_AT_MOST
    one_step = same_top and abs(metric.low - people.low) <= 1
    return None if (holds if declared else held) or one_step else apart


def grades(values: Floats) -> Floats:
    """Round to the nearest whole number, halves away from 0, so that the mean of -1 and 0 becomes -1."""
    rounded: Floats = np.sign(values) * np.floor(np.abs(values) + 0.5)
    return rounded + 0.0  # no -0


def are_grades(scale: Scale, people: Floats) -> bool:
    """Return whether rounding to whole numbers loses little: a scale of few steps other than 0 to 1."""
    return not scale.unit and scale.high - scale.low < GRADES_AT_MOST and bool(len(people))


def declared_bounds(metrics: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Return the scales of saiten's own metrics; other metrics are skipped."""
    known = {metric: known_metric(metric) for metric in set(metrics)}
    return {metric: found.bounds for metric, found in known.items() if found is not None}
