"""Which metric is closest to people, and which of them cannot be told apart.

Every two metrics are tested on the items that both measured, by swaps or by the bootstrap
(`stats/dependent_correlations.py`), and the p-values are
corrected for being many (Holm). Figures over different items cannot be compared by eye; the tests decide. A metric's
*rank* is 1 plus the number of metrics that are significantly better, so the first rank is shared by all that nothing
beats. Since "not told apart" is not transitive (A ~ B and B ~ C, but A above C), the *letters* say it fully: two
metrics have a letter in common exactly if they are not significantly apart (compact letter display, Piepho 2004, *An
Algorithm for a Letter-Based Representation of All-Pairwise Comparisons*).
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from saiten.records import CHECKS
from saiten.stats import Estimate, holm
from saiten.stats.clusters import Floats, Ints
from saiten.stats.correlation import ranks
from saiten.stats.dependent_correlations import (
    PERMUTATIONS,
    OfSums,
    Rivals,
    WilliamsTest,
    bootstrap_test,
    swap_tests,
    williams,
)
from saiten.stats.resampled import Resamples, kendall_each, linear_kappa_each, macro_f1_each, pearson_of, standard
from saiten.trust.meta_evaluation.scales import grades

SIGNIFICANT = 0.05
ENOUGH = 40
"""Permutations a test, so that the smallest p-value can stay significant after the correction."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two metrics on the items that both measured."""

    first: str
    second: str
    n: int
    difference: float | None
    """Of their figures on these items, first minus second; None where either is undefined there."""
    p_value: float | None
    """By question, as it is: of the swap test, or of the bootstrap test for a figure that has to be recounted."""
    corrected: float | None
    """The same, corrected for all comparisons of the ranking."""
    williams: WilliamsTest | None
    """For Pearson and Spearman; it takes the items for independent."""

    @property
    def apart(self) -> bool:
        """Whether the difference is significant."""
        return self.corrected is not None and self.corrected < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Place:
    """One row of the ranking."""

    metric: str
    figure: Estimate
    rank: int | None
    """None where the figure is undefined, and for people."""
    letters: str = ""
    people: bool = False
    """Whether this row is the human ceiling."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The metrics by one figure, best first, with the human ceiling where it belongs by its value."""

    by: str
    places: tuple[Place, ...]
    comparisons: tuple[Comparison, ...]


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
    """The ranking by a figure, one of `NAMES`.

    Args:
        by: which figure.
        figures: each metric's figure, as it is shown.
        columns: each metric's values (or decisions), NaN where it has none.
        people: the other column, NaN where people have none.
        groups: the number of each row's question.
        ceiling: people's own figure.
        seed: of the swaps.
    """
    defined = [metric for metric in figures if figures[metric].value is not None]
    order = sorted(defined, key=lambda metric: -(figures[metric].value or 0.0))
    comparisons = _compare(by, list(combinations(order, 2)), columns, people, groups, seed=seed)
    apart = {frozenset((each.first, each.second)) for each in comparisons if each.apart}
    beaten = Counter(each.second if (each.difference or 0) > 0 else each.first for each in comparisons if each.apart)
    # by rank first: where metrics were measured on different items, the figures alone could be in another order
    order.sort(key=lambda metric: (beaten[metric], -(figures[metric].value or 0.0)))
    letters = compact_letters(order, lambda a, b: frozenset((a, b)) in apart)
    places = [Place(metric, figures[metric], beaten[metric] + 1, letters[metric]) for metric in order]
    if ceiling is not None and ceiling.value is not None:
        at = next((i for i, place in enumerate(places) if (place.figure.value or 0.0) < ceiling.value), len(places))
        places.insert(at, Place("people, one against the others", ceiling, None, people=True))
    places += [Place(metric, figures[metric], None) for metric in figures if metric not in order]
    return Ranking(by, tuple(places), tuple(comparisons))


def compact_letters(names: Sequence[str], apart: Callable[[str, str], bool]) -> dict[str, str]:
    """Letters such that two names share one exactly if they are not apart; `a` goes with the first name.

    Each letter is a set of names of which no two are apart, grown from a pair that shares no letter yet.
    """
    found: list[list[str]] = []
    for at, name in enumerate(names):
        for other in names[at:]:
            alike = name == other or not apart(name, other)
            if not alike or any(name in group and other in group for group in found):
                continue
            group = [name] if name == other else [name, other]
            if name == other and any(not apart(name, one) for one in names if one != name):
                continue  # it shares a letter with somebody
            group += [one for one in names if one not in group and not any(apart(one, mate) for mate in group)]
            grown: list[str] = []
            for one in names:  # the additions must not be apart among themselves
                if one in group and (one in (name, other) or not any(apart(one, mate) for mate in grown)):
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
) -> list[Comparison]:
    prepare = (FIGURES.get(by) or RECOUNTED[by])[0]
    rivals: list[Rivals] = []
    kept: list[Ints] = []
    for first, second in pairs:
        rows = np.flatnonzero(~(np.isnan(columns[first]) | np.isnan(columns[second]) | np.isnan(people)))
        a, y = prepare(columns[first][rows], people[rows])
        b, _ = prepare(columns[second][rows], people[rows])
        rivals.append(Rivals(a, b, y, groups[rows]))
        kept.append(rows)
    clusters = int(groups.max()) + 1 if len(groups) else 0
    if by in FIGURES:
        tests = _swapped(FIGURES[by][1], rivals, clusters, seed)
    else:
        tests = _recounted(RECOUNTED[by][1], pairs, rivals, kept, Resamples(groups, clusters, seed=seed))
    p_values = [p for _, p in tests]
    competing = [CHECKS.isdisjoint(pair) for pair in pairs]
    # What is tested against a check is corrected for all; it makes the tests between metrics no weaker.
    every, among = holm(p_values), holm(p_values, competing=competing)
    corrected = [one if competes else other for one, other, competes in zip(among, every, competing, strict=True)]
    correlated = by in ("pearson", "spearman")
    return [
        Comparison(
            first,
            second,
            len(rival.people),
            difference,
            p,
            low,
            williams(rival.first, rival.second, rival.people) if correlated else None,
        )
        for (first, second), rival, (difference, p), low in zip(pairs, rivals, tests, corrected, strict=True)
    ]


Tested = tuple[float | None, float | None]
"""Difference and p-value."""


def _swapped(figure: OfSums, rivals: Sequence[Rivals], clusters: int, seed: int) -> list[Tested]:
    most = max(PERMUTATIONS, ENOUGH * len(rivals))
    p_values = swap_tests(rivals, figure, clusters, permutations=most, seed=seed)
    return [(_difference(rival, figure), p) for rival, p in zip(rivals, p_values, strict=True)]


def _recounted(
    figure: "Recount",
    pairs: Sequence[tuple[str, str]],
    rivals: Sequence[Rivals],
    kept: Sequence[Ints],
    resamples: Resamples,
) -> list[Tested]:
    """A metric is recounted once for all tests on the same items, which are all its tests where nothing is missing."""
    known: dict[tuple[str, bytes], tuple[float, Floats]] = {}
    tests: list[Tested] = []
    for names, rival, rows in zip(pairs, rivals, kept, strict=True):
        drawn = resamples.only(rows)
        for name, column in zip(names, (rival.first, rival.second), strict=True):
            if (name, rows.tobytes()) not in known:
                of_weights = figure(column, rival.people)
                whole = of_weights(np.ones((1, len(rows)))) if len(rows) else [math.nan]
                known[name, rows.tobytes()] = (float(whole[0]), drawn.each(of_weights))
        (a, first), (b, second) = (known[name, rows.tobytes()] for name in names)
        difference = a - b if math.isfinite(a - b) else None
        p = None if difference is None else bootstrap_test(difference, first, second, drawn.clusters)
        tests.append((difference, p))
    return tests


def _difference(rival: Rivals, figure: OfSums) -> float | None:
    y = rival.people
    sums = [
        np.array([len(y), x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum()], dtype=np.float64)
        for x in (rival.first, rival.second)
    ]
    difference = float(figure(sums[0]) - figure(sums[1]))
    return difference if np.isfinite(difference) else None


# -------------------------------------------------------------- figures as functions of sums of 1, x, y, x², y², xy

Prepare = Callable[[Floats, Floats], tuple[Floats, Floats]]


def _columns(sums: Floats) -> list[Floats]:
    return [sums[..., i] for i in range(sums.shape[-1])]


def _auroc_of(sums: Floats) -> Floats:
    """Half plus the difference of the mean ranks of yes and no, divided by n.

    That is the AUROC of a column's own ranks. After a swap the ranks no longer add up to n(n + 1)/2, so a formula that
    looks at the yes alone would depend on which class is called 1.
    """
    n, ranked, yes, _, _, of_yes = _columns(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = of_yes / np.where(yes > 0, yes, np.nan) - (ranked - of_yes) / np.where(yes < n, n - yes, np.nan)
        return 0.5 + apart / n


def _agreement_of(sums: Floats) -> Floats:
    n, x, y, _, _, xy = _columns(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (n - x - y + 2 * xy) / n


def _kappa_of(sums: Floats) -> Floats:
    """Kappa with squared weights, which for 0 and 1 is Cohen's own: 1 - E(x - y)² / (Ex² + Ey² - 2 Ex Ey)."""
    n, x, y, xx, yy, xy = _columns(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        chance = xx + yy - 2 * x * y / n
        return 1 - (xx + yy - 2 * xy) / np.where(chance > 0, chance, np.nan)


def _balanced_of(sums: Floats) -> Floats:
    n, x, y, _, _, xy = _columns(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (xy / np.where(y > 0, y, np.nan) + (n - x - y + xy) / np.where(y < n, n - y, np.nan)) / 2


def _f1_of(sums: Floats) -> Floats:
    _, x, y, _, _, xy = _columns(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 2 * xy / np.where(x + y > 0, x + y, np.nan)


def _mean_of(sums: Floats) -> Floats:
    n, x, *_ = _columns(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        return x / n


FIGURES: Mapping[str, tuple[Prepare, OfSums]] = {
    "pearson": (lambda x, y: (standard(x), standard(y)), pearson_of),
    "spearman": (lambda x, y: (standard(ranks(x)), standard(ranks(y))), pearson_of),
    "auroc": (lambda x, y: (ranks(x), y), _auroc_of),
    "agreement": (lambda x, y: (x, y), _agreement_of),
    "kappa": (lambda x, y: (x, y), _kappa_of),
    "f1": (lambda x, y: (x, y), _f1_of),
    "balanced_accuracy": (lambda x, y: (x, y), _balanced_of),
    "quadratic_kappa": (lambda x, y: (grades(x), grades(y)), _kappa_of),
    "accuracy": (lambda x, y: ((x == y).astype(np.float64), y), _mean_of),
}
"""Those that are functions of sums; `accuracy` is that of preferences."""

Recount = Callable[[Floats, Floats], Callable[[Floats], Floats]]
"""Takes a metric's column and people's, and gives the figure as a function of weights, as in `stats.resampled`."""

RECOUNTED: Mapping[str, tuple[Prepare, Recount]] = {
    "kendall": (lambda x, y: (x, y), kendall_each),
    "linear_kappa": (lambda x, y: (grades(x), grades(y)), linear_kappa_each),
    "macro_f1": (lambda x, y: (x, y), partial(macro_f1_each, kinds=np.array([-1.0, 0.0, 1.0]))),
}
"""Those that have to be counted anew for every resample; `macro_f1` is that of verdicts (0, 1) or preferences."""

NAMES = (*FIGURES, *RECOUNTED)
"""By which figures metrics can be ranked."""
