"""The picture of a soak: samples done, memory and descriptors over time, with a line where a process was ended."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from saiten.views.charts.axes import Axis, make_axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import MUTED, color
from saiten.views.charts.plot import Datum, Marks, Padding, Picture, Plot, legend, stroke

WIDTH, HEIGHT = 640.0, 150.0
_NAMES = {"score": "saiten score", "annotate": "saiten annotate", "server": "the server"}
_FIGURES = (("rss", "memory (MB)"), ("descriptors", "descriptors"))

Rows = Sequence[Mapping[str, Any]]


def draw(rows: Rows) -> str:
    """Return the SVG, in dark letters on a white card, which is readable on a page of any color."""
    return chart(rows).svg_file()


def chart(rows: Rows) -> VegaChart:
    """Return the chart of what was measured."""
    ends = sum(row["what"] == "end" for row in rows) - 1
    done = max(row.get("done", 0) for row in rows)
    said = f"{done:,} samples in {rows[-1]['at'] / 60:.0f} minutes, ended {ends} times"
    return VegaChart("Soak", said, lambda: _picture(rows), "en", lambda _: chart(rows))


def _picture(rows: Rows) -> Picture:
    used = [row for row in rows if row["what"] == "use"]
    across = make_axis([0.0, max(row["at"] for row in rows) / 60])
    assert across is not None
    scored = [row for row in used if row["process"] == "score"]
    plots = [_plot(across, [_steps(scored, "done", 0)], "samples done", rows)]
    for figure, title in _FIGURES:
        lines = [
            _steps([row for row in used if row["process"] == name], figure, place) for place, name in enumerate(_NAMES)
        ]
        plots.append(_plot(across, lines, title, rows))
    plots[-1] = replace(plots[-1], x_numbers=True, x_title="minutes")
    return Picture([*plots, legend(list(_NAMES.values()), WIDTH, lines=True)], Padding(76, 12, 24, 8), 50)


def _plot(across: Axis, lines: Sequence[Marks], title: str, rows: Rows) -> Plot:
    """Return the lines, and a dotted one wherever the scoring process was ended."""
    up = make_axis([0.0, *(float(row["y2"] or 0.0) for line in lines for row in line.rows)])
    assert up is not None
    ends: list[Datum] = [
        {"x": at, "x2": at, "y": up.low, "y2": up.high, "color": MUTED}
        for row in rows
        if row["what"] == "end" and row["how"] != "by itself"
        for at in [row["at"] / 60]
    ]
    marks = [Marks("rule", ends, style={"strokeWidth": 1, "strokeDash": [2, 3]}), *lines]
    return Plot(WIDTH, HEIGHT, across, up, marks, y_title=title, x_numbers=False, y_numbers=True)


def _steps(rows: Rows, figure: str, place: int) -> Marks:
    """Return the line of one process, with a gap where another took its place."""
    lives: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        lives[row["pid"]].append(row)
    steps: list[Datum] = [
        {"x": one["at"] / 60, "x2": two["at"] / 60, "y": one[figure], "y2": two[figure], "color": color(place)}
        for life in lives.values()
        for one, two in pairwise(life)
    ]
    return Marks("rule", steps, style=stroke(place))
