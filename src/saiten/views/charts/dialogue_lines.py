"""A score per group, one line per system, dotted, solid, …: the plot in the paper on dialogues (spec 02).

Lines differ in dashes and in the shapes of their marks, not only in color. A group without a value is a gap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from saiten.records import Language
from saiten.views.charts.axes import Axis, make_axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import INK, color
from saiten.views.charts.plot import POINT, Datum, Marks, Padding, Picture, Plot, legend, mark, stroke
from saiten.views.charts.texts import finite, finite_ones, in_words, plain, shorten, text_width, value_and_interval
from saiten.words import section

MOST_GROUPS, MOST_LINES = 60, 36
"""Limits beyond which lines are illegible or indistinguishable."""
_HEIGHT = 240
_STEP, _NARROWEST, _WIDEST, _LEAST = 110, 44, 760, 480
"""Pixels: between two groups normally, between two groups at least, and the field's maximum and minimum width."""
_LABEL = 160
"""Pixels of a group's label; the tooltip has the whole name."""
_SINE = 0.6
"""Sine of the angle of labels that do not fit horizontally."""


@dataclass(frozen=True, slots=True)
class Value:
    """The score of a system in a group."""

    group: str
    value: float | None
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """One line."""

    name: str
    values: tuple[Value, ...]


def dialogue_lines(
    series: Sequence[Series],
    language: Language = "en",
    *,
    score: str = "",
    better: Literal["higher", "lower"] = "higher",
) -> VegaChart:
    """Draw one line per system over all groups, in the order of their first occurrence.

    `score` and which of its values are `better` are for the title. Nothing is drawn with a single group, or beyond the
    limits above.
    """
    words = section("chart", language)
    values = ((f"{plain(line.name)}, {plain(value.group)}", value) for line in series for value in line.values)
    said = in_words(((name, _figure(value, words)) for name, value in values), words)
    title = words[f"{better}_by_group" if score else "by_group"].format(score=plain(score))
    again = partial(dialogue_lines, series, score=score, better=better)
    return VegaChart(title, said, partial(_picture, tuple(series), words), language, again)


def _picture(series: Sequence[Series], words: Mapping[str, str]) -> Picture | None:
    groups = list(dict.fromkeys(value.group for line in series for value in line.values))
    up = make_axis(finite_ones(value.value for line in series for value in line.values))
    if up is None or not 1 < len(groups) <= MOST_GROUPS or len(series) > MOST_LINES:
        return None
    step = max(_NARROWEST, min(_STEP, _WIDEST / len(groups)))
    width = max(step * len(groups), _LEAST)
    step = width / len(groups)
    place = {group: number + 0.5 for number, group in enumerate(groups)}
    across = Axis(0.0, float(len(groups)), ())
    marks = [each for number, line in enumerate(series) for each in _line(number, line, place, words)]
    labels = [shorten(plain(group), _LABEL) for group in groups]
    flat = all(text_width(label) < step - 6 for label in labels)
    below = 26.0 if flat else 20 + _SINE * max(map(text_width, labels))
    reach = 0.0 if flat else max(text_width(text) * 0.82 - step * (at + 0.5) for at, text in enumerate(labels))
    rows: list[Datum] = [
        {"x": place[group], "y": up.low, "text": label, "tooltip": plain(group)}
        for group, label in zip(groups, labels, strict=True)
    ]
    style = {"dy": 16, "align": "center"} if flat else {"dy": 6, "dx": -8, "angle": 324, "align": "right"}
    marks.append(Marks("text", rows, style={**style, "fill": INK}))
    field = Plot(width, _HEIGHT, across, up, marks, y_numbers=True, x_numbers=False)
    key = legend([line.name for line in series], width, lines=True)
    return Picture([field, key], Padding(max(56.0, reach + 12), 10, 24, 8), below + 8)


def _line(number: int, line: Series, place: Mapping[str, float], words: Mapping[str, str]) -> list[Marks]:
    """Draw one line between neighboring groups with a value, and its marks."""
    stretches: list[Datum] = []
    points: list[Datum] = []
    by_group = {value.group: value for value in line.values}
    before: tuple[float, float] | None = None
    for group, x in place.items():
        value = by_group.get(group)
        y = finite(value.value) if value is not None else None
        if value is None or y is None:
            before = None
            continue
        if before is not None:
            stretches.append({"x": before[0], "x2": x, "y": before[1], "y2": y, "color": color(number)})
        before = (x, y)
        tooltip = f"{plain(line.name)}, {plain(group)}: {_figure(value, words)}"
        points.append({"x": x, "y": y, **mark(number), "tooltip": tooltip})
    return [Marks("rule", stretches, style=stroke(number)), Marks("point", points, style=POINT)]


def _figure(value: Value, words: Mapping[str, str]) -> str:
    notes = [] if value.n is None else [words["n"].format(n=value.n)]
    return value_and_interval(value.value, None, None, words, notes)
