"""Values counted: by grade where all are whole numbers, else by bins of one width. Numbers in, numbers out."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite

from saiten.views.charts.axes import Axis

_MOST_GRADES = 12
"""Whole numbers further apart are counts (lengths, tokens), not grades."""
_BINS = 20


@dataclass(frozen=True, slots=True)
class Bins:
    """Bars that all systems share."""

    edges: tuple[tuple[float, float], ...]
    """Left and right end of each bar."""
    axis: Axis


@dataclass(frozen=True, slots=True)
class Counted:
    """The values of one system."""

    counts: tuple[int, ...]
    """By bar."""
    n: int
    missing: int
    """Neither number nor anything else that can be counted."""
    mean: float | None


def make_bins(values: Iterable[float], axis: Axis) -> Bins:
    """A bar a grade, around it; or twenty bins of one width from end to end of the axis."""
    if grades := _grades(values, axis):
        low, high = grades[0], grades[-1]
        whole = Axis(low - 0.5, high + 0.5, tuple(map(float, grades)))
        return Bins(tuple((grade - 0.4, grade + 0.4) for grade in grades), whole)
    width = (axis.high - axis.low) / _BINS
    return Bins(tuple((axis.low + width * place, axis.low + width * (place + 1)) for place in range(_BINS)), axis)


def _grades(values: Iterable[float], axis: Axis) -> Sequence[int]:
    if axis.high - axis.low > _MOST_GRADES or not all(float(value).is_integer() for value in values):
        return ()
    return range(floor(axis.low), ceil(axis.high) + 1)


def count(values: Iterable[float | None], bins: Bins) -> Counted:
    """How many lie in each bar; the last takes its right end. What lies outside is with the outermost."""
    low, high = bins.edges[0][0], bins.edges[-1][1]
    step = (bins.edges[-1][0] - low) / max(len(bins.edges) - 1, 1) or high - low
    shift = 0.0 if bins.edges[0][1] - low >= step * 0.999 else (step - (bins.edges[0][1] - low)) / 2
    found: Counter[int] = Counter()
    n = missing = 0
    total = 0.0
    for value in values:
        if value is None or not isfinite(value):
            missing += 1
            continue
        n += 1
        total += value
        place = int((value - low + shift) / step + 1e-9)
        found[min(max(place, 0), len(bins.edges) - 1)] += 1
    counts = tuple(found[place] for place in range(len(bins.edges)))
    return Counted(counts, n, missing, total / n if n and isfinite(total) else None)


def tallest(counted: Counted) -> float:
    """The largest share of the values in one bar."""
    return max(counted.counts) / counted.n if counted.n else 0.0
