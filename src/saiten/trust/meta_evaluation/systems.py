"""Does a metric rank systems as people do: correlations of systems' means, and the pairs of systems ordered alike.

Intervals resample questions, not systems: they say how sure one can be about these systems, not about others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from saiten.stats.bootstrap import MeanInterval, bootstrap_mean
from saiten.stats.clusters import Floats, Ints
from saiten.stats.correlation import EQUAL, apart, correlations_by_row, kendall, pearson, spearman
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.trust.meta_evaluation.system_pairs import Ordered, few, ordered


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """Systems' means beside each other."""

    systems: tuple[str, ...]
    metric: tuple[float, ...]
    """Each system's mean over the items that the metric measured."""
    people: tuple[float, ...]
    """Each system's mean over all items that were given: those with both values, or all that people rated."""
    kendall: Estimate
    """Over systems; `n` is their number."""
    spearman: Estimate
    pearson: Estimate
    pairs: Ordered
    """Pairs of systems by their means."""


def people_by_system(
    people: Floats, systems: Sequence[str | None], questions: Sequence[str]
) -> tuple[tuple[str, MeanInterval], ...]:
    """People's mean of each system, over all its items, with an interval that resamples questions; systems by name."""
    names = sorted({system for system in systems if system is not None})
    rows = {name: [i for i, system in enumerate(systems) if system == name] for name in names}
    return tuple((name, bootstrap_mean(people[of], [questions[i] for i in of])) for name, of in rows.items())


def system_level(
    metric: Floats,
    people: Floats,
    systems: Sequence[str | None],
    resamples: Resamples,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    lacking: str = "",
) -> SystemLevel:
    """The figures over systems; said to be undefined where there are fewer than three. Items without one are left out.

    Where one answer was given by several systems, give the item once for each of them. Where the metric is NaN, the
    item counts in people's mean alone; a system of which the metric measured nothing is left out. `pairs`: those that
    are counted; None for all. `lacking`: why the metric has values of fewer systems than there are.
    """
    measured = {systems[i] for i in np.flatnonzero(~np.isnan(metric)).tolist()} - {None}
    rows = np.array([i for i, system in enumerate(systems) if system in measured], dtype=np.int64)
    names, of = np.unique([str(systems[i]) for i in rows], return_inverse=True)
    resamples = resamples.only(rows)
    metric, people = metric[rows], people[rows]
    known = ~np.isnan(metric)
    x, y = _means(metric[known], of[known], len(names)), _means(people, of, len(names))
    found = (tuple(str(name) for name in names), tuple(x.tolist()), tuple(y.tolist()))
    if reason := few(len(names), lacking):
        return SystemLevel(*found, reason, reason, reason, Ordered.none(reason))
    member = np.eye(len(names))[of]
    filled = np.where(known, metric, 0.0)[:, None]
    features = [member * known[:, None], member, member * filled, member * people[:, None]]
    with np.errstate(invalid="ignore", divide="ignore"):
        seen, sizes, xs, ys = np.split(resamples.sums(np.concatenate(features, axis=1)), 4, axis=1)
        drawn = np.where((seen == 0).any(axis=1)[:, None], np.nan, np.stack([xs / seen, ys / sizes]))

    def signs(first: Ints, second: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        a, b, drawn_a, drawn_b = (apart(side[..., first], side[..., second]) for side in (x, y, *drawn))
        return a, b, drawn_a, drawn_b

    levels = (_levelled(x), _levelled(y))
    each = correlations_by_row(*drawn)
    return SystemLevel(
        *found,
        kendall=resamples.interval(kendall(*levels), each[:, 2]),
        spearman=resamples.interval(spearman(*levels), each[:, 1]),
        pearson=resamples.interval(pearson(x, y), each[:, 0]),
        pairs=ordered(found[0], signs, resamples, pairs=pairs),
    )


def _means(values: Floats, of: np.ndarray, systems: int) -> Floats:
    means: Floats = np.bincount(of, weights=values, minlength=systems) / np.bincount(of, minlength=systems)
    return means


def _levelled(means: Floats) -> Floats:
    """Means that differ by rounding alone made equal."""
    order = np.argsort(means, kind="stable")
    gaps = np.diff(means[order])
    new = gaps > EQUAL * np.abs(means[order][1:])
    level = np.concatenate([[0], np.cumsum(new)]) if len(means) else np.empty(0)
    out = np.empty(len(means))
    out[order] = level
    return out
