"""What the marks of a chart stand for: a line for each, below the field."""

from collections.abc import Sequence

from saiten.views.charts.axes import Axis
from saiten.views.charts.colours import INK, colour, dashes, filling, shape
from saiten.views.charts.names import plain, shorten
from saiten.views.charts.panel import Marks, Panel, Row

_ROW = 20
_SAMPLE = 40
"""Pixels of the stretch of line."""


def key_panel(names: Sequence[str], width: float, *, lines: bool) -> Panel:
    """A mark and a name each, in the order in which they have shapes and colours; `lines`: marks on a stretch of line.

    The panel's units are pixels.
    """
    middle = _SAMPLE / 2 if lines else 8.0
    start = _SAMPLE + 10 if lines else 22.0
    marks: list[Marks] = []
    for place, name in enumerate(names):
        y = place + 0.5
        if lines:
            row: Row = {"x": 0.0, "x2": float(_SAMPLE), "y": y, "y2": y, "colour": colour(place)}
            marks.append(Marks("rule", [row], style=stroke(place)))
        point: Row = {"x": middle, "y": y, **mark(place)}
        text: Row = {"x": start, "y": y, "text": shorten(plain(name), width - start), "told": plain(name)}
        marks.append(Marks("point", [point], style=POINT))
        marks.append(Marks("text", [text], style={"align": "left", "fill": INK}))
    x, y_axis = Axis(0.0, width, ()), Axis(float(len(names)), 0.0, ())
    return Panel(width, _ROW * len(names), x, y_axis, marks, x_numbers=False)


POINT = {"size": 60, "strokeWidth": 2, "opacity": 1}


def mark(place: int) -> Row:
    """How the mark of the system at this place looks."""
    return {"colour": colour(place), "fill": filling(place), "shape": shape(place)}


def stroke(place: int) -> dict[str, object]:
    """How its line looks."""
    style: dict[str, object] = {"strokeWidth": 2, "strokeCap": "round"}
    return style | ({"strokeDash": list(dashes(place))} if dashes(place) else {})
