"""Plots with two axes, arranged vertically in Vega-Lite: plain numbers in, a specification out by Altair.

Geometry is fixed here in pixels, so that a page knows a chart's size without drawing it and a machine without Japanese
fonts clips nothing. No theme, renderer or data transformer of Altair is registered or used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from saiten.views.charts.axes import Axis
from saiten.views.charts.colors import CARD, DASHES, GRID, INK, MUTED, SHAPES, color
from saiten.views.charts.texts import plain, shorten

Kind = Literal["rule", "point", "text", "bar"]
Datum = dict[str, float | str | None]
"""One mark: its position and look."""

TEXT = 12
"""Font size in pixels."""


class Padding(NamedTuple):
    """Pixels around the plots, for labels."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks of one kind.

    Rows have `x` and `y` in the plot's units; a rule and a bar `x2` and `y2` as well; a text `text`. All may have
    `color`, `fill`, `shape`, and `tooltip`: the tooltip of the mark.
    """

    kind: Kind
    rows: Sequence[Datum]
    at: float | None = None
    """Pixels from the left edge of the plot, instead of `x`."""
    style: Mapping[str, Any] | None = None
    """Properties of Vega-Lite's mark: `align`, `dx`, `strokeDash`, …"""


@dataclass(frozen=True, slots=True)
class Plot:
    """Marks on two axes."""

    width: float
    height: float
    x: Axis
    y: Axis
    """The low end is at the bottom; in a plot of rows it is the number of rows."""
    marks: Sequence[Marks]
    x_title: str = ""
    y_title: str = ""
    x_numbers: bool = True
    y_numbers: bool = False
    x_lines: bool = True
    y_format: str = ",.10~g"
    x_log: bool = False
    """Whether equal distances are equal ratios; the axis then begins above 0."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Plots, one below the other."""

    plots: Sequence[Plot]
    padding: Padding
    gap: float = 24
    """Pixels between two plots."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in pixels, margins included."""
        width = max(plot.width for plot in self.plots)
        height = sum(plot.height for plot in self.plots) + self.gap * (len(self.plots) - 1)
        return self.padding.left + width + self.padding.right, self.padding.top + height + self.padding.bottom


CONFIG = {
    "view": {"stroke": None},
    "mark": {"aria": False},
    "axis": {
        "aria": False,
        "domain": False,
        "ticks": False,
        "grid": True,
        "gridColor": GRID,
        "labelColor": MUTED,
        "labelFontSize": TEXT,
        "labelFontWeight": 400,
        "labelBound": False,
        "labelFlush": False,
        "labelOverlap": False,
        "labelLimit": 0,
        "labelPadding": 6,
        "titleColor": MUTED,
        "titleFontSize": TEXT,
        "titleFontWeight": 400,
        "titleLimit": 0,
    },
}
"""All settings that a theme would make."""


def vega_lite(picture: Picture) -> dict[str, Any]:
    """Return the complete specification, whose only URL is that of Vega-Lite's schema."""
    import altair as alt  # noqa: PLC0415 - takes most of a second

    # Rows are kept separate and the marks combined here, since Altair copies what it combines dozens of times.
    rows: dict[str, Sequence[Datum]] = {}
    return {
        "$schema": alt.SCHEMA_URL,
        "vconcat": [_layered(plot, rows) for plot in picture.plots],
        "spacing": picture.gap,
        "bounds": "flush",
        "padding": picture.padding._asdict(),
        "autosize": {"type": "none"},
        "background": "transparent",
        "config": CONFIG,
        "datasets": rows,
    }


def _layered(plot: Plot, rows: dict[str, Sequence[Datum]]) -> dict[str, Any]:
    """Describe one plot and add the rows of its marks to `rows`."""
    import altair as alt  # noqa: PLC0415

    x_axis = alt.Axis(
        values=list(plot.x.ticks),
        labels=plot.x_numbers,
        grid=plot.x_lines,
        format=",.10~g",
        title=plot.x_title or None,
        titleY=34,
        titleBaseline="middle",
        orient="bottom",
    )
    y_axis = alt.Axis(
        values=list(plot.y.ticks),
        labels=plot.y_numbers,
        grid=plot.y_numbers,
        format=plot.y_format,
        title=plot.y_title or None,
        titleX=-52,
        titleBaseline="middle",
        titleAngle=270,
    )
    axes = {
        "x": alt.X("x:Q", axis=x_axis, scale=_scale(plot.x, log=plot.x_log)),
        "y": alt.Y("y:Q", axis=y_axis, scale=_scale(plot.y)),
    }
    layers: list[dict[str, Any]] = []
    for marks in plot.marks:
        if marks.rows:
            name = f"rows-{len(rows)}"
            rows[name] = list(marks.rows)
            # Not as top level, which would apply the session's theme and data transformer.
            layers.append(_drawn(marks, name).to_dict(validate=False, context={"top_level": False}))
    return {
        "width": plot.width,
        "height": plot.height,
        "encoding": {name: channel.to_dict(validate=False) for name, channel in axes.items()},
        "layer": layers,
    }


def _scale(axis: Axis, *, log: bool = False) -> Any:
    import altair as alt  # noqa: PLC0415

    domain = [axis.low, axis.high]
    return alt.Scale(type="log", domain=domain, nice=False) if log else alt.Scale(domain=domain, nice=False, zero=False)


def _drawn(marks: Marks, name: str) -> Any:
    """Describe marks whose data set has this name; the plot encodes both axes."""
    import altair as alt  # noqa: PLC0415

    channels: dict[str, Any] = {
        "x2": alt.X2("x2:Q"),
        "y2": alt.Y2("y2:Q"),
        "color": (alt.Fill if marks.kind in {"text", "bar"} else alt.Stroke)("color:N", scale=None),
        "fill": alt.Fill("fill:N", scale=None),
        "shape": alt.Shape("shape:N", scale=None),
        "text": alt.Text("text:N"),
        "tooltip": alt.Description("tooltip:N"),
    }
    fields = set().union(*marks.rows)
    encodings = [channel for field, channel in channels.items() if field in fields]
    if marks.at is not None:
        encodings.append(alt.XValue(marks.at))  # type: ignore[no-untyped-call]
    style = dict(marks.style or {})
    if "text" in fields:
        style = {"fontSize": TEXT, "baseline": "middle", **({} if "color" in fields else {"fill": INK}), **style}
    if "tooltip" in fields:
        style["aria"] = True
    make = getattr(alt.Chart(alt.NamedData(name)), f"mark_{marks.kind}")
    return make(**style).encode(*encodings)


def with_notes(plot: Plot, notes: Sequence[str], first: float, left: float) -> Plot:
    """Add lines of text below the plot, the first at this distance; `left`: pixels from the picture's left edge."""
    lines = [
        Marks(
            "text",
            [{"y": plot.y.low, "text": plain(note)}],
            at=8 - left,
            style={"align": "left", "dy": first + 20 * place, "fill": MUTED},
        )
        for place, note in enumerate(notes)
    ]
    return replace(plot, marks=[*plot.marks, *lines])


_ROW = 20
_SAMPLE = 40
"""Pixels of a line sample."""


def legend(names: Sequence[str], width: float, *, lines: bool) -> Plot:
    """Return a legend: one mark and name per row, in the order of shapes and colors; `lines`: marks on a line.

    Its units are pixels.
    """
    middle = _SAMPLE / 2 if lines else 8.0
    start = _SAMPLE + 10 if lines else 22.0
    marks: list[Marks] = []
    for place, name in enumerate(names):
        y = place + 0.5
        if lines:
            row: Datum = {"x": 0.0, "x2": float(_SAMPLE), "y": y, "y2": y, "color": color(place)}
            marks.append(Marks("rule", [row], style=stroke(place)))
        point: Datum = {"x": middle, "y": y, **mark(place)}
        text: Datum = {"x": start, "y": y, "text": shorten(plain(name), width - start), "tooltip": plain(name)}
        marks.append(Marks("point", [point], style=POINT))
        marks.append(Marks("text", [text], style={"align": "left", "fill": INK}))
    x, y_axis = Axis(0.0, width, ()), Axis(float(len(names)), 0.0, ())
    return Plot(width, _ROW * len(names), x, y_axis, marks, x_numbers=False)


POINT = {"size": 60, "strokeWidth": 2, "opacity": 1}


def mark(place: int) -> Datum:
    """Return the look of the mark of the system at this place.

    The first six are full, the next six hollow, and so on: 36 differ by shape and color.
    """
    hue = color(place)
    full = place // len(SHAPES) % 2 == 0
    return {"color": hue, "fill": hue if full else CARD, "shape": SHAPES[place % len(SHAPES)]}


def stroke(place: int) -> dict[str, object]:
    """Return the look of its line: dotted, solid, dashed and so on."""
    style: dict[str, object] = {"strokeWidth": 2, "strokeCap": "round"}
    dashes = DASHES[place % len(DASHES)]
    return style | ({"strokeDash": list(dashes)} if dashes else {})
