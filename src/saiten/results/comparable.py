"""Which sides can be compared with each other."""

from collections.abc import Iterable, Iterator
from typing import Literal

from saiten.results.paired_sides import paired
from saiten.results.sides import Side

Apart = Literal["unmeasured", "metric", "question", "sample"]
"""Why two sides cannot be compared: one has no values at all; no metric, question or sample has values on both."""


def apart(first: Side, second: Side) -> Apart | None:
    """Return why the two cannot be compared; None if they can."""
    if not first.measured or not second.measured:
        return "unmeasured"
    shared = [metric for metric in first.measured if metric in second.measured]
    if not shared:
        return "metric"
    _, (one, other) = paired((first, second))
    if any(not one.values[metric].keys().isdisjoint(other.values[metric]) for metric in shared):
        return None
    return "question" if first.by_question else "sample"


def comparable(sides: Iterable[Side]) -> Iterator[list[Side]]:
    """Yield groups of sides: each can be compared with the first of its group; incomparable ones are alone."""
    left = list(sides)
    while left:
        first, *others = left
        group = [first, *(side for side in others if apart(first, side) is None)]
        left = [side for side in left if not any(side is one for one in group)]
        yield group
