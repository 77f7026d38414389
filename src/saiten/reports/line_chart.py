"""A chart of lines over groups: numbers in, SVG out. One line a system, the first dotted, the second solid.

The figure of the paper on multi-turn evaluation (spec 02): a score per data set, QA dotted and MQA solid. Lines are
told apart by dashes and by the shape of their marks, not by colour alone. Geometry stands in the SVG; colours belong to
the page's style sheet, through the classes `line-1` to `line-6`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import count, groupby

from rich.cells import cell_len, set_cell_size

from saiten.reports.forest import make_axis, number

_HEIGHT = 240
"""Pixels of the field that the lines are in."""
_LEFT, _RIGHT, _TOP = 44, 24, 10
_STEP, _NARROWEST, _WIDEST = 110, 44, 760
"""Pixels between two groups, at least, and of the whole field where that leaves room."""
_CELL = 6.2
"""Pixels of a Latin letter of a label; a Japanese one has two."""
_LABEL = 26
"""Cells of a label of a group; the whole name is told by its title."""
_NAME = 90
"""Cells of the name of a line."""
_ROW = 20
"""Pixels between two lines of the key."""
_DASHES = ("1.5 4", "", "7 4", "7 3 1.5 3", "12 4", "3 3")
"""Dotted, solid, dashed, …; the seventh line begins again with another mark."""
KINDS = len(_DASHES)
MOST_GROUPS = 60
"""Beyond, a line cannot be read."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: a value per group, None where there is none."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class LineChart:
    """A score per group, one line a system."""

    title: str
    groups: tuple[str, ...]
    lines: tuple[Line, ...]

    def svg(self, clean: Callable[[str], str]) -> str:
        """The chart, as wide as its groups need; empty where there is nothing to draw, or too much."""
        lines = tuple(replace(line, name=clean(line.name)) for line in self.lines)
        return chart_svg(LineChart(clean(self.title), tuple(map(clean, self.groups)), lines))


def chart_svg(chart: LineChart) -> str:
    """The chart, as wide as its groups need; empty where there is nothing to draw, or too much."""
    axis = make_axis(value for line in chart.lines for value in line.values if value is not None)
    if axis is None or not 1 < len(chart.groups) <= MOST_GROUPS:
        return ""
    step = max(_NARROWEST, min(_STEP, _WIDEST / len(chart.groups)))
    field = step * len(chart.groups)
    upright = all(cell_len(group) * _CELL < step - 6 for group in chart.groups)
    left = _LEFT if upright else max(_LEFT, *map(_reach, chart.groups, (step * (at + 0.5) for at in count())))
    below = 24 if upright else 14 + 0.6 * _CELL * max(cell_len(_cut(group, _LABEL)) for group in chart.groups)
    names = max(cell_len(_cut(line.name, _NAME)) for line in chart.lines) * _CELL + 60
    width = left + max(field + _RIGHT, names)
    bottom = _TOP + _HEIGHT
    height = bottom + below + _ROW * len(chart.lines) + 8

    def x(place: int) -> float:
        return round(left + step * (place + 0.5), 1)

    def y(value: float) -> float:
        return round(bottom - (value - axis.low) / (axis.high - axis.low) * _HEIGHT, 1)

    grid = "".join(f"M{left:.1f} {y(tick)}h{field:.1f}" for tick in axis.ticks)
    parts = [f'<path class="grid" d="{grid}"/>']
    parts += [
        f'<text x="{left - 8:.1f}" y="{y(tick) + 3.5:.1f}" text-anchor="end">{number(tick)}</text>'
        for tick in axis.ticks
    ]
    parts += [_label(group, x(place), bottom + 16, upright=upright) for place, group in enumerate(chart.groups)]
    for place, line in enumerate(chart.lines):
        points = [None if value is None else (x(at), y(value)) for at, value in enumerate(line.values)]
        parts.append(_drawn(place, points))
        parts.append(_key(place, line.name, round(left, 1), bottom + below + _ROW * (place + 0.5)))
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return f'<svg class="chart" {size} role="img" aria-label="{escape(_spoken(chart))}">{"".join(parts)}</svg>'


def _drawn(place: int, points: Sequence[tuple[float, float] | None]) -> str:
    """The stretches between the groups that have a value, and a mark at each of these."""
    runs = [list(run) for there, run in groupby(points, key=lambda point: point is not None) if there]
    path = "".join("M" + "L".join(f"{at[0]} {at[1]}" for at in run if at is not None) for run in runs)
    marks = "".join(mark(place, *point) for point in points if point is not None)
    return f'<g class="line-{place % KINDS + 1}"><path class="stroke"{_dash(place)} d="{path}"/>{marks}</g>'


def _dash(place: int) -> str:
    dashes = _DASHES[place % KINDS]
    return f' stroke-dasharray="{dashes}" stroke-linecap="round"' if dashes else ""


def mark(place: int, x: float, y: float) -> str:
    """A hollow circle, a disc, a square, a triangle, a diamond, a cross; then the same, larger."""
    size = 4 + 1.5 * (place // KINDS)
    if place % KINDS < 2:
        hollow = " hollow" if place % KINDS == 0 else ""
        return f'<circle class="mark{hollow}" cx="{x}" cy="{y}" r="{size}"/>'
    shapes = {
        2: f"M{x - size} {y - size}h{2 * size}v{2 * size}h{-2 * size}z",
        3: f"M{x} {y - size - 1}L{x + size + 1} {y + size}H{x - size - 1}z",
        4: f"M{x} {y - size - 1}L{x + size + 1} {y}L{x} {y + size + 1}L{x - size - 1} {y}z",
        5: f"M{x - size} {y - size}l{2 * size} {2 * size}M{x - size} {y + size}l{2 * size} {-2 * size}",
    }
    return f'<path class="mark" d="{shapes[place % KINDS]}"/>'


def _label(group: str, x: float, y: float, *, upright: bool) -> str:
    turned = f'text-anchor="middle" x="{x}" y="{y}"'
    if not upright:
        turned = f'text-anchor="end" transform="translate({x + 4} {y - 4}) rotate(-35)"'
    return f"<text {turned}>{escape(_cut(group, _LABEL))}<title>{escape(group)}</title></text>"


def _reach(group: str, at: float) -> float:
    """How far a turned label of a group at this place reaches to the left of the field."""
    return cell_len(_cut(group, _LABEL)) * _CELL * 0.82 + 8 - at


def _key(place: int, name: str, left: float, y: float) -> str:
    stroke = f'<path class="stroke"{_dash(place)} d="M{left} {y}h36"/>{mark(place, left + 18, y)}'
    said = f"{escape(_cut(name, _NAME))}<title>{escape(name)}</title>"
    text = f'<text class="name" x="{left + 46}" y="{y + 4}">{said}</text>'
    return f'<g class="line-{place % KINDS + 1}">{stroke}</g>{text}'


def _cut(text: str, cells: int) -> str:
    """Both ends of a long text: names of products often differ in the last letter alone."""
    if cell_len(text) <= cells:
        return text
    half = (cells - 1) // 2
    end = set_cell_size(text[::-1], half)[::-1].lstrip()
    return f"{set_cell_size(text, half).rstrip()}…{end}"


def _spoken(chart: LineChart) -> str:
    """For those who do not see it; the figures stand in the table."""
    return f"{chart.title}: " + "; ".join(_said(chart.groups, line) for line in chart.lines)


def _said(groups: Sequence[str], line: Line) -> str:
    return f"{line.name}: " + ", ".join(_pairs(groups, line.values))


def _pairs(groups: Sequence[str], values: Sequence[float | None]) -> Iterator[str]:
    for group, value in zip(groups, values, strict=True):
        yield f"{group} {'–' if value is None else number(round(value, 3))}"
