"""Does a metric rank systems as people do: Kendall's tau-b over systems' means, and the share of pairs ordered alike.

Sources: ties as in Deutsch, Foster and Freitag 2023, *Ties Matter*: a pair is right if both sides order it alike, or if
both tie it; a pair that only one side ties is wrong. The interval resamples questions, not systems: it says how sure
one can be about these systems, not about others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from saiten.stats import Estimate, kendall, pearson
from saiten.stats.clusters import Floats
from saiten.stats.resampled import Resamples

FEWEST = 3
_EQUAL = 1e-12
"""Means of the same values in another order differ by this much."""


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
    pearson: Estimate
    ordered: Estimate
    """Share of pairs of systems that the metric orders, or ties, as people do; `n` is the number of pairs."""
    agree: int
    """Pairs that both order alike."""
    disagree: int
    """Pairs that they order the other way round."""
    tied_metric: int
    """Pairs that only the metric ties."""
    tied_people: int
    """Pairs that only people tie."""
    tied_both: int


def system_level(metric: Floats, people: Floats, systems: Sequence[str | None], resamples: Resamples) -> SystemLevel:
    """The figures over systems; said to be undefined where there are fewer than three. Items without one are left out.

    Where one answer was given by several systems, give the item once for each of them. Where the metric is NaN, the
    item counts in people's mean alone; a system of which the metric measured nothing is left out.
    """
    measured = {systems[i] for i in np.flatnonzero(~np.isnan(metric)).tolist()} - {None}
    rows = np.array([i for i, system in enumerate(systems) if system in measured], dtype=np.int64)
    names, of = np.unique([str(systems[i]) for i in rows], return_inverse=True)
    resamples = resamples.only(rows)
    metric, people = metric[rows], people[rows]
    known = ~np.isnan(metric)
    x, y = _means(metric[known], of[known], len(names)), _means(people, of, len(names))
    a, b = _signs(x[None, :])[0], _signs(y[None, :])[0]
    level = SystemLevel(
        systems=tuple(str(name) for name in names),
        metric=tuple(x.tolist()),
        people=tuple(y.tolist()),
        kendall=_few(len(names)) or kendall(_levelled(x), _levelled(y)),
        pearson=_few(len(names)) or pearson(x, y),
        ordered=_few(len(names)) or Estimate(float((a == b).mean()), len(a)),
        agree=int(((a == b) & (a != 0)).sum()),
        disagree=int((a * b < 0).sum()),
        tied_metric=int(((a == 0) & (b != 0)).sum()),
        tied_people=int(((a != 0) & (b == 0)).sum()),
        tied_both=int(((a == 0) & (b == 0)).sum()),
    )
    if level.ordered.value is None:
        return level
    member = np.eye(len(names))[of]
    filled = np.where(known, metric, 0.0)[:, None]
    features = [member * known[:, None], member, member * filled, member * people[:, None]]
    with np.errstate(invalid="ignore", divide="ignore"):
        seen, sizes, xs, ys = np.split(resamples.sums(np.concatenate(features, axis=1)), 4, axis=1)
        drawn = (_signs(xs / seen), _signs(ys / sizes))
        lost = (seen == 0).any(axis=1)
        right = np.where(lost, np.nan, (drawn[0] == drawn[1]).mean(axis=1))
        room = np.sqrt((drawn[0] != 0).sum(axis=1) * (drawn[1] != 0).sum(axis=1).astype(np.float64))
        tau = np.where(lost | (room == 0), np.nan, (drawn[0] * drawn[1]).sum(axis=1) / room)
    return replace(
        level,
        kendall=resamples.interval(level.kendall, tau),
        ordered=resamples.interval(level.ordered, right),
    )


def _few(systems: int) -> Estimate | None:
    if systems >= FEWEST:
        return None
    named = {0: "no system is named", 1: "there is one system"}.get(systems, f"there are {systems} systems")
    return Estimate(None, systems, f"{named}; {FEWEST} are needed to speak of their order")


def _means(values: Floats, of: np.ndarray, systems: int) -> Floats:
    means: Floats = np.bincount(of, weights=values, minlength=systems) / np.bincount(of, minlength=systems)
    return means


def _signs(means: Floats) -> Floats:
    """How each pair of systems is ordered, 1, -1 or 0: shape (rows, pairs)."""
    first, second = np.triu_indices(means.shape[1], 1)
    apart = means[:, first] - means[:, second]
    size = np.maximum(np.abs(means[:, first]), np.abs(means[:, second]))
    return np.where(np.abs(apart) <= _EQUAL * size, 0.0, np.sign(apart))


def _levelled(means: Floats) -> Floats:
    """Means that differ by rounding alone made equal."""
    order = np.argsort(means, kind="stable")
    gaps = np.diff(means[order])
    new = gaps > _EQUAL * np.abs(means[order][1:])
    level = np.concatenate([[0], np.cumsum(new)]) if len(means) else np.empty(0)
    out = np.empty(len(means))
    out[order] = level
    return out
