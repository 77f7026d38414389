"""Pairs of systems that a metric orders as people do, whatever an order is made of: counts, share, interval.

A pair is alike if both sides order it the same way, or both tie it; a pair that only one side ties is not alike
(Deutsch, Foster and Freitag 2023, *Ties Matter*). Other papers give such a pair half a point: `credited`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from saiten.errors import BadInput
from saiten.stats.clusters import Floats, Ints
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples

FEWEST = 3
_BLOCK = 1_000
"""Pairs that are counted at once."""

Signs = Callable[[Ints, Ints], tuple[Floats, Floats, Floats, Floats]]
"""From the numbers of first and second systems: 1, 0 or -1 per pair by the metric and by people, then the same in each
resample (resamples x pairs), NaN in a resample without values; pairs of which nothing is known are left out."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """Pairs of systems, ordered by a metric and by people."""

    ordered: Estimate
    """Share of the pairs that are alike; `n` is the number of pairs."""
    credited: Estimate
    """The same, with half a point for a pair that only one side ties."""
    agree: int
    """Pairs that both order alike."""
    disagree: int
    """Pairs that they order the other way round."""
    tied_metric: int
    """Pairs that only the metric ties."""
    tied_people: int
    """Pairs that only people tie."""
    tied_both: int
    unmet: int = 0
    """Pairs that nothing is known of, for example without a common question."""

    @classmethod
    def none(cls, estimate: Estimate, unmet: int = 0) -> "Ordered":
        """No pairs, and the reason."""
        return cls(estimate, estimate, 0, 0, 0, 0, 0, unmet)


def few(systems: int, lacking: str = "") -> Estimate | None:
    """Why nothing can be said of the order of so few systems; None where something can.

    `lacking`: why there are not more, where more are named.
    """
    if systems >= FEWEST:
        return None
    named = {0: "no system is named", 1: "there is one system"}.get(systems, f"there are {systems} systems")
    return Estimate(None, systems, f"{lacking or named}; {FEWEST} are needed to speak of their order")


def ordered(
    names: Sequence[str], signs: Signs, resamples: Resamples, *, pairs: Sequence[tuple[str, str]] | None = None
) -> Ordered:
    """The counts over all pairs of systems, or over those that were asked for."""
    chosen = numbered(names, pairs)
    if not len(chosen):
        return Ordered.none(Estimate(None, 0, "none of the pairs asked for has two measured systems"))
    seen: list[Ints] = []
    right, half = np.zeros(resamples.resamples), np.zeros(resamples.resamples)
    for start in range(0, len(chosen), _BLOCK):
        first, second = chosen[start : start + _BLOCK].T
        a, b, drawn_a, drawn_b = signs(first, second)
        seen.append(np.stack([a, b]).astype(np.int64))
        lost = np.isnan(drawn_a).any(axis=1) | np.isnan(drawn_b).any(axis=1)
        right += np.where(lost, np.nan, (drawn_a == drawn_b).sum(axis=1))
        half += np.where(lost, np.nan, ((drawn_a == 0) != (drawn_b == 0)).sum(axis=1) / 2)
    a, b = np.concatenate(seen, axis=1)
    n = len(a)
    if not n:
        return Ordered.none(Estimate(None, 0, "no two systems answered the same question"), len(chosen))
    alike = a == b
    one_sided = (a == 0) != (b == 0)
    return Ordered(
        ordered=resamples.interval(Estimate(float(alike.mean()), n), right / n),
        credited=resamples.interval(Estimate(float((alike + one_sided / 2).mean()), n), (right + half) / n),
        agree=int((alike & (a != 0)).sum()),
        disagree=int((a * b < 0).sum()),
        tied_metric=int((one_sided & (a == 0)).sum()),
        tied_people=int((one_sided & (b == 0)).sum()),
        tied_both=int((alike & (a == 0)).sum()),
        unmet=len(chosen) - n,
    )


def numbered(names: Sequence[str], pairs: Sequence[tuple[str, str]] | None) -> Ints:
    """The pairs by number (pairs x 2); those with a system that has no values are left out."""
    if pairs is None:
        return np.array(list(combinations(range(len(names)), 2)), dtype=np.int64).reshape(-1, 2)
    number = {name: i for i, name in enumerate(names)}
    known = [(number[a], number[b]) for a, b in pairs if a in number and b in number]
    return np.array(known, dtype=np.int64).reshape(-1, 2)


def check_pairs(pairs: Sequence[tuple[str, str]], systems: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The pairs, each once, whichever system comes first.

    Raises:
        BadInput: a system that is none of these, or a system beside itself.
    """
    found: dict[frozenset[str], tuple[str, str]] = {}
    for first, second in pairs:
        for name in (first, second):
            if name not in systems:
                raise BadInput(f"there is no system {name!r} with labels; there are {', '.join(systems) or 'none'}")
        if first == second:
            raise BadInput(f"a pair of systems needs two, and {first!r} is paired with itself")
        found.setdefault(frozenset((first, second)), (first, second))
    return tuple(found.values())
