"""Rows of figures with their intervals, in groups with a shared axis or separate axes, from plain numbers.

A dot is the figure, a line its interval; a hollow dot means that the interval contains the reference. The name is on
the left, figure and number of observations on the right, so that nothing has to be read off the axis alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from saiten.views.charts.axes import Axis
from saiten.views.charts.colors import CARD, INK, MUTED, REFERENCE
from saiten.views.charts.inline import broken
from saiten.views.charts.plot import Datum, Marks, Padding, Picture, Plot, with_notes
from saiten.views.charts.texts import plain, shorten, text_width, written

MOST_ROWS = 80
"""Maximum rows, for one page; the table has the others."""
ROW = 24
"""Pixels from row to row."""
WIDTH = 820
COMPACT = 560
"""Width on a slide."""
NAMES = 330
"""Maximum pixels of the names."""
GAP = 12
HEADING = {"align": "left", "dy": -14, "fontSize": 13, "fontWeight": 600, "fill": INK}
_CAP = 0.16
"""Half the height of an interval's end strokes, in rows."""


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One line."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    note: str
    """The text on the right, after the figure."""
    tooltip: str
    """The tooltip: the whole name and all figures."""
    color: str
    fill: str | None = None
    """The mark's filling; None for its color."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A dashed line across a group: no difference, or the agreement of people among themselves."""

    value: float
    low: float | None = None
    """The lower end of its interval, drawn as a band."""
    high: float | None = None
    label: str = ""
    """Written above it."""
    dash: tuple[int, ...] = (4, 3)
    """Lengths of stroke and gap."""


@dataclass(frozen=True, slots=True)
class IntervalGroup:
    """Rows on one axis."""

    rows: Sequence[IntervalRow]
    axis: Axis
    heading: str = ""
    x_title: str = ""
    """Only below the last group."""
    references: Sequence[Reference] = ()
    numbers: bool = True
    """Whether the axis's numbers are drawn below it; not if the next group has them."""


def interval_rows(
    blocks: Sequence[IntervalGroup], nothing: str, notes: Sequence[str] = (), width: float = WIDTH
) -> Picture | None:
    """Lay out the groups one below the other, with notes at the foot. `nothing`: the text of a row without a value."""
    rows = [row for block in blocks for row in block.rows]
    if all(row.value is None for row in rows):
        return None
    names = min(max(text_width(plain(row.name)) for row in rows), NAMES * width / WIDTH)
    figures = max(text_width(_figure(row)) for row in rows)
    side_notes = max(text_width(row.note) for row in rows)
    left, right = names + GAP + 8, GAP + figures + GAP + side_notes + 12
    field = max(width - left - right, 240 * width / WIDTH)
    plots = [_plot(block, field, names, figures, nothing) for block in blocks]
    headed = any(block.heading for block in blocks) or any(one.label for block in blocks for one in block.references)
    numbered = any(block.numbers for block in blocks[:-1])
    bottom = 48 if blocks[-1].x_title else 28
    lines = [line for note in notes for line in broken(note, 1.25 * (left + field + right))]  # smaller letters
    plots[-1] = with_notes(plots[-1], lines, bottom + 8, left)
    padding = Padding(left, 30 if headed else 8, right, bottom + 20 * len(lines))
    return Picture(plots, padding, 10 + 18 * headed + 20 * numbered)


def _figure(row: IntervalRow) -> str:
    return "" if row.value is None else written(row.value)


def _plot(block: IntervalGroup, field: float, names: float, figures: float, nothing: str) -> Plot:
    rows = block.rows
    axis = block.axis
    drawn = [(place + 0.5, row, row.value) for place, row in enumerate(rows) if row.value is not None]
    marks = _references(block, len(rows))
    strokes: list[Datum] = []
    points: list[Datum] = []
    for y, row, value in drawn:
        if row.low is not None and row.high is not None:
            low, high = _within(axis, row.low), _within(axis, row.high)
            ends = [(low, high, y, y), (low, low, y - _CAP, y + _CAP), (high, high, y - _CAP, y + _CAP)]
            strokes += [_row(x=a, x2=b, y=c, y2=d, color=row.color) for a, b, c, d in ends]
        look = _row(color=row.color, fill=row.fill or row.color, shape="circle", tooltip=row.tooltip)
        points.append({"x": _within(axis, value), "y": y, **look})
    values = [_row(y=y, text=_figure(row)) for y, row, _ in drawn]
    side_notes = [_row(y=place + 0.5, text=row.note) for place, row in enumerate(rows) if row.note]
    marks += [
        Marks("rule", strokes, style={"strokeWidth": 1.75}),
        Marks("point", points, style={"size": 56, "strokeWidth": 1.75, "opacity": 1}),
        names_beside([plain(row.name) for row in rows], names),
        Marks("text", values, at=field + GAP + figures, style={"align": "right", "fill": INK}),
        Marks("text", side_notes, at=field + GAP + figures + GAP, style={"align": "left", "fill": MUTED}),
        nothing_at([place for place, row in enumerate(rows) if row.value is None], nothing),
    ]
    if block.heading:
        heading = shorten(plain(block.heading), field + names, 13)
        headed = _row(y=0, text=heading, tooltip=plain(block.heading))
        marks.append(Marks("text", [headed], at=-names - GAP, style=HEADING))
    x_title = shorten(plain(block.x_title), field) if block.x_title else ""
    return Plot(field, ROW * len(rows), axis, Axis(len(rows), 0, ()), marks, x_title, x_numbers=block.numbers)


def names_beside(names: Sequence[str], width: float) -> Marks:
    """Write each row's name on its left, cut to this width."""
    rows = [_row(y=place + 0.5, text=shorten(name, width), tooltip=name) for place, name in enumerate(names)]
    return Marks("text", rows, at=-8 - GAP / 2, style={"align": "right", "fill": INK})


def nothing_at(places: Iterable[int], nothing: str) -> Marks:
    """Write that there is no value in these rows."""
    rows = [_row(y=place + 0.5, text=nothing) for place in places]
    return Marks("text", rows, at=6, style={"align": "left", "fill": MUTED})


def _references(block: IntervalGroup, length: int) -> list[Marks]:
    marks: list[Marks] = []
    axis = block.axis
    for one in block.references:
        if one.low is not None and one.high is not None:
            band = _row(x=_within(axis, one.low), x2=_within(axis, one.high), y=0, y2=length, color=REFERENCE)
            marks.append(Marks("bar", [band], style={"fillOpacity": 0.14}))
        x = _within(axis, one.value)
        line = _row(x=x, x2=x, y=0, y2=length, color=REFERENCE)
        marks.append(Marks("rule", [line], style={"strokeWidth": 1.25, "strokeDash": list(one.dash)}))
        if one.label:
            right = x > (axis.low + axis.high) / 2
            label = _row(x=x, y=0, text=plain(one.label), color=REFERENCE)
            style = {"align": "right" if right else "left", "dy": -12, "dx": 4 if right else -4}
            marks.append(Marks("text", [label], style=style))
    return marks


def _within(axis: Axis, value: float) -> float:
    """Move a value outside the axis to its end."""
    return min(max(value, axis.low), axis.high)


def _row(**cells: float | str | None) -> Datum:
    return cells


def filling_of(low: float | None, high: float | None, reference: float | None) -> str | None:
    """Return hollow if there is no interval or it contains the reference; else full (None)."""
    if low is None or high is None:
        return CARD
    return CARD if reference is not None and low <= reference <= high else None
