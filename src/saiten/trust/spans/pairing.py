"""Optimal one-to-one pairing of two lists of units of one text, by overlapping characters.

Source: the span meta-evaluation of the gist method (spec: recall = overlap / length of the human unit, precision =
overlap / length of the judge's unit; where two human units overlap one unit of the judge, the better pair is kept).

The pairing maximizes the total overlap in characters. Among pairings with the same total, it maximizes the sum of
recalls and precisions, with recall weighing √2 % more: the sums are rational and that weight is not, so pairings that
still tie have the same recall and the same precision, and the result depends on neither order nor names of the units.

Only overlapping units compete, so the text is split into blocks, and each block is a separate assignment problem
(Jonker and Volgenant's algorithm, `scipy.optimize.linear_sum_assignment`): 2,000 consecutive units are thousands of
small blocks, not one table of four million cells.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from saiten.errors import BadInput
from saiten.records import Span

MOST_CELLS = 25_000_000
"""Human units times judge's units in one block: 5,000 of each, all overlapping, take 200 MB."""

_RECALL_WEIGHS = 1 + math.sqrt(2) / 100


@dataclass(frozen=True, slots=True)
class UnitPair:
    """A human unit and a unit of the judge that overlap."""

    human: int
    """Index in the people's list."""
    judge: int
    """Index in the judge's list."""
    overlap: int
    """Number of shared characters."""


def pair_units(human: Sequence[Span], judge: Sequence[Span]) -> tuple[UnitPair, ...]:
    """Return the pairs, in the order of the people's list; units without offsets or overlap are in no pair.

    Raises:
        BadInput: too many units overlap to be paired.
    """
    found: list[UnitPair] = []
    for people, others in _blocks(human, judge):
        if len(people) == len(others) == 1:
            overlap = overlap_of(human[people[0]], judge[others[0]])
            found += [UnitPair(people[0], others[0], overlap)] if overlap else []
        elif people and others:
            found += _assigned(people, others, human, judge)
    return tuple(sorted(found, key=lambda pair: pair.human))


def overlap_of(one: Span, other: Span) -> int:
    """Count the characters that two units of the same text share."""
    if one.start is None or one.end is None or other.start is None or other.end is None:
        return 0
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def length_of(unit: Span) -> int:
    """Return the length of a unit with offsets in characters; 0 without offsets."""
    return 0 if unit.start is None or unit.end is None else unit.end - unit.start


def is_placed(unit: Span) -> bool:
    """Return whether the unit has offsets."""
    return unit.start is not None and unit.end is not None


def _blocks(human: Sequence[Span], judge: Sequence[Span]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield groups of units connected by overlap; units of different groups do not overlap."""
    placed = sorted(
        (unit.start, unit.end, side, at)
        for side, units in enumerate((human, judge))
        for at, unit in enumerate(units)
        if unit.start is not None and unit.end is not None
    )
    block: tuple[list[int], list[int]] = ([], [])
    reaches = -1
    for start, end, side, at in placed:
        if start >= reaches:
            yield block
            block = ([], [])
        block[side].append(at)
        reaches = max(reaches, end)
    yield block


def _assigned(people: list[int], others: list[int], human: Sequence[Span], judge: Sequence[Span]) -> list[UnitPair]:
    if len(people) * len(others) > MOST_CELLS:
        raise BadInput(
            f"{len(people):,} units by people and {len(others):,} by the judge overlap in one text, "
            f"which is more than can be paired; were whole texts marked many times?"
        )
    # Imported only when units compete: scipy takes longer to load than most comparisons take to compute.
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

    rows, columns = _ends([human[at] for at in people]), _ends([judge[at] for at in others])
    overlap = np.minimum(rows[:, 1:], columns[:, 1]) - np.maximum(rows[:, :1], columns[:, 0])
    np.maximum(overlap, 0, out=overlap)
    # Each share is at most 1; the divisor keeps their sum below one character.
    share = overlap / (rows[:, 1:] - rows[:, :1]) * _RECALL_WEIGHS + overlap / (columns[:, 1] - columns[:, 0])
    chosen = linear_sum_assignment(overlap + share / (4 * min(overlap.shape)), maximize=True)
    return [
        UnitPair(people[i], others[j], int(overlap[i, j])) for i, j in zip(*chosen, strict=True) if overlap[i, j] > 0
    ]


def _ends(units: Sequence[Span]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return start and end of each unit (units x 2)."""
    return np.array([(unit.start, unit.end) for unit in units], dtype=np.float64)
