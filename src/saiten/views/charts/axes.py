"""The ends of axes: those of the metric's scale where it has ends, else round numbers around the figures."""

from collections.abc import Callable, Sequence

from saiten.views.charts.figures import finite
from saiten.views.charts.forest import Axis, group_by_scale, make_axis

Bounds = tuple[float | None, float | None]
"""The ends of a scale; None where it is open."""

_STEPS = (1, 2, 2.5, 5, 10)
_PARTS = range(4, 8)
"""Into how many parts a scale is divided, if one of these comes out even."""


def bounded_axis(values: Sequence[float], bounds: Bounds) -> Axis | None:
    """From end to end of the scale; where it is open, or values lie beyond it, as far as they reach in round numbers.

    None without a value, or where floats end.
    """
    if not values:
        return None
    low, high = map(finite, bounds)
    if low is not None and high is not None and low <= min(values) and max(values) <= high and low < high:
        return _whole(low, high) or make_axis([low, high])
    return make_axis([*(end for end in (low, high) if end is not None), *values])


def _whole(low: float, high: float) -> Axis | None:
    """The axis that ends where the scale ends: 0, 1, 2, 3, 4, 5."""
    for parts in _PARTS:
        step = (high - low) / parts
        digits = f"{step:.3e}".split("e")[0].rstrip("0").rstrip(".")
        if digits in {f"{part:g}" for part in _STEPS}:
            ticks = tuple(float(f"{low + step * place:.12g}") for place in range(parts + 1))
            return Axis(ticks[0], ticks[-1], ticks)
    return None


def shared_axes(groups: Sequence[tuple[Sequence[float], Bounds]]) -> list[Axis | None]:
    """An axis for each group of values; groups of one kind of scale and about one size share one.

    None where a group has no value. A scale that begins below 0 would push those that begin at 0 to one side.
    """
    sizes = group_by_scale(
        max((abs(value) for each in (*values, *bounds) if (value := finite(each)) is not None), default=0.0)
        for values, bounds in groups
    )
    kinds = [(size, _kind(bounds)) for size, (_, bounds) in zip(sizes, groups, strict=True)]
    axes: dict[tuple[int, str], Axis | None] = {}
    for kind in set(kinds):
        members = [group for group, of in zip(groups, kinds, strict=True) if of == kind and group[0]]
        lows, highs = ([bounds[end] for _, bounds in members] for end in (0, 1))
        whole = (_outer(lows, min), _outer(highs, max))
        axes[kind] = bounded_axis([value for values, _ in members for value in values], whole)
    return [axes[kind] if values else None for (values, _), kind in zip(groups, kinds, strict=True)]


def _kind(bounds: Bounds) -> str:
    low = finite(bounds[0])
    return "open" if low is None else "below 0" if low < 0 else "from 0"


def _outer(ends: Sequence[float | None], outermost: Callable[[list[float]], float]) -> float | None:
    known = [end for each in ends if (end := finite(each)) is not None]
    return outermost(known) if known else None
