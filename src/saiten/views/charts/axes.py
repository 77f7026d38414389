"""Axes with round ends: those of the metric's scale if it has ends, otherwise around the figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from saiten.views.charts.texts import finite

Bounds = tuple[float | None, float | None]
"""The ends of a scale; None at an open end."""

_STEPS = (1, 2, 2.5, 5, 10)
_PARTS = range(4, 8)
"""Allowed numbers of parts of a scale, if one of them gives round steps."""
_AIM = 4
"""Target number of parts for other axes."""
_LARGEST = 1e290
"""Beyond this, and below its inverse, floating-point arithmetic breaks down."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of numbers that begins and ends at round ones."""

    low: float
    high: float
    ticks: tuple[float, ...]


def make_axis(values: Iterable[float]) -> Axis | None:
    """Return an axis that shows all these finite values; None without values, or beyond the range of floats."""
    found = list(values)
    low, high = min(found, default=0.0), max(found, default=0.0)
    if not found or max(-low, high) > _LARGEST:
        return None
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # equal at the precision of a picture
        half = abs(low) / 2 or 0.5
        if low == high == 0:  # a share or count, which is not known to go below 0
            low, high = half, half
        # A share has no room above 1.
        low, high = low - half, min(high + half, 1.0) if 0 < high < 1 else high + half
    step = _round_step((high - low) / _AIM)
    if step is None:
        return None
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    ticks = tuple(float(f"{count * step:.12g}") for count in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks)


def _round_step(least: float) -> float | None:
    """Return the next of 1, 2, 2.5, 5, 10 times a power of ten; None where floats are too coarse."""
    if least < 1 / _LARGEST:
        return None
    power = 10.0 ** floor(log10(least))
    return next(power * part for part in _STEPS if power * part >= least * (1 - 1e-9))


def group_by_scale(sizes: Iterable[float]) -> list[int]:
    """Return a group number per size (the largest absolute number of a row): rows of one group can share an axis.

    Shares and correlations are one group; beyond 1, sizes that differ by less than a factor of two are together.
    """
    found = list(sizes)
    groups, limit, group = [0] * len(found), 1.0, 0
    for place in sorted(range(len(found)), key=found.__getitem__):
        if found[place] > limit:
            group, limit = group + 1, 2 * found[place]
        groups[place] = group
    return groups


def bounded_axis(values: Sequence[float], bounds: Bounds) -> Axis | None:
    """Return an axis over the whole scale; if it is open or values lie beyond it, over them in round numbers.

    None without a value, or beyond the range of floats.
    """
    if not values:
        return None
    low, high = map(finite, bounds)
    if low is not None and high is not None and low <= min(values) and max(values) <= high and low < high:
        return _whole(low, high) or make_axis([low, high])
    return make_axis([*(end for end in (low, high) if end is not None), *values])


def _whole(low: float, high: float) -> Axis | None:
    """Return an axis with the ends of the scale: 0, 1, 2, 3, 4, 5."""
    for parts in _PARTS:
        step = (high - low) / parts
        digits = f"{step:.3e}".split("e")[0].rstrip("0").rstrip(".")
        if digits in {f"{part:g}" for part in _STEPS}:
            ticks = tuple(float(f"{low + step * place:.12g}") for place in range(parts + 1))
            return Axis(ticks[0], ticks[-1], ticks)
    return None


def shared_axes(groups: Sequence[tuple[Sequence[float], Bounds]]) -> list[Axis | None]:
    """Return one axis per group of values; groups with the same kind of scale and a similar size share one.

    None for a group without a value. A scale from below 0 would push those from 0 to one side.
    """
    sizes = group_by_scale(
        max((abs(value) for each in (*values, *bounds) if (value := finite(each)) is not None), default=0.0)
        for values, bounds in groups
    )
    kinds = [(size, _kind(bounds)) for size, (_, bounds) in zip(sizes, groups, strict=True)]
    axes: dict[tuple[int, str], Axis | None] = {}
    for kind in set(kinds):
        members = [group for group, of in zip(groups, kinds, strict=True) if of == kind and group[0]]
        lows = [low for _, (low, _) in members if low is not None]
        highs = [high for _, (_, high) in members if high is not None]
        whole = (min(lows, default=None), max(highs, default=None))
        axes[kind] = bounded_axis([value for values, _ in members for value in values], whole)
    return [axes[kind] if values else None for (values, _), kind in zip(groups, kinds, strict=True)]


def _kind(bounds: Bounds) -> str:
    low = finite(bounds[0])
    return "open" if low is None else "below 0" if low < 0 else "from 0"
