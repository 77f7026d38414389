"""Accuracy against latency: one point per system, with its interval; one shape per chain.

A thin line joins the points of one model, to show the gain and cost of another chain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise

from saiten.records import Language
from saiten.views.charts.axes import make_axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import MUTED, color
from saiten.views.charts.plot import POINT, Datum, Marks, Padding, Picture, Plot, legend, mark
from saiten.views.charts.texts import finite, finite_ones, in_words, plain, shorten, text_width, written
from saiten.views.metric_names import shown_metric
from saiten.words import section

MOST_POINTS, MOST_SERIES = 200, 36
"""Limits beyond which points and series are indistinguishable."""
_WIDTH, _HEIGHT = 640, 320
_LABEL = 260
"""Maximum pixels of a point's label."""


@dataclass(frozen=True, slots=True)
class SystemPoint:
    """One system."""

    label: str
    """The model, written next to the point; points with the same label are joined."""
    series: str
    """The chain, which determines the shape; "" for systems without one."""
    x: float
    """Its latency."""
    y: float
    """Its accuracy."""
    low: float | None = None
    """Lower end of the 95 % interval of y, or None."""
    high: float | None = None
    n: int | None = None
    """Number of answers behind y."""


def accuracy_against_latency(
    points: Sequence[SystemPoint],
    language: Language = "en",
    *,
    metric: str = "",
    data: str = "",
) -> VegaChart:
    """Draw all points. `metric`: the title of the y-axis; `data`: the name of the data set.

    Nothing is drawn without a point, or beyond the limits above.
    """
    words = section("chart", language)
    y = plain(shown_metric(metric, language)) if metric else words["accuracy"]
    title = words["accuracy_latency_on" if data else "accuracy_latency"].format(metric=y, data=plain(data))
    drawn = tuple(
        replace(point, series=point.series or words["no_chain"])
        for point in points
        if finite(point.x) is not None and finite(point.y) is not None
    )
    said = in_words(((_name(point), _figures(point, words)) for point in drawn), words)
    again = partial(accuracy_against_latency, points, metric=metric, data=data)
    return VegaChart(title, said, partial(_picture, drawn, y, words), language, again)


def _picture(points: Sequence[SystemPoint], y_title: str, words: Mapping[str, str]) -> Picture | None:
    across = make_axis([0.0, *(point.x for point in points)])
    up = make_axis(finite_ones(end for point in points for end in (point.y, point.low, point.high)))
    if not 0 < len(points) <= MOST_POINTS or across is None or up is None:
        return None
    series = list(dict.fromkeys(point.series for point in points))
    if len(series) > MOST_SERIES:
        return None
    place = {name: number for number, name in enumerate(series)}
    whiskers: list[Datum] = []
    cap = 4 * (across.high - across.low) / _WIDTH
    for point in points:
        low, high = finite(point.low), finite(point.high)
        if low is None or high is None:
            continue
        hue = color(place[point.series])
        for x, x2, y, y2 in ((0, 0, low, high), (-cap, cap, low, low), (-cap, cap, high, high)):
            whiskers.append({"x": point.x + x, "x2": point.x + x2, "y": y, "y2": y2, "color": hue})
    dots: list[Datum] = [
        {"x": one.x, "y": one.y, **mark(place[one.series]), "tooltip": f"{_name(one)}: {_figures(one, words)}"}
        for one in points
    ]
    joins, labels = _joined(points)
    marks = [
        Marks("rule", joins, style={"strokeWidth": 1}),
        Marks("rule", whiskers, style={"strokeWidth": 1.25}),
        Marks("point", dots, style=POINT),
    ]
    for point in labels:
        text = shorten(plain(point.label), _LABEL)
        left = (point.x - across.low) / (across.high - across.low) * _WIDTH + 12 + text_width(text) > _WIDTH
        style = {"align": "right" if left else "left", "dx": -9 if left else 9, "dy": -9}
        label: Datum = {"x": point.x, "y": point.y, "text": text, "tooltip": plain(point.label)}
        marks.append(Marks("text", [label], style=style))
    field = Plot(_WIDTH, _HEIGHT, across, up, marks, words["latency"], shorten(y_title, _HEIGHT), y_numbers=True)
    return Picture([field, legend(series, _WIDTH, lines=False)], Padding(72, 22, 24, 8), 52)


def _joined(points: Sequence[SystemPoint]) -> tuple[list[Datum], list[SystemPoint]]:
    """Return the lines between a model's points, and the points to label: the fastest of each model."""
    joins: list[Datum] = []
    named: list[SystemPoint] = []
    by_label = sorted(points, key=lambda point: point.label)
    for _, same in groupby(by_label, key=lambda point: point.label):
        of = sorted(same, key=lambda point: point.x)
        joins += [{"x": a.x, "x2": b.x, "y": a.y, "y2": b.y, "color": MUTED} for a, b in pairwise(of)]
        if len(of) < len(points) or len(points) == 1:  # one name for all would be clutter
            named.append(of[0])
    return joins, named


def _name(point: SystemPoint) -> str:
    return f"{plain(point.label)} {plain(point.series)}"


def _figures(point: SystemPoint, words: Mapping[str, str]) -> str:
    parts = [f"{written(point.y)} ({written(point.x)} s)"]
    if point.low is not None and point.high is not None:
        parts.append(words["interval"].format(low=written(finite(point.low)), high=written(finite(point.high))))
    if point.n is not None:
        parts.append(words["n"].format(n=point.n))
    return ", ".join(parts)
