"""Fields with axes and what lies in them: plain data, of which Vega-Altair makes a Vega-Lite specification.

Nothing is left to the drawing program that would depend on the machine: sizes, margins and the ends of axes are given,
so that labels are clipped nowhere and the picture is the same without Japanese fonts. Names from outside are values in
rows, never the names of fields, keys of scales or expressions. No session of a notebook is touched: neither themes nor
data transformers of Altair are registered or used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from saiten.views.charts.axes import Axis
from saiten.views.charts.colours import GRID, INK, MUTED

Kind = Literal["rule", "point", "text", "bar"]
Row = dict[str, float | str | None]

TEXT = 12
"""Pixels of the letters."""


class Padding(NamedTuple):
    """Pixels around the panels, in which labels stand."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks of one kind.

    Rows have `x` and `y` in the panel's own units; a rule and a bar `x2` and `y2` as well; a text `text`. All may have
    `colour`, `fill`, `shape`, and `told`: what a pointer over the mark is told.
    """

    kind: Kind
    rows: Sequence[Row]
    at: float | None = None
    """Pixels from the left edge of the panel, in the place of `x`."""
    style: Mapping[str, Any] | None = None
    """Of Vega-Lite's mark: `align`, `dx`, `strokeDash`, …"""


@dataclass(frozen=True, slots=True)
class Panel:
    """A field with two axes."""

    width: float
    height: float
    x: Axis
    y: Axis
    """Its low end is at the bottom; a panel of rows has one whose low end is the number of rows."""
    marks: Sequence[Marks]
    x_title: str = ""
    y_title: str = ""
    x_numbers: bool = True
    y_numbers: bool = False
    x_lines: bool = True
    y_format: str = ",.10~g"


@dataclass(frozen=True, slots=True)
class Picture:
    """Panels below each other."""

    panels: Sequence[Panel]
    padding: Padding
    gap: float = 24
    """Pixels between two panels."""

    @property
    def width(self) -> float:
        """Pixels, margins included."""
        return self.padding.left + max(panel.width for panel in self.panels) + self.padding.right

    @property
    def height(self) -> float:
        """Pixels, margins included."""
        inner = sum(panel.height for panel in self.panels) + self.gap * (len(self.panels) - 1)
        return self.padding.top + inner + self.padding.bottom


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
"""All that a theme would decide."""


def vega_lite(picture: Picture) -> dict[str, Any]:
    """The specification, complete in itself: no address in it but that of Vega-Lite's schema."""
    import altair as alt  # noqa: PLC0415 - takes most of a second

    # Rows stand apart, and the marks are put together here: Altair copies what it combines, dozens of times.
    rows: dict[str, Sequence[Row]] = {}
    return {
        "$schema": alt.SCHEMA_URL,
        "vconcat": [_layered(panel, rows) for panel in picture.panels],
        "spacing": picture.gap,
        "bounds": "flush",
        "padding": picture.padding._asdict(),
        "autosize": {"type": "none"},
        "background": "transparent",
        "config": CONFIG,
        "datasets": rows,
    }


def _layered(panel: Panel, rows: dict[str, Sequence[Row]]) -> dict[str, Any]:
    """One panel; the rows of its marks are added to `rows`."""
    import altair as alt  # noqa: PLC0415

    x_axis = alt.Axis(
        values=list(panel.x.ticks),
        labels=panel.x_numbers,
        grid=panel.x_lines,
        format=",.10~g",
        title=panel.x_title or None,
        titleY=34,
        titleBaseline="middle",
        orient="bottom",
    )
    y_axis = alt.Axis(
        values=list(panel.y.ticks),
        labels=panel.y_numbers,
        grid=panel.y_numbers,
        format=panel.y_format,
        title=panel.y_title or None,
        titleX=-52,
        titleBaseline="middle",
        titleAngle=270,
    )
    axes = {
        "x": alt.X("x:Q", axis=x_axis, scale=_scale(panel.x)),
        "y": alt.Y("y:Q", axis=y_axis, scale=_scale(panel.y)),
    }
    layers: list[dict[str, Any]] = []
    for marks in panel.marks:
        if marks.rows:
            name = f"rows-{len(rows)}"
            rows[name] = list(marks.rows)
            # Not as top level: that would mix in the theme and the data transformer of the session.
            layers.append(_drawn(marks, name).to_dict(validate=False, context={"top_level": False}))
    return {
        "width": panel.width,
        "height": panel.height,
        "encoding": {name: channel.to_dict(validate=False) for name, channel in axes.items()},
        "layer": layers,
    }


def _scale(axis: Axis) -> Any:
    import altair as alt  # noqa: PLC0415

    return alt.Scale(domain=[axis.low, axis.high], nice=False, zero=False)


def _drawn(marks: Marks, name: str) -> Any:
    """The marks, whose rows have this name; what lies on both axes is said by the panel."""
    import altair as alt  # noqa: PLC0415

    fields = set().union(*marks.rows)
    encodings: list[Any] = []
    if marks.at is not None:
        encodings.append(alt.XValue(marks.at))  # type: ignore[no-untyped-call]
    if marks.kind in {"rule", "bar"}:
        encodings += [alt.X2("x2:Q"), alt.Y2("y2:Q")]
    style = dict(marks.style or {})
    if "colour" in fields:
        channel = alt.Fill if marks.kind in {"text", "bar"} else alt.Stroke
        encodings.append(channel("colour:N", scale=None))
    if "fill" in fields:
        encodings.append(alt.Fill("fill:N", scale=None))
    if "shape" in fields:
        encodings.append(alt.Shape("shape:N", scale=None))
    if "text" in fields:
        encodings.append(alt.Text("text:N"))
        style = {"fontSize": TEXT, "baseline": "middle", **({} if "colour" in fields else {"fill": INK}), **style}
    if "told" in fields:
        encodings.append(alt.Description("told:N"))
        style["aria"] = True
    base = alt.Chart(alt.NamedData(name))
    make = {"rule": base.mark_rule, "point": base.mark_point, "text": base.mark_text, "bar": base.mark_bar}[marks.kind]
    return make(**style).encode(*encodings)
