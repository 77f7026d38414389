"""Histograms of a metric's values per system on one axis: bars by grade, or by bins of one width."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, floor, isfinite

import numpy as np

from saiten.records import Language
from saiten.views.charts.axes import Axis, Bounds, bounded_axis, make_axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import CARD, INK, LINES, MUTED
from saiten.views.charts.plot import Datum, Marks, Padding, Picture, Plot, with_notes
from saiten.views.charts.texts import finite_ones, in_words, number, plain, shorten, text_width, written
from saiten.views.metric_names import shown_metric
from saiten.words import section

_MOST_GRADES = 12
"""Whole numbers further apart are counts (lengths, tokens), not grades."""
_BINS = 20


@dataclass(frozen=True, slots=True)
class Bins:
    """Bars shared by all systems, whose values are at equal steps."""

    edges: tuple[tuple[float, float], ...]
    """Left and right end of each bar as drawn."""
    axis: Axis
    log: bool = False
    """Whether the axis is logarithmic; the values are then whole numbers, and a bar ends before its right end."""

    @property
    def step(self) -> float:
        """Range of values per bar."""
        return (self.axis.high - self.axis.low) / len(self.edges)


@dataclass(frozen=True, slots=True)
class Counted:
    """The values of one system."""

    counts: tuple[int, ...]
    """Number of values per bar."""
    n: int
    mean: float | None


def make_bins(values: Iterable[float], axis: Axis) -> Bins:
    """Return one bar per grade, centered on it; or twenty bins of one width over the axis."""
    if grades := _grades(values, axis):
        low, high = grades[0], grades[-1]
        whole = Axis(low - 0.5, high + 0.5, tuple(map(float, grades)))
        return Bins(tuple((grade - 0.4, grade + 0.4) for grade in grades), whole)
    width = (axis.high - axis.low) / _BINS
    return Bins(tuple((axis.low + width * place, axis.low + width * (place + 1)) for place in range(_BINS)), axis)


def _grades(values: Iterable[float], axis: Axis) -> Sequence[int]:
    if axis.high - axis.low > _MOST_GRADES or not all(float(value).is_integer() for value in values):
        return ()
    return range(floor(axis.low), ceil(axis.high) + 1)


def count(values: Iterable[float], bins: Bins) -> Counted:
    """Count the values per bar; the last includes its right end, and values outside go to the outermost bars."""
    found = np.fromiter(values, float)
    places = np.floor((found - bins.axis.low) / bins.step + 1e-9).clip(0, len(bins.edges) - 1).astype(int)
    counts = np.bincount(places, minlength=len(bins.edges))
    total = sum(found.tolist())
    return Counted(tuple(counts.tolist()), len(found), total / len(found) if len(found) and isfinite(total) else None)


_WIDTH = 820
_HEIGHT, _BETWEEN = 64, 22
_LOWER, _NEARER, _FEW = 44, 16, 6
"""Height of a row and gap in pixels for charts with more than the last number of rows, so that a screen shows all."""
_NAMES = 220
"""Maximum pixels of the names."""
_GAP = 14


def distributions(
    metric: str,
    by_system: Mapping[str, Sequence[float]],
    bounds: Bounds = (None, None),
    language: Language = "en",
) -> VegaChart:
    """Draw one histogram per system, heights as shares of its values, next to mean and n.

    All share one axis of values; each row has its own scale of heights.

    `bounds`: the ends of the metric's scale, None at an open end. Only counts are drawn, however many values there are.
    """
    words = section("chart", language)
    bins, counted = _counted(by_system, bounds)
    said = in_figures(counted, words)
    shown = plain(shown_metric(metric, language))
    title = words["distribution"].format(metric=shown)
    again = partial(distributions, metric, by_system, bounds)
    return VegaChart(title, said, partial(histograms, shown, bins, counted, words), language, again)


def in_figures(counted: Mapping[str, Counted], words: Mapping[str, str]) -> str:
    """Return the mean and n of each row in words."""
    return in_words(((plain(name), ", ".join(_side_notes(one, words))) for name, one in counted.items()), words)


def _counted(by_system: Mapping[str, Sequence[float]], bounds: Bounds) -> tuple[Bins | None, Mapping[str, Counted]]:
    found = {name: finite_ones(values) for name, values in by_system.items()}
    numbers = {value for values in found.values() for value in values}
    axis = bounded_axis([min(numbers), max(numbers)], bounds) if numbers else None
    if axis is None:
        return None, {}
    bins = make_bins(numbers, axis)
    return bins, {name: count(values, bins) for name, values in found.items()}


def histograms(
    x_title: str,
    bins: Bins | None,
    counted: Mapping[str, Counted],
    words: Mapping[str, str],
    notes: Sequence[str] = (),
) -> Picture | None:
    """Draw one histogram per row on the same bars; None without bars. `notes` are below the picture."""
    if bins is None:
        return None
    names = min(max(text_width(plain(name)) for name in counted), _NAMES)
    left = names + 64
    right = max(text_width(line) for one in counted.values() for line in _side_notes(one, words)) + _GAP + 12
    field = max(_WIDTH - left - right, 240)
    ups = {name: _heights(one) for name, one in counted.items()}
    last, few = len(counted) - 1, len(counted) <= _FEW
    plots = [
        Plot(
            field,
            _HEIGHT if few else _LOWER,
            bins.axis,
            ups[name],
            _marks(name, one, bins, ups[name].high, names=names, field=field, words=words),
            x_title=shorten(x_title, field) if place == last else "",
            x_numbers=place == last,
            x_lines=False,
            y_numbers=True,
            y_format=".0%",
            x_log=bins.log,
        )
        for place, (name, one) in enumerate(counted.items())
    ]
    notes = [*([words["own_heights"]] if len(set(ups.values())) > 1 else []), *notes]
    plots[-1] = with_notes(plots[-1], notes, 62, left)
    return Picture(plots, Padding(left, 12, right, 50 + 24 * len(notes)), _BETWEEN if few else _NEARER)


def _heights(one: Counted) -> Axis:
    """Return an axis from 0 to a round share above the tallest bar of this system alone."""
    tallest = max(one.counts) / one.n if one.n else 0.0
    up = (make_axis([0.0, tallest]) if tallest else None) or Axis(0.0, 1.0, ())
    return replace(up, ticks=(0.0, up.high))


def _marks(
    name: str, one: Counted, bins: Bins, high: float, *, names: float, field: float, words: Mapping[str, str]
) -> list[Marks]:
    bars: list[Datum] = [
        {
            "x": left,
            "x2": right,
            "y": 0.0,
            "y2": share / one.n,
            "color": LINES[0],
            "tooltip": f"{plain(name)}: {_range(bins, place)}: {share} / {one.n}",
        }
        for place, ((left, right), share) in enumerate(zip(bins.edges, one.counts, strict=True))
        if share
    ]
    base: Datum = {"x": bins.axis.low, "x2": bins.axis.high, "y": 0.0, "y2": 0.0, "color": MUTED}
    marks = [Marks("bar", bars, style={"stroke": None}), Marks("rule", [base], style={"strokeWidth": 1})]
    if one.mean is not None:
        tooltip = words["mean"].format(value=written(one.mean))
        mean: Datum = {"x": one.mean, "x2": one.mean, "y": 0.0, "y2": high, "tooltip": tooltip}
        # A light line below the dark one makes it visible on a bar.
        marks.append(Marks("rule", [{**mean, "color": CARD}], style={"strokeWidth": 4}))
        marks.append(Marks("rule", [{**mean, "color": INK}], style={"strokeWidth": 1.5, "strokeDash": [3, 2]}))
    label: Datum = {"y": high / 2, "text": shorten(plain(name), names), "tooltip": plain(name)}
    marks.append(Marks("text", [label], at=-54, style={"align": "right", "fill": INK}))
    side_notes = _side_notes(one, words)
    first = -8 * (len(side_notes) - 1)
    marks += [
        Marks(
            "text",
            [{"y": high / 2, "text": line}],
            at=field + _GAP,
            style={"align": "left", "dy": first + 16 * place, "fill": MUTED},
        )
        for place, line in enumerate(side_notes)
    ]
    return marks


def _range(bins: Bins, place: int) -> str:
    left, right = bins.edges[place]
    if bins.log:
        return number(left) if right - left == 1 else f"{number(left)} – {number(right - 1)}"
    if bins.axis.high - bins.axis.low == len(bins.edges):  # one bar per grade
        return number(bins.axis.ticks[place])
    return f"{number(left)} – {number(right)}"


def _side_notes(one: Counted, words: Mapping[str, str]) -> list[str]:
    lines = [words["mean"].format(value=written(one.mean))] if one.mean is not None else []
    return [*lines, words["n"].format(n=one.n)]
