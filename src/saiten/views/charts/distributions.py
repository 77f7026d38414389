"""How a metric's values are spread, system by system on the same axes: bars by grade, or by bins of one width."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from saiten.records import Language
from saiten.views.charts.axes import Axis, Bounds, bounded_axis, make_axis
from saiten.views.charts.binning import Bins, Counted, count, make_bins, tallest
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colours import CARD, INK, LINES, MUTED
from saiten.views.charts.figures import finite, in_words, number, written
from saiten.views.charts.names import plain, shorten, text_width
from saiten.views.charts.panel import Marks, Padding, Panel, Picture, Row
from saiten.words import section

MOST_SYSTEMS = 12
"""Beyond, one cannot see them together."""
_WIDTH = 820
_HEIGHT, _BETWEEN = 64, 22
_LOWER, _NEARER, _FEW = 44, 16, 6
"""Height of a row and pixels between two; where there are more than a few, so that a screen shows them all."""
_NAMES = 220
"""Pixels of the names, at most."""
_GAP = 14


def distributions(
    metric: str,
    by_system: Mapping[str, Sequence[float | None]],
    bounds: Bounds = (None, None),
    language: Language = "en",
    *,
    title: str = "",
) -> VegaChart:
    """A row of bars a system, their height the share of its values; mean, n and what has no value beside it.

    All are on one axis of values; the heights of each row have a scale of their own.

    `bounds`: the ends of the metric's scale, None where it is open. However many values, only counts are drawn.
    """
    words = section("chart", language)
    bins, counted = _counted(by_system, bounds)
    said = in_words(((plain(name), ", ".join(_beside(one, words))) for name, one in counted.items()), words)
    named = title or words["distribution"].format(metric=plain(metric))
    again = partial(distributions, metric, by_system, bounds, title=title)
    return VegaChart(named, said, partial(_picture, metric, bins, counted, words), language, again)


def _counted(
    by_system: Mapping[str, Sequence[float | None]], bounds: Bounds
) -> tuple[Bins | None, Mapping[str, Counted]]:
    found = {name: [finite(value) for value in values] for name, values in by_system.items()}
    numbers = {value for values in found.values() for value in values if value is not None}
    axis = bounded_axis([min(numbers), max(numbers)], bounds) if numbers else None
    if axis is None:
        return None, {}
    bins = make_bins(numbers, axis)
    return bins, {name: count(values, bins) for name, values in found.items()}


def _picture(
    metric: str, bins: Bins | None, counted: Mapping[str, Counted], words: Mapping[str, str]
) -> Picture | None:
    if bins is None:
        return None
    shown = dict(list(counted.items())[:MOST_SYSTEMS])
    beside = {name: _beside(one, words) for name, one in shown.items()}
    names = min(max(text_width(plain(name)) for name in shown), _NAMES)
    left = names + 64
    right = max(text_width(line) for lines in beside.values() for line in lines) + _GAP + 12
    field = max(_WIDTH - left - right, 240)
    ups = {name: _heights(one) for name, one in shown.items()}
    last, few = len(shown) - 1, len(shown) <= _FEW
    panels = [
        Panel(
            field,
            _HEIGHT if few else _LOWER,
            bins.axis,
            ups[name],
            _marks(name, one, bins, ups[name], beside[name], names=names, field=field, words=words),
            x_title=shorten(plain(metric), field) if place == last else "",
            x_numbers=place == last,
            x_lines=False,
            y_numbers=True,
            y_format=".0%",
        )
        for place, (name, one) in enumerate(shown.items())
    ]
    notes = [words["own_heights"]] if len(set(ups.values())) > 1 else []
    if len(counted) > len(shown):
        notes.append(words["more"].format(count=len(counted) - len(shown)))
    lines = [
        Marks(
            "text", [{"y": 0.0, "text": note}], at=8 - left, style={"align": "left", "dy": 62 + 20 * at, "fill": MUTED}
        )
        for at, note in enumerate(notes)
    ]
    panels[-1] = replace(panels[-1], marks=[*panels[-1].marks, *lines])
    return Picture(
        panels, Padding(left, 12, right, 50 + 4 * bool(notes) + 20 * len(notes)), _BETWEEN if few else _NEARER
    )


def _heights(one: Counted) -> Axis:
    """From 0 to a round share above the tallest bar: where all answers are alike, the bars of others are still seen."""
    up = (make_axis([0.0, tallest(one)]) if tallest(one) else None) or Axis(0.0, 1.0, ())
    return replace(up, ticks=(0.0, up.high))


def _marks(
    name: str,
    one: Counted,
    bins: Bins,
    up: Axis,
    beside: Sequence[str],
    *,
    names: float,
    field: float,
    words: Mapping[str, str],
) -> list[Marks]:
    bars: list[Row] = [
        {
            "x": left,
            "x2": right,
            "y": 0.0,
            "y2": share / one.n,
            "colour": LINES[0],
            "told": f"{plain(name)}: {_range(bins, place)}: {share} / {one.n}",
        }
        for place, ((left, right), share) in enumerate(zip(bins.edges, one.counts, strict=True))
        if share
    ]
    base: Row = {"x": bins.axis.low, "x2": bins.axis.high, "y": 0.0, "y2": 0.0, "colour": MUTED}
    marks = [Marks("bar", bars, style={"stroke": None}), Marks("rule", [base], style={"strokeWidth": 1})]
    if one.mean is not None:
        mean: Row = {
            "x": one.mean,
            "x2": one.mean,
            "y": 0.0,
            "y2": up.high,
            "told": words["mean"].format(value=written(one.mean)),
        }
        # A light line below the dark one, so that it is seen on a bar as well.
        marks.append(Marks("rule", [{**mean, "colour": CARD}], style={"strokeWidth": 4}))
        marks.append(Marks("rule", [{**mean, "colour": INK}], style={"strokeWidth": 1.5, "strokeDash": [3, 2]}))
    label: Row = {"y": up.high / 2, "text": shorten(plain(name), names), "told": plain(name)}
    marks.append(Marks("text", [label], at=-54, style={"align": "right", "fill": INK}))
    first = -8 * (len(beside) - 1)
    marks += [
        Marks(
            "text",
            [{"y": up.high / 2, "text": line}],
            at=field + _GAP,
            style={"align": "left", "dy": first + 16 * place, "fill": MUTED},
        )
        for place, line in enumerate(beside)
    ]
    return marks


def _range(bins: Bins, place: int) -> str:
    left, right = bins.edges[place]
    if bins.axis.high - bins.axis.low == len(bins.edges):  # a bar a grade
        return number(bins.axis.ticks[place])
    return f"{number(left)} – {number(right)}"


def _beside(one: Counted, words: Mapping[str, str]) -> list[str]:
    lines = [words["mean"].format(value=written(one.mean))] if one.mean is not None else []
    lines.append(words["n"].format(n=one.n))
    if one.missing:
        lines.append(words["missing"].format(count=one.missing))
    return lines
