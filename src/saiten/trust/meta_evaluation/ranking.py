"""Ranking of metrics by closeness to people, with groups of metrics that do not differ significantly.

Every two metrics are tested on the items that both measured, by swaps or by the bootstrap
(`stats/dependent_correlations.py`), with p-values corrected for multiple testing (Holm). Figures over different items
cannot be compared by eye; the tests decide. A metric's *rank* is 1 plus the number of metrics that are significantly
better, so all metrics that no other beats share the first rank. Since "not significantly different" is not transitive
(A ~ B and B ~ C, but A above C), the *letters* give the full picture: two metrics share a letter exactly if they do not
differ significantly (compact letter display, Piepho 2004, *An Algorithm for a Letter-Based Representation of
All-Pairwise Comparisons*).
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, combinations_with_replacement

import numpy as np

from saiten.records import CHECKS
from saiten.results.ranking import PairwiseTest, RankedMetric, Ranking
from saiten.stats.auroc import auroc_features, auroc_of
from saiten.stats.classification import (
    VERDICTS,
    CategoryCounts,
    WeightedKappa,
    category_features,
    macro_f1_each,
    weighted_kappa_each,
)
from saiten.stats.clusters import Floats, Ints
from saiten.stats.correlation import kendall_each, moments, pearson_of
from saiten.stats.dependent_correlations import PERMUTATIONS, OfSums, SummedPair, bootstrap_test, swap_tests, williams
from saiten.stats.estimate import Estimate
from saiten.stats.paired import holm
from saiten.stats.ranks import ranks
from saiten.stats.resampling import Resamples
from saiten.trust.inputs.scales import grades
from saiten.trust.meta_evaluation.figures import KINDS, VERDICT_FIGURES

ENOUGH = 40
"""Permutations per test, so that the smallest p-value can stay significant after the correction."""


def rank(
    by: str,
    figures: Mapping[str, Estimate],
    columns: Mapping[str, Floats],
    people: Floats,
    groups: Ints,
    *,
    ceiling: Estimate | None = None,
    seed: int = 0,
) -> Ranking:
    """Return the ranking by a figure, one of `NAMES`.

    Args:
        by: the figure's name.
        figures: each metric's figure, as shown.
        columns: each metric's values (or decisions), NaN where it has none.
        people: the human column, NaN where people have no value.
        groups: the number of each row's question.
        ceiling: people's own figure.
        seed: seed of the swaps.
    """
    defined = [metric for metric in figures if figures[metric].value is not None]
    order = sorted(defined, key=lambda metric: -(figures[metric].value or 0.0))
    comparisons = _compare(by, list(combinations(order, 2)), columns, people, groups, seed=seed)
    apart = {frozenset((each.first, each.second)) for each in comparisons if each.apart}
    beaten = Counter(each.second if (each.difference or 0) > 0 else each.first for each in comparisons if each.apart)
    # by rank first: for metrics measured on different items, the figures alone could give another order
    order.sort(key=lambda metric: (beaten[metric], -(figures[metric].value or 0.0)))
    letters = compact_letters(order, lambda a, b: frozenset((a, b)) in apart)
    places = [RankedMetric(metric, figures[metric], beaten[metric] + 1, letters[metric]) for metric in order]
    if ceiling is not None and ceiling.value is not None:
        at = next((i for i, place in enumerate(places) if (place.figure.value or 0.0) < ceiling.value), len(places))
        places.insert(at, RankedMetric("people, one against the others", ceiling, None, people=True))
    places += [RankedMetric(metric, figures[metric], None) for metric in figures if metric not in order]
    return Ranking(by, tuple(places), tuple(comparisons))


def compact_letters(names: Sequence[str], apart: Callable[[str, str], bool]) -> dict[str, str]:
    """Return letters such that two names share one exactly if they are not apart; `a` goes with the first name.

    Each letter is a set of names of which no two are apart, grown from a pair that shares no letter yet.
    """
    found: list[list[str]] = []
    for name, other in combinations_with_replacement(names, 2):
        alone = name == other and all(apart(name, one) for one in names if one != name)
        alike = name != other and not apart(name, other)
        if not (alone or alike) or any(name in group and other in group for group in found):
            continue
        grown: list[str] = []
        for one in names:  # the additions must not be apart among themselves
            if one in (name, other) or not any(apart(one, mate) for mate in (name, other, *grown)):
                grown.append(one)
        found.append(grown)
    return {name: "".join(_letter(i) for i, group in enumerate(found) if name in group) for name in names}


def _letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"({i + 1})"


def _compare(
    by: str,
    pairs: list[tuple[str, str]],
    columns: Mapping[str, Floats],
    people: Floats,
    groups: Ints,
    *,
    seed: int,
) -> list[PairwiseTest]:
    kept = [
        np.flatnonzero(~(np.isnan(columns[first]) | np.isnan(columns[second]) | np.isnan(people)))
        for first, second in pairs
    ]
    clusters = int(groups.max()) + 1 if len(groups) else 0
    if by in FIGURES:
        contests = [
            FIGURES[by](columns[first][rows], columns[second][rows], people[rows])
            for (first, second), rows in zip(pairs, kept, strict=True)
        ]
        most = max(PERMUTATIONS, ENOUGH * len(pairs))
        tests = swap_tests(contests, [groups[rows] for rows in kept], clusters, permutations=most, seed=seed)
    else:
        tests = _recounted(
            RECOUNTED[by], pairs, kept, columns, people, resamples=Resamples(groups, clusters, seed=seed)
        )
    p_values = [p for _, p in tests]
    competing = [CHECKS.isdisjoint(pair) for pair in pairs]
    # Tests against a check are corrected for all tests, but do not weaken those between metrics.
    every, among = holm(p_values), holm(p_values, competing=competing)
    corrected = [one if competes else other for one, other, competes in zip(among, every, competing, strict=True)]
    prepared = {"pearson": lambda x: x, "spearman": ranks}.get(by)
    return [
        PairwiseTest(
            first,
            second,
            len(rows),
            difference,
            p,
            low,
            williams(*(prepared(column[rows]) for column in (columns[first], columns[second], people)))
            if prepared
            else None,
        )
        for (first, second), rows, (difference, p), low in zip(pairs, kept, tests, corrected, strict=True)
    ]


Tested = tuple[float | None, float | None]
"""Difference and p-value."""


def _recounted(
    recount: "Recount",
    pairs: Sequence[tuple[str, str]],
    kept: Sequence[Ints],
    columns: Mapping[str, Floats],
    people: Floats,
    *,
    resamples: Resamples,
) -> list[Tested]:
    """Test the pairs, recounting each metric only once for all tests on the same items."""
    known: dict[tuple[str, bytes], tuple[float, Floats]] = {}
    tests: list[Tested] = []
    for names, rows in zip(pairs, kept, strict=True):
        drawn = resamples.only(rows)
        for name in names:
            if (name, rows.tobytes()) not in known:
                figure = recount(columns[name][rows], people[rows])
                whole = figure(np.ones((1, len(rows)))) if len(rows) else [math.nan]
                known[name, rows.tobytes()] = (float(whole[0]), drawn.each(figure))
        (a, first), (b, second) = (known[name, rows.tobytes()] for name in names)
        difference = a - b if math.isfinite(a - b) else None
        p = None if difference is None else bootstrap_test(difference, first, second, drawn.clusters)
        tests.append((difference, p))
    return tests


# ------------------------------------------------------------------------------------ figures to rank by

Contest = Callable[[Floats, Floats, Floats], SummedPair]
"""From two metrics' columns and people's, the sums for a swap test."""


def _summed(features: Callable[[Floats, Floats], Floats], figure: OfSums) -> Contest:
    return lambda first, second, people: SummedPair(features(first, people), features(second, people), figure)


def _of_verdicts(figure: Callable[[CategoryCounts], Floats]) -> Contest:
    return _summed(lambda x, y: category_features(y, x, VERDICTS), lambda sums: figure(CategoryCounts.of_sums(sums)))


def _quadratic_kappa(first: Floats, second: Floats, people: Floats) -> SummedPair:
    x, other, y = (grades(column) for column in (first, second, people))
    kappa = WeightedKappa(np.unique(np.concatenate([x, other, y])), "quadratic")
    return SummedPair(kappa.features(x, y), kappa.features(other, y), kappa.figure)


FIGURES: Mapping[str, Contest] = {
    "pearson": _summed(moments, pearson_of),
    "spearman": _summed(lambda x, y: moments(ranks(x), ranks(y)), pearson_of),
    "auroc": _summed(auroc_features, auroc_of),
    **{name: _of_verdicts(VERDICT_FIGURES[name][1]) for name in ("agreement", "kappa", "f1", "balanced_accuracy")},
    "quadratic_kappa": _quadratic_kappa,
    "accuracy": _summed(
        lambda x, y: np.stack([np.ones_like(x), x == y], axis=1), lambda sums: sums[..., 1] / sums[..., 0]
    ),
}
"""Figures that are functions of sums; `accuracy` is that of preferences."""

Recount = Callable[[Floats, Floats], Callable[[Floats], Floats]]
"""From a metric's column and people's, the figure as a function of the rows' weights."""

RECOUNTED: Mapping[str, Recount] = {
    "kendall": kendall_each,
    "linear_kappa": lambda x, y: weighted_kappa_each(grades(x), grades(y), "linear"),
    "macro_f1": partial(macro_f1_each, kinds=KINDS),
}
"""Figures recounted for every resample; `macro_f1` is that of verdicts (0, 1) or preferences."""

NAMES = (*FIGURES, *RECOUNTED)
"""Figures by which metrics can be ranked."""
