"""Quantities of a statement that conflict with those of the best sentence."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from saiten.judges.offline.constants import Constants
from saiten.judges.offline.index import Index
from saiten.text.numbers import known_numbers
from saiten.text.quantities import Quantity, has_other_units, quantities, replaced
from saiten.text.words import units_of

_DATES = frozenset("年月日時分")
"""Units of dates, which often identify an event rather than state something about it."""
_NAMES_SOMETHING = 3
"""Number of content units around a number that make clear what it counts."""
_OTHERS = frozenset(units_of("他 以外 otherwise elsewhere rest"))
_MOST = 0.5
"""Share of a clause above which a statement is about the clause's subject."""

_Pairs = tuple[tuple[str, str], ...]


def conflicts(lowered: str, index: Index, window: int, constants: Constants) -> tuple[_Pairs, _Pairs]:
    """Return `replaced` and `rivals` of `Support`, if the window contains most of the statement's other words."""
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
    """Return quantities that the statement replaced by others found nowhere with that unit."""
    elsewhere = [one for one in claimed if has_other_units(one, quantities(index.text))]
    known = index.numbers.difference(*(one.readings for one in elsewhere))
    found = replaced(near, claimed, there=known_numbers(lowered), known=known)
    return tuple((missing.written, instead.written) for missing, instead in found if missing.around and instead.around)


def _rivals(claimed: Sequence[Quantity], near: Sequence[Quantity], rest: AbstractSet[str]) -> _Pairs:
    """Return `rivals` of `Support`; `rest` are the statement's units other than its numbers.

    A statement of little but a number (*60度までです*) takes its subject from the question, and is decided. So is one
    that shares more with its number's clause than with the other's, unless the other is about *all others*.
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
