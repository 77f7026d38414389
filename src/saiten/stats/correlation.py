"""Do two columns of numbers agree: correlation, AUROC, balanced accuracy, kappa, agreement, each with an interval.

Every function takes two columns of the same length and gives an `Estimate`: a value, or None and the reason. Nothing is
made up for a constant column. `bootstrap_statistic` puts an interval around any of them.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from saiten.stats.bootstrap import few, percentiles
from saiten.stats.clusters import Column, Floats, Ints, as_floats, as_groups, check_settings, draws

FEWEST = 3
"""Two points always lie on a line."""

MOST_KINDS = 500
"""Different values that kappa takes for grades; its table has the square of this."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure over pairs of numbers, or the reason why there is none."""

    value: float | None
    """The figure; None unless it can be computed."""
    n: int
    """How many pairs."""
    reason: str | None = None
    """Why there is no value."""
    low: float | None = None
    """Lower end of the interval, where one was asked for."""
    high: float | None = None
    """Upper end of the interval, where one was asked for."""
    clusters: int | None = None
    """How many clusters were resampled."""
    note: str | None = None
    """Why there is no interval although there is a value, or what is wrong with it."""


Statistic = Callable[[Floats, Floats], Estimate]


def pearson(x: Column, y: Column) -> Estimate:
    """How close the pairs are to a rising line: -1 to 1."""
    a, b = _pair(x, y)
    return _undecidable(a, b) or Estimate(_cosine(a, b), len(a))


def spearman(x: Column, y: Column) -> Estimate:
    """Pearson's correlation of the ranks, ties sharing their mean rank: -1 to 1."""
    a, b = _pair(x, y)
    return _undecidable(a, b) or Estimate(_cosine(ranks(a), ranks(b)), len(a))


def kendall(x: Column, y: Column) -> Estimate:
    """Kendall's tau-b, pairs ordered alike minus pairs ordered otherwise, corrected for ties: -1 to 1."""
    from scipy.stats import kendalltau  # noqa: PLC0415 - takes over a second to import

    a, b = _pair(x, y)
    return _undecidable(a, b) or Estimate(float(kendalltau(a, b, method="asymptotic").statistic), len(a))


def auroc(labels: Column, scores: Column) -> Estimate:
    """How often a random positive has a higher score than a random negative, ties counting half: 0.5 is chance.

    Source: Hanley and McNeil 1982. `labels` are 0 and 1 (or False and True).
    """
    truth, score = _pair(labels, scores, ("labels", "scores"))
    if problem := _one_class(truth):
        return problem
    positives = int(truth.sum())
    negatives = len(truth) - positives
    rank_sum = math.fsum(ranks(score)[truth == 1])
    return Estimate((rank_sum - positives * (positives + 1) / 2) / (positives * negatives), len(truth))


def balanced_accuracy(labels: Column, decisions: Column) -> Estimate:
    """The mean of the shares of positives and of negatives that were decided rightly; both columns hold 0 and 1."""
    truth, decided = _pair(labels, decisions, ("labels", "decisions"))
    if problem := _one_class(truth):
        return problem
    right = truth == decided
    return Estimate(float((right[truth == 1].mean() + right[truth == 0].mean()) / 2), len(truth))


def agreement(x: Column, y: Column) -> Estimate:
    """The share of pairs that are equal; chance is not taken off, so read it beside kappa."""
    a, b = _pair(x, y)
    return Estimate(float((a == b).mean()), len(a)) if len(a) else Estimate(None, 0, "no pairs")


def cohen_kappa(x: Column, y: Column, *, weights: Literal["linear", "quadratic"] | None = None) -> Estimate:
    """Agreement beyond chance: 1 is full, 0 as by chance, below 0 worse.

    Source: Cohen 1960, and Cohen 1968 for weights. A disagreement weighs 1, or the distance of the two *values*, or its
    square (grades 1 and 5 are 4 apart even where no one gave 2, 3 or 4; scikit-learn counts the places among the grades
    that occur).
    """
    a, b = _pair(x, y)
    if not len(a):
        return Estimate(None, 0, "no pairs")
    kinds, (ours, theirs) = _kinds(a, b)
    if len(kinds) > MOST_KINDS:
        return Estimate(None, len(a), f"kappa is for verdicts and grades, and there are {len(kinds)} different values")
    apart = np.abs(kinds[:, None] - kinds[None, :])
    cost = {None: (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}[weights]
    share_a = np.bincount(ours, minlength=len(kinds)) / len(a)
    share_b = np.bincount(theirs, minlength=len(kinds)) / len(b)
    by_chance = float(share_a @ cost @ share_b)
    if by_chance == 0:
        return Estimate(None, len(a), "both always say the same one thing, so there is no chance to correct for")
    return Estimate(1 - float(cost[ours, theirs].mean()) / by_chance, len(a))


def bootstrap_statistic(
    statistic: Statistic,
    x: Column,
    y: Column,
    clusters: Sequence[Hashable] | None = None,
    *,
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """The statistic with a cluster bootstrap interval (see `bootstrap.py`); the same for the same pairs in any order.

    A resample for which the statistic is undefined is left out; where that is more than one in twenty, no interval is
    given. Settings of a statistic go in by `functools.partial`.

    Raises:
        ValueError: a value is not finite, the lengths differ, or a setting makes no interval.
    """
    check_settings(resamples, confidence)
    a, b = _pair(x, y)
    rows, starts, sizes = _rows_by_cluster(a, b, as_groups(clusters, len(a)))
    k = len(starts)
    whole = replace(statistic(a, b), clusters=k)
    if whole.value is None:
        return whole
    if k == 1:
        return replace(whole, note="a single cluster tells nothing about the spread between clusters")
    values: list[float] = []
    for drawn in draws(k, resamples, seed):
        for resample in drawn:
            index = rows[_ranges(starts[resample], sizes[resample])]
            value = statistic(a[index], b[index]).value
            if value is not None:
                values.append(value)
    if len(values) < 0.95 * resamples:
        return replace(whole, note=f"undefined in {resamples - len(values)} of {resamples} resamples, so no interval")
    low, high = percentiles(np.array(values), k, confidence)
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        return replace(whole, note="resampling shows no spread, so no interval")
    return replace(whole, low=low, high=high, note=few(k))


# ---------------------------------------------------------------------------------------------------- arithmetic


def ranks(values: Floats) -> Floats:
    """Ranks from 1, ties sharing their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_rank: Floats = np.cumsum(counts) - (counts - 1) / 2
    return mean_rank[place]


def _cosine(a: Floats, b: Floats) -> float:
    a, b = _centred(a), _centred(b)
    return float(np.clip((a @ b) / math.sqrt(float(a @ a) * float(b @ b)), -1, 1))


def _centred(values: Floats) -> Floats:
    away: Floats = values / np.abs(values).max()  # scaled first, so that squares neither overflow nor vanish
    away = away - away.mean()
    scaled: Floats = away / np.abs(away).max()
    return scaled


def _pair(x: Column, y: Column, names: tuple[str, str] = ("x", "y")) -> tuple[Floats, Floats]:
    a, b = as_floats(x, names[0]), as_floats(y, names[1])
    if len(a) != len(b):
        raise ValueError(f"{names[0]} has {len(a)} values and {names[1]} has {len(b)}; they must be pairs")
    return a, b


def _undecidable(a: Floats, b: Floats) -> Estimate | None:
    if len(a) < FEWEST:
        return Estimate(None, len(a), f"{len(a)} pairs are too few; {FEWEST} are needed")
    for values, name in ((a, "first"), (b, "second")):
        # a spread within rounding is no spread: 0.1 + 0.2 and 0.3 are one value
        if np.ptp(values) <= 1e-12 * np.abs(values).max():
            return Estimate(None, len(a), f"the {name} column is constant ({values[0]:g})")
    return None


def _one_class(truth: Floats) -> Estimate | None:
    if not np.isin(truth, (0, 1)).all():
        raise ValueError(f"labels must be 0 or 1, but there is {truth[~np.isin(truth, (0, 1))][0]:g}")
    if not len(truth):
        return Estimate(None, 0, "no pairs")
    if truth.min() == truth.max():
        return Estimate(None, len(truth), f"all labels are {truth[0]:g}; both 0 and 1 are needed")
    return None


def _kinds(a: Floats, b: Floats) -> tuple[Floats, tuple[Ints, Ints]]:
    kinds, place = np.unique(np.concatenate([a, b]), return_inverse=True)
    return kinds, (place[: len(a)], place[len(a) :])


def _rows_by_cluster(a: Floats, b: Floats, groups: Ints) -> tuple[Ints, Ints, Ints]:
    """Row numbers cluster by cluster, and where each cluster starts and how long it is; sorted by content."""
    by_content = np.lexsort((b, a, groups))
    sizes = np.bincount(groups)
    members = np.split(by_content, np.cumsum(sizes)[:-1]) if len(groups) else []  # it gives one part even of nothing
    members.sort(key=lambda rows: (len(rows), a[rows].tolist(), b[rows].tolist()))
    lengths = np.array([len(rows) for rows in members], dtype=np.int64)
    return np.concatenate([*members, np.empty(0, np.int64)]), np.cumsum(lengths) - lengths, lengths


def _ranges(starts: Ints, sizes: Ints) -> Ints:
    """The numbers from each start on, `sizes` many, one after the other."""
    ends = np.cumsum(sizes)
    rows: Ints = np.arange(int(ends[-1])) + np.repeat(starts - (ends - sizes), sizes)
    return rows
