"""Intervals as pictures: numbers in, SVG out. A dot for the figure, a line with end strokes for its interval.

The picture says the same without colour: the dot is filled where the interval excludes the reference (or there is no
reference), hollow where it contains it or where there is no interval. Geometry stands in the SVG; colours and strokes
belong to the page's style sheet, through the classes `grid`, `reference`, `whisker`, `dot` and `hollow`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import ceil, floor, log10

WIDTH = 168
_HEIGHT = 20
_MARGIN = 10
"""Pixels on either side of the axis, so that a dot at its end is whole."""
_OWN_MARGIN = 36
"""The same where the ends of the axis are written into the row."""
_STEPS = 4
"""Parts of an axis that are aimed at."""
_DECIMALS = 1
_LARGEST = 1e290
"""Beyond this, and below its inverse, arithmetic comes to where floats end."""
_DIGIT = 5.8
"""Width of a digit in the axis's numbers, and the least room between two numbers."""
_GAP = 5


@dataclass(frozen=True, slots=True)
class Axis:
    """A stretch of numbers that begins and ends at round ones."""

    low: float
    high: float
    ticks: tuple[float, ...]
    reference: float | None = None

    def x(self, value: float, margin: int = _MARGIN) -> float:
        """Where a value stands, in pixels; what lies outside stands at the end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(margin + share * (WIDTH - 2 * margin), _DECIMALS)


@dataclass(frozen=True, slots=True)
class Estimated:
    """What is drawn in one row."""

    value: float
    low: float | None = None
    high: float | None = None


def make_axis(values: Iterable[float], reference: float | None = None) -> Axis | None:
    """The axis on which all these and the reference can be shown; None without values, or where floats end.

    The values are finite numbers.
    """
    found = [*values, *(() if reference is None else (reference,))]
    low, high = min(found, default=0.0), max(found, default=0.0)
    if len(found) <= (reference is not None) or max(-low, high) > _LARGEST:
        return None
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # all the same, as far as a picture can tell
        half = abs(low) / 2 or 0.5
        if low == high == 0 and reference is None:  # a share, a count: nothing says that it could be below
            low, high = half, half
        # A share has no room above 1.
        low, high = low - half, min(high + half, 1.0) if 0 < high < 1 else high + half
    step = _round_step((high - low) / _STEPS)
    if step is None:
        return None
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    ticks = tuple(float(f"{count * step:.12g}") for count in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, reference)


def _round_step(least: float) -> float | None:
    """The next of 1, 2, 2.5, 5, 10 times a power of ten; None below those that floats hold exactly enough."""
    if least < 1 / _LARGEST:
        return None
    power = 10.0 ** floor(log10(least))
    return next(power * part for part in (1, 2, 2.5, 5, 10) if power * part >= least * (1 - 1e-9))


def group_by_scale(sizes: Iterable[float]) -> list[int]:
    """Which rows can share an axis: a group's number for each size (the largest number in a row, without its sign).

    Shares and correlations are one group; beyond 1, sizes that differ by less than a factor of two are together.
    """
    found = list(sizes)
    groups, limit, group = [0] * len(found), 1.0, 0
    for place in sorted(range(len(found)), key=found.__getitem__):
        if found[place] > limit:
            group, limit = group + 1, 2 * found[place]
        groups[place] = group
    return groups


def axis_svg(axis: Axis) -> str:
    """The axis with its numbers, for the head of the column. Numbers that would touch are left out, the ends stay."""
    texts = "".join(
        f'<text x="{left + _wide(tick) / 2:.1f}" y="11" text-anchor="middle">{number(tick)}</text>'
        for tick, left in sorted(_places(axis).items())
    )
    strokes = "".join(f"M{axis.x(tick)} 15v5" for tick in axis.ticks)
    line = f"M{axis.x(axis.low)} 19.5H{axis.x(axis.high)}"
    return f'<svg class="axis" {_size()} aria-hidden="true">{texts}<path class="whisker" d="{line}{strokes}"/></svg>'


def _places(axis: Axis) -> dict[float, float]:
    """Where the number of a tick begins: of all ticks, else of every second, third, … one and both ends."""
    anchor = next((at for at, tick in enumerate(axis.ticks) if tick in (axis.reference, 0.0)), 0)
    for stride in range(1, len(axis.ticks) + 1):
        chosen = sorted({0, len(axis.ticks) - 1, *range(anchor % stride, len(axis.ticks), stride)})
        placed = {
            tick: min(max(axis.x(tick) - _wide(tick) / 2, 0), WIDTH - _wide(tick))
            for tick in map(axis.ticks.__getitem__, chosen)
        }
        if all(placed[low] + _wide(low) + _GAP <= placed[high] for low, high in pairwise(placed)):
            return placed
    return {axis.low: 0.0}


def _wide(tick: float) -> float:
    return _DIGIT * len(number(tick))


def whisker_svg(shown: Estimated, axis: Axis, words: str = "", *, own_axis: bool = False) -> str:
    """One row.

    `words`: what it says to those who do not see it, empty where the text beside it says it all; `own_axis`: write the
    ends of the axis into the row.
    """
    margin = _OWN_MARGIN if own_axis else _MARGIN
    middle = _HEIGHT // 2
    parts = ["".join(f"M{axis.x(tick, margin)} 0v{_HEIGHT}" for tick in axis.ticks)]
    parts = [f'<path class="grid" d="{parts[0]}"/>']
    if axis.reference is not None:
        parts.append(f'<path class="reference" d="M{axis.x(axis.reference, margin)} 0v{_HEIGHT}"/>')
    if shown.low is not None and shown.high is not None:
        low, high = axis.x(shown.low, margin), axis.x(shown.high, margin)
        ends = f"M{low} {middle}H{high}M{low} {middle - 4}v8M{high} {middle - 4}v8"
        parts.append(f'<path class="whisker" d="{ends}"/>')
    kind = "dot" if _is_apart(shown, axis.reference) else "dot hollow"
    parts.append(f'<circle class="{kind}" cx="{axis.x(shown.value, margin)}" cy="{middle}" r="3.5"/>')
    if own_axis:
        for x, anchor, end in ((margin - 6, "end", axis.low), (WIDTH - margin + 6, "start", axis.high)):
            parts.append(f'<text x="{x}" y="{middle + 4}" text-anchor="{anchor}">{number(end)}</text>')
    spoken = f'role="img" aria-label="{escape(words)}"' if words else 'aria-hidden="true"'
    return f"<svg {_size()} {spoken}>{''.join(parts)}</svg>"


def _is_apart(shown: Estimated, reference: float | None) -> bool:
    if shown.low is None or shown.high is None:
        return False
    return reference is None or not shown.low <= reference <= shown.high


def _size() -> str:
    return f'width="{WIDTH}" height="{_HEIGHT}" viewBox="0 0 {WIDTH} {_HEIGHT}"'


def number(value: float) -> str:
    """As short as it can be, with a true minus sign."""
    return f"{value + 0.0:.6g}".replace("-", "−").replace("e+0", "e").replace("e+", "e").replace("e−0", "e−")
