"""Accuracy against latency: numbers in, SVG out. A point a system, with its interval; a shape a chain.

Points of one model are joined by a thin line, so that one sees what another chain would gain and cost. Shapes and the
key tell chains apart, not colour alone; colours belong to the page's style sheet (`line-1` to `line-6`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby

from rich.cells import cell_len

from saiten.reports.forest import Axis, make_axis, number
from saiten.reports.line_chart import KINDS, mark

_WIDTH, _HEIGHT = 640, 320
"""Pixels of the field that the points are in."""
_LEFT, _RIGHT, _TOP, _BELOW = 56, 24, 12, 46
_CELL = 6.2
"""Pixels of a Latin letter; a Japanese one has two."""
_ROW = 20
"""Pixels between two lines of the key."""
_LABEL = 40
"""Letters of a point's label."""
MOST_POINTS = 200
"""Beyond, nothing can be told apart."""


@dataclass(frozen=True, slots=True)
class Point:
    """One system."""

    label: str
    """The model, written beside the point; points with the same label are joined."""
    series: str
    """The chain; a shape each."""
    x: float
    y: float
    low: float | None = None
    """Of the interval of y, or None."""
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Scatter:
    """Points in a field with two axes."""

    title: str
    x: str
    """The name of the axis."""
    y: str
    points: tuple[Point, ...]

    def svg(self, clean: Callable[[str], str]) -> str:
        """The picture; empty where there is nothing to draw, or too much."""
        points = tuple(replace(each, label=clean(each.label), series=clean(each.series)) for each in self.points)
        return scatter_svg(Scatter(clean(self.title), clean(self.x), clean(self.y), points))


def scatter_svg(chart: Scatter) -> str:
    """The picture; empty where there is nothing to draw, or too much."""
    points = chart.points
    across = make_axis([0.0, *(point.x for point in points)])
    ends = [value for point in points for value in (point.y, point.low, point.high) if value is not None]
    up = make_axis(ends)
    if not 0 < len(points) <= MOST_POINTS or across is None or up is None:
        return ""
    series = list(dict.fromkeys(point.series for point in points))
    place = {name: number_ for number_, name in enumerate(series)}
    bottom = _TOP + _HEIGHT
    at = {id(point): (_across(across, point.x), _up(up, point.y)) for point in points}
    parts = [_axes(chart, across, up, bottom)]
    named: set[int] = set()
    by_label = sorted(points, key=lambda point: point.label)
    for _, same in groupby(by_label, key=lambda point: point.label):
        joined = sorted(same, key=lambda point: point.x)
        if len(joined) < len(points):  # one name for all would only be in the way
            named.add(id(joined[0]))
        path = "L".join(f"{at[id(point)][0]} {at[id(point)][1]}" for point in joined)
        parts.append(f'<path class="grid" fill="none" d="M{path}"/>')
    parts += [
        _drawn(point, place[point.series], at[id(point)], up, named=id(point) in named or len(points) == 1)
        for point in points
    ]
    for name, kind in place.items():
        y = bottom + _BELOW + _ROW * (kind + 0.5)
        key = f'<g class="line-{kind % KINDS + 1}">{mark(kind, _LEFT + 8, y)}</g>'
        parts.append(f'{key}<text class="name" x="{_LEFT + 22}" y="{y + 4}">{escape(name)}</text>')
    width, height = _LEFT + _WIDTH + _RIGHT, bottom + _BELOW + _ROW * len(series) + 8
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg class="chart" {size} role="img" aria-label="{escape(_spoken(chart))}">{"".join(parts)}</svg>'


def _axes(chart: Scatter, across: Axis, up: Axis, bottom: int) -> str:
    lines = "".join(f"M{_LEFT} {_up(up, tick)}h{_WIDTH}" for tick in up.ticks)
    lines += "".join(f"M{_across(across, tick)} {_TOP}v{_HEIGHT}" for tick in across.ticks)
    beside = [
        f'<text x="{_LEFT - 8}" y="{_up(up, tick) + 3.5:.1f}" text-anchor="end">{number(tick)}</text>'
        for tick in up.ticks
    ]
    below = [
        f'<text x="{_across(across, tick)}" y="{bottom + 16}" text-anchor="middle">{number(tick)}</text>'
        for tick in across.ticks
    ]
    middle = _TOP + _HEIGHT / 2
    names = (
        f'<text x="{_LEFT + _WIDTH / 2}" y="{bottom + 36}" text-anchor="middle">{escape(chart.x)}</text>'
        f'<text text-anchor="middle" transform="translate(13 {middle}) rotate(-90)">{escape(chart.y)}</text>'
    )
    return f'<path class="grid" d="{lines}"/>{"".join(beside)}{"".join(below)}{names}'


def _drawn(point: Point, kind: int, at: tuple[float, float], up: Axis, *, named: bool) -> str:
    x, y = at
    whisker = ""
    if point.low is not None and point.high is not None:
        low, high = _up(up, point.low), _up(up, point.high)
        whisker = f'<path class="stroke" stroke-width="1.2" d="M{x} {low}V{high}M{x - 4} {low}h8M{x - 4} {high}h8"/>'
    told = f"{point.label}, {point.series}: {number(round(point.x, 3))}, {number(round(point.y, 3))}"
    drawn = f'<g class="line-{kind % KINDS + 1}"><title>{escape(told)}</title>{whisker}{mark(kind, x, y)}</g>'
    if not named:
        return drawn
    label = point.label if len(point.label) <= _LABEL else point.label[: _LABEL - 1] + "…"
    left = x + 10 + cell_len(label) * _CELL > _LEFT + _WIDTH
    side = f'x="{x - 9}" text-anchor="end"' if left else f'x="{x + 9}"'
    return f'{drawn}<text {side} y="{y - 6}">{escape(label)}</text>'


def _across(axis: Axis, value: float) -> float:
    return round(_LEFT + (value - axis.low) / (axis.high - axis.low) * _WIDTH, 1)


def _up(axis: Axis, value: float) -> float:
    return round(_TOP + _HEIGHT - (value - axis.low) / (axis.high - axis.low) * _HEIGHT, 1)


def _spoken(chart: Scatter) -> str:
    """For those who do not see it; the figures stand in the table."""
    said = "; ".join(_said(chart.points))
    return f"{chart.title}: {chart.y} against {chart.x}: {said}"


def _said(points: Sequence[Point]) -> list[str]:
    return [
        f"{point.label} {point.series} {number(round(point.y, 3))} at {number(round(point.x, 3))}" for point in points
    ]
