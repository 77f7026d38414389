"""A metric's bias: mean of metric minus people, overall, by system and by human grade.

By grade it reveals a metric that avoids the ends of the scale (above 0 at low grades, below 0 at high ones); part of
that is regression to the mean, since the human grades used for sorting the items are noisy themselves.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from saiten.results.metric_figures import Bias, Scale
from saiten.stats.clusters import Floats
from saiten.stats.differences import mean_difference
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.trust.inputs.scales import are_grades, grades
from saiten.words import Message

FIFTHS = 5


def bias(
    metric: Floats,
    people: Floats,
    systems: Sequence[str | None],
    scale: Scale,
    resamples: Resamples,
    *,
    apart: Message | None = None,
) -> Bias:
    """Return the differences, or the reason why they cannot be computed (`apart`)."""
    if apart or not len(metric):
        return Bias(Estimate(None, len(metric), apart or Message("remark", "no_pairs")))
    by_grade = _bands(people, scale)
    names = sorted({system for system in systems if system is not None})
    bands = list(dict.fromkeys(by_grade[i] for i in np.argsort(people, kind="stable")))
    parts = [np.ones(len(metric), dtype=bool)]
    parts += [np.array([system == name for system in systems]) for name in names]
    parts += [np.array([band == one for one in by_grade]) for band in bands]
    inside = np.stack(parts, axis=1).astype(np.float64)
    sums = resamples.sums(np.concatenate([inside, inside * (metric - people)[:, None]], axis=1))
    found = []
    for i, part in enumerate(parts):
        with np.errstate(invalid="ignore", divide="ignore"):
            drawn = np.where(sums[:, i] > 0, sums[:, len(parts) + i] / sums[:, i], np.nan)
        rows = np.flatnonzero(part)
        # The uncertainty of a part depends on the number of questions it contains.
        of_part = replace(resamples, clusters=len(np.unique(resamples.groups[rows])))
        found.append(of_part.interval(mean_difference(metric[rows], people[rows]), drawn))
    return Bias(
        found[0],
        tuple(zip(names, found[1 : 1 + len(names)], strict=True)),
        tuple(zip(bands, found[1 + len(names) :], strict=True)),
    )


def _bands(people: Floats, scale: Scale) -> list[str] | list[Message]:
    kinds = np.unique(people)
    if len(kinds) <= FIFTHS and scale.unit:
        return [f"{value:g}" for value in np.round(people, 3)]
    if are_grades(scale, people):
        return [f"{value:g}" for value in grades(people)]
    width = (scale.high - scale.low) / FIFTHS
    at = np.clip(np.floor((people - scale.low) / width), 0, FIFTHS - 1)
    return [Message("scale", "between", low=scale.low + width * i, high=scale.low + width * (i + 1)) for i in at]
