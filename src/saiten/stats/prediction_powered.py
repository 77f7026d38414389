"""The mean label of all items, from few labels and a judge's score for every item, with a valid interval.

Source: Angelopoulos, Duchi and Zrnic 2023, *PPI++: Efficient Prediction-Powered Inference*, for a mean, with power
tuning. With n labeled items (label Y, score f) and N more with a score only,

    θ = mean_n(Y) - λ · (mean_n(f) - mean_N(f)),

so a biased judge does no harm, and λ, tuned for the least variance, becomes 0 for an uninformative judge. Valid only if
the labeled items are a random sample of all; `Powered.imbalance` checks that, without proving it.

Differences from the paper: the variance is summed by cluster (items of one question are not independent), λ minimizes
that variance as estimated, λ has no upper limit (a judge on 0 to 1 for grades of 1 to 5 needs λ =
4; a straight line from the judge's scale to the labels' would change nothing, since its slope is λ and its intercept
cancels), the quantiles are Student's, and verdicts and grades get pseudo-items as in Agresti and Coull 1998, since with
few labels the errors of a good judge look rarer than they are.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saiten.stats.clusters import Column, Floats, Ints, as_floats, as_groups
from saiten.stats.estimate import CONFIDENCE
from saiten.stats.prediction_powered_records import ANYTHING, FEWEST, Limits, Mean, Powered, Spread, quantile
from saiten.stats.wilson import wilson
from saiten.words import Message

GRADES_AT_MOST = 11
"""Labels with more distinct values than this count as measurements and get no pseudo-items."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The items of one part, for example of one system; a labeled item is not among `rest`."""

    labels: Column
    """Human labels."""
    judged: Column
    """The judge's scores of the labeled items, in the same order."""
    rest: Column
    """The judge's scores of the items without a label."""
    clusters: Sequence[Hashable] | None = None
    """A label per labeled item, for example its question; None makes each item its own cluster."""
    rest_clusters: Sequence[Hashable] | None = None
    """Clusters of the items in `rest`; given exactly if `clusters` is. A cluster may have items on both sides."""
    weight: float = 1.0
    """Weight of the part's mean: 1 and -1 for a difference, the part's share for a stratified mean."""
    telling: int | None = None
    """Number of clusters with an actual value, if some labels represent no value; None: all that have a label."""


def prediction_powered(
    *parts: Scores,
    lambdas: Sequence[float] | None = None,
    limits: Limits | None = None,
    steady: bool = True,
) -> Powered:
    """Estimate the weighted sum of the parts' mean labels: a mean, a difference, or a stratified mean.

    The interval is for items like these; for the mean of exactly these items it is valid too, though wider than
    necessary.

    Args:
        parts: one for a mean; two with weights 1 and -1 for a difference, whose covariance is accounted for through the
            clusters that both share; one per stratum, with its share of the items as weight.
        lambdas: one per part, instead of the tuned ones; 1 is plain prediction-powered inference, 0 labels alone.
        limits: range of a single label; None: 0 to 1 if all labels are 0 or 1, otherwise unlimited.
        steady: whether verdicts and grades get pseudo-items.

    Raises:
        ValueError: there are no parts, a part has no labels, lengths differ, a value is not finite, or a setting is
            invalid.
    """
    terms, clusters = _terms(parts, steady=steady)
    weights = np.array([part.weight for part in parts])
    a = np.sum([w * term.a for w, term in zip(weights, terms, strict=True)], axis=0)
    b = np.column_stack([w * term.b for w, term in zip(weights, terms, strict=True)])
    pseudo_a = float(weights**2 @ np.array([term.pseudo_label for term in terms]))
    pseudo_b = weights**2 * np.array([term.pseudo_score for term in terms])
    lam = _best(a, b, pseudo_b) if lambdas is None else as_floats(lambdas, "lambdas")
    if len(lam) != len(parts):
        raise ValueError(f"there are {len(parts)} parts but {len(lam)} lambdas; give one a part")
    value = float(weights @ [term.label for term in terms])
    shift = float(weights @ (lam * [term.shift for term in terms]))
    each = limits or _limits(parts)
    possible = _ends(weights, each)
    result = Powered(
        judge=float(weights @ [term.score for term in terms]),
        alone=Mean(value),
        powered=Mean(value - shift),
        lambdas=tuple(lam.tolist()),
        n=sum(term.n for term in terms),
        total=sum(term.total for term in terms),
        clusters=clusters,
        imbalance=_imbalance(terms),
        note=_why_not(terms),
        limits=possible,
    )
    if result.note is not None:
        return result
    if any(term.constant for term in terms):
        return _bounded(result, terms, parts, each)
    # parts without shared clusters lose one degree of freedom per mean; parts that share all lose one in total
    freedom = max(clusters - len(parts), min(term.clusters for term in terms) - 1)
    tuned = int(np.count_nonzero(lam)) if lambdas is None else 0
    rest = a - b @ lam
    alone = float(a @ a) + pseudo_a
    both = float(rest @ rest) + pseudo_a + float(pseudo_b @ lam**2)
    both *= 1 + tuned / freedom  # λ was chosen to minimize it
    t = quantile(freedom)
    return replace(
        result,
        alone=Mean.within(value, t * math.sqrt(alone), possible),
        powered=Mean.within(value - shift, t * math.sqrt(both), possible),
        spread=Spread(alone, both, freedom),
        note=Message("remark", "all_labeled") if result.n == result.total else None,
    )


@dataclass(frozen=True, slots=True)
class _Terms:
    """One part, as each cluster's contribution to the error of its mean: a - λ b."""

    a: Floats
    b: Floats
    pseudo_label: float
    """Contribution of the pseudo-items to the square of a."""
    pseudo_score: float
    """Contribution to the square of b; none to the product, since label and score are independent in pseudo-items."""
    label: float
    """Mean label."""
    score: float
    """Mean score of all items."""
    shift: float
    """Difference of the mean scores of labeled items and others."""
    n: int
    total: int
    clusters: int
    """Clusters with a label."""
    constant: bool
    """Whether all labels are equal."""


def _terms(parts: Sequence[Scores], *, steady: bool) -> tuple[list[_Terms], int]:
    """Return each part's terms, and how many clusters have a label in any part."""
    if not parts:
        raise ValueError("there are no parts; give at least one")
    names: list[Hashable] = []
    for i, part in enumerate(parts):
        if (part.clusters is None) != (part.rest_clusters is None):
            raise ValueError("give both clusters and rest_clusters, or neither")
        for side, given in (("labels", part.clusters), ("rest", part.rest_clusters)):
            n = len(getattr(part, side))
            if given is not None and len(given) != n:
                raise ValueError(f"{side} has {n} values but {len(given)} clusters; give each its cluster")
            names += [(i, side, row) for row in range(n)] if given is None else list(given)
    groups = as_groups(names, len(names))
    count = int(groups.max(initial=-1)) + 1
    found, labeled, start = [], set[int](), 0
    for part in parts:
        middle, end = start + len(part.labels), start + len(part.labels) + len(part.rest)
        weight = quantile(math.inf) ** 2 / 4 if steady else 0.0
        found.append(_term(part, groups[start:middle], groups[middle:end], count, weight))
        labeled |= set(groups[start:middle].tolist())
        start = end
    return found, len(labeled)


def _term(part: Scores, groups: Ints, rest_groups: Ints, count: int, weight: float) -> _Terms:
    y, f, rest = as_floats(part.labels, "labels"), as_floats(part.judged, "judged"), as_floats(part.rest, "rest")
    n = len(y)
    if not n or len(f) != n:
        raise ValueError(f"there are {n} labels and {len(f)} scores of the same items; as many are expected, and some")
    clusters = len(np.unique(groups))
    values = np.unique(y)
    ends = (0.0, 1.0) if set(values.tolist()) <= {0.0, 1.0} else (float(values[0]), float(values[-1]))
    weight = weight if len(values) <= GRADES_AT_MOST else 0.0
    center = (math.fsum(y) + 2 * weight * sum(ends)) / (n + 4 * weight)
    square = clusters / max(1.0, clusters + 4 * weight - 1) / n**2
    each = weight * (n / clusters) ** 2 * square  # of a pseudo-cluster of identical items and average size
    scores = np.concatenate([f, rest])
    informed = bool(len(rest)) and bool(np.ptp(scores))
    a: Floats = np.asarray(math.sqrt(square) * np.bincount(groups, y - center, minlength=count), np.float64)
    b = np.zeros(count)
    if informed:
        others = len(np.unique(rest_groups))
        b += math.sqrt(square) * np.bincount(groups, f - f.mean(), minlength=count)
        scale = math.sqrt(others / max(1, others - 1)) / len(rest)
        b -= scale * np.bincount(rest_groups, rest - rest.mean(), minlength=count)
    return _Terms(
        a=a,
        b=b,
        pseudo_label=each * 2 * sum((end - center) ** 2 for end in ends),
        pseudo_score=each * 4 * float(scores.var()) if informed else 0.0,
        label=math.fsum(y) / n,
        score=math.fsum(scores) / len(scores),
        shift=float(f.mean() - rest.mean()) if informed else 0.0,
        n=n,
        total=len(scores),
        clusters=clusters,
        constant=len(values) == 1,
    )


def _best(a: Floats, b: Floats, pseudo: Floats) -> Floats:
    """Return each part's λ, 0 or more, that minimizes the variance |a - b λ|² + pseudo · λ²."""
    squares = (b**2).sum(axis=0) + pseudo
    if len(squares) == 1:
        best = float(a @ b[:, 0]) / float(squares[0]) if squares[0] > 0 else 0.0
        return np.array([max(best, 0.0)])
    from scipy.optimize import lsq_linear  # noqa: PLC0415 - not needed to start

    scale = np.where(squares > 0, np.sqrt(squares), 1.0)
    system = np.vstack([b, np.diag(np.sqrt(pseudo))]) / scale
    target = np.concatenate([a, np.zeros(len(pseudo))])
    solved = lsq_linear(system, target, bounds=(0.0, math.inf), method="bvls")
    return np.where(squares > 0, np.maximum(solved.x / scale, 0.0), 0.0)


def _imbalance(terms: Sequence[_Terms]) -> float | None:
    """Test each part's shift with Student's t; return the lowest p-value times the number of parts (Bonferroni)."""
    from scipy.special import stdtr  # noqa: PLC0415 - not needed to start

    found = [
        2 * float(stdtr(term.clusters - 1, -abs(term.shift) / math.sqrt(float(term.b @ term.b))))
        for term in terms
        if term.clusters >= FEWEST and term.b.any()
    ]
    return min(1.0, len(found) * min(found)) if found else None


def _why_not(terms: Sequence[_Terms]) -> Message | None:
    for term in terms:
        if term.clusters < FEWEST:
            key = "few_labels" if term.clusters == term.n else "few_labeled_questions"
            return Message("remark", key, n=term.clusters, labels=term.n, least=FEWEST)
    return None


def _limits(parts: Sequence[Scores]) -> Limits:
    verdicts = all(np.isin(np.asarray(part.labels, float), (0, 1)).all() for part in parts)
    return (0.0, 1.0) if verdicts else ANYTHING


def _ends(weights: Floats, limits: Limits) -> Limits:
    """Return the range of a weighted sum of means."""
    ends = [sorted(weight * end for end in limits) for weight in weights.tolist() if weight]
    return math.fsum(low for low, _ in ends), math.fsum(high for _, high in ends)


def _bounded(result: Powered, terms: Sequence[_Terms], parts: Sequence[Scores], limits: Limits) -> Powered:
    """Bound the share of other labels where the labels have no spread: Wilson's bound, one-sided, by cluster."""
    if len(terms) > 1:
        (first, *_) = [term for term in terms if term.constant]
        note = Message("remark", "part_constant", n=first.n, value=first.label)
        return replace(result, note=note)
    (term,), (part,) = terms, parts
    n = term.clusters if part.telling is None else part.telling
    _, others = wilson(0.0, n, 2 * CONFIDENCE - 1)
    ends = [(1 - others) * term.label + others * limit for limit in limits]
    mean = Mean(term.label, None, *(end if math.isfinite(end) else None for end in ends))
    note = Message(
        "remark",
        "labels_constant",
        labels=term.n,
        value=term.label,
        share=100 * (1 - others),
        confidence=100 * CONFIDENCE,
        n=n,
        units=Message("remark", "unit_labels" if n == term.n else "unit_questions"),
    )
    return replace(result, alone=mean, powered=mean, lambdas=(0.0,), note=note)
