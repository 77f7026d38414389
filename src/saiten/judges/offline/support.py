"""Support: the probability that some contexts support a statement, from the words, numbers and names they share.

A logistic regression over five features (`constants.toml`). It sees invented words, numbers and names; it sees neither
a negation nor a value that was swapped for another from the same contexts.
"""

import math
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from saiten.judges.offline.constants import Constants
from saiten.judges.offline.index import Index
from saiten.judges.offline.names import japanese_names, latin_names
from saiten.text.numbers import claimed_numbers, known_numbers
from saiten.text.polarity import is_negated
from saiten.text.quantities import Quantity, has_other_units, quantities, replaced
from saiten.text.words import grams_of, normalise, stem, units_of

_DATES = frozenset("年月日時分")
"""A date tells which event is meant as often as what was said of it."""
_NAMES_SOMETHING = 3
"""Content units beside a number that say what it is the number of."""
_OTHERS = frozenset(units_of("他 以外 otherwise elsewhere rest"))
_MOST = 0.5
"""Of a clause: with so much of it, a statement is about what the clause is about."""
_HIRAGANA = re.compile("[\u3041-\u309f]{4}")


@dataclass(frozen=True, slots=True)
class Support:
    """What was found out about one statement."""

    p: float
    """The probability of support; 0.5 where there was nothing to compare."""
    comparable: bool
    """Whether the statement has content words, numbers or names at all."""
    share: float = 0.0
    """The share of its content units in the best sentence."""
    window: int = -1
    """The best sentence, -1 if none shares a unit."""
    missing_numbers: tuple[str, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    """Quantities of the best sentence, and what the statement has with the same unit instead."""
    rivals: tuple[tuple[str, str], ...] = ()
    """Quantities of the statement, and what the best sentence has with the same unit for something else: which of the
    two is meant stays open, since the statement names hardly anything of what the sentence says of its own."""
    missing_names: tuple[str, ...] = ()
    negation_differs: bool = False
    """A warning only: one of statement and best sentence is negated. It is not in `p`."""


def support(statement: str, index: Index, constants: Constants, excused: AbstractSet[str] = frozenset()) -> Support:
    """How far the indexed contexts support the statement; `excused` units (the question's) are not held to be new."""
    text = normalise(statement)
    lowered = text.lower()
    units, grams = sorted(units_of(lowered)), grams_of(lowered)
    contained = len(grams & index.grams) / len(grams) if grams else 0.0
    if units:
        window, coverage, share = index.best_window(units)
    elif _HIRAGANA.search(lowered):  # もちろんあります。 has no content units, but can be compared by its characters
        window, coverage, share = -1, contained, contained
    else:
        return Support(p=0.5, comparable=False)
    numbers = claimed_numbers(lowered)
    missing_numbers = tuple(each.written for each in numbers if index.numbers.isdisjoint(each.readings))
    latin, japanese = latin_names(text), japanese_names(text)
    missing_names = tuple(
        [name for name in latin if not _known_name(name.lower(), index)]
        + [name for name in japanese if name.lower() not in index.text]
    )
    novel = sum(unit not in index.postings and unit not in excused for unit in units)
    weights = constants.support
    logit = math.fsum(
        (
            weights["intercept"],
            weights["coverage"] * coverage,
            weights["characters"] * contained,
            weights["number_missing"] * bool(missing_numbers),
            weights["names_missing"] * len(missing_names) / (len(latin) + len(japanese) or 1),
            weights["novel"] * math.log1p(novel),
        )
    )
    close = window >= 0 and coverage > constants.band["negation"]
    p, swapped, rivals = sigmoid(logit), *_quantities(lowered, index, window, constants)
    if swapped:
        p = min(p, weights["number_conflict"])
    elif rivals:
        p = min(p, weights["number_open"])
    return Support(
        p=p,
        comparable=True,
        share=share,
        window=window,
        missing_numbers=missing_numbers,
        replaced=swapped,
        rivals=rivals,
        missing_names=missing_names,
        negation_differs=close and is_negated(lowered) != is_negated(index.sentence(window)),
    )


_Pairs = tuple[tuple[str, str], ...]


def _quantities(lowered: str, index: Index, window: int, constants: Constants) -> tuple[_Pairs, _Pairs]:
    """`replaced` and `rivals` of `Support`, where the window holds most of what else the statement says."""
    claimed = quantities(lowered)
    near = quantities(index.sentence(window)) if claimed and window >= 0 else []
    if not any(one.unit == other.unit for one in claimed for other in near):
        return (), ()
    units = units_of(lowered)
    rest = units.difference(*(units_of(one.written) for one in claimed))
    if rest and index.shares(sorted(rest)).get(window, 0.0) <= constants.band["negation"]:
        return (), ()
    return _replaced(lowered, claimed, near, index), _rivals(claimed, near, rest)


def _replaced(lowered: str, claimed: Sequence[Quantity], near: Sequence[Quantity], index: Index) -> _Pairs:
    """The quantities of the sentence in whose place the statement has others, which are nowhere with that unit."""
    elsewhere = [one for one in claimed if has_other_units(one, quantities(index.text))]
    known = index.numbers.difference(*(one.readings for one in elsewhere))
    found = replaced(near, claimed, there=known_numbers(lowered), known=known)
    return tuple((missing.written, instead.written) for missing, instead in found if missing.around and instead.around)


def _rivals(claimed: Sequence[Quantity], near: Sequence[Quantity], rest: AbstractSet[str]) -> _Pairs:
    """`rivals` of `Support`; `rest` are the units that the statement has beside its numbers.

    A statement of little but a number (*60度までです*) leaves its subject to the question, and is not open. Nor is one
    that has more of its number's clause than of the other's, unless the other is about *all others*.
    """
    if len(rest) < _NAMES_SOMETHING:
        return ()

    def named(one: Quantity) -> float:
        return len(one.around & rest) / (len(one.around) or 1)

    found: list[tuple[str, str]] = []
    for one in (each for each in claimed if each.unit not in _DATES):
        same = [each for each in near if each.unit == one.unit]
        own = max((named(each) for each in same if not each.readings.isdisjoint(one.readings)), default=1.0)
        others = [each for each in same if all(each.readings.isdisjoint(other.readings) for other in claimed)]
        if own < _MOST and any(not each.around or each.around & _OTHERS or named(each) >= own for each in others):
            found.append((one.written, others[0].written))
    return tuple(found)


def sigmoid(logit: float) -> float:
    """1 / (1 + e^-logit), for any size of logit."""
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0


def _known_name(name: str, index: Index) -> bool:
    return (
        name in index.words
        or stem(name) in index.postings
        or all(part in index.words for part in re.split("['-]", name))
    )
