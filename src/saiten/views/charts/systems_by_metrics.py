"""The main picture of a report: systems × metrics, each mean a dot on its metric's scale, with its interval."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from saiten.records import Language
from saiten.results.figure import Figure
from saiten.results.verdict import enough
from saiten.views.charts.axes import Axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import CARD, GRID, INK, LINES, MUTED
from saiten.views.charts.inline import broken
from saiten.views.charts.plot import Datum, Marks, Padding, Picture, Plot, with_notes
from saiten.views.charts.texts import finite, in_words, plain, shorten, text_width, value_and_interval
from saiten.views.charts.texts import written as number_of
from saiten.views.metric_names import shown_metric
from saiten.words import section

MOST_ROWS = 8
"""Rows that are legible on one slide."""
_WIDTH = 760
_ABREAST = 4
"""Maximum columns next to each other."""
_FEW = 4
"""Rows up to which there is room for as many columns below."""
_ROW, _HEAD, _FOOT = 30, 40, 26
"""Pixels of a row, of the names of the metrics above, and of the ends of the scales below."""
_NAMES = 200
"""Maximum pixels of the rows' names."""
_BETWEEN, _VALUE = 18, 40
"""Pixels between two columns, and of the figure on the right of each."""
_LETTERS, _GLOSS = 13, 11
_LARGE = 100
"""From here on decimals are of no interest."""


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system or a run."""

    name: str
    figures: Mapping[str, Figure]
    """By metric."""


@dataclass(frozen=True, slots=True)
class ScaledMetric:
    """A metric with its scale."""

    metric: str
    higher: bool | None
    """Whether higher is better; None if neither direction is, or it is unknown."""
    axis: Axis | None
    """None without a value."""


def systems_by_metrics(
    rows: Sequence[SystemRow], columns: Sequence[ScaledMetric], language: Language = "en"
) -> VegaChart:
    """Draw the first rows and columns. Nothing is drawn without a value."""
    words = section("chart", language)
    said = in_words(_said(rows, language), words)
    make = partial(_picture, tuple(rows), tuple(columns), language)
    return VegaChart(words["means"], said, make, language, partial(systems_by_metrics, rows, columns))


def _said(rows: Sequence[SystemRow], language: Language) -> Iterator[tuple[str, str]]:
    for row in rows:
        for metric, figure in row.figures.items():
            name = plain(shown_metric(metric, language))
            yield f"{plain(row.name)}, {name}", _figure(figure, section("chart", language))


def _picture(rows: Sequence[SystemRow], columns: Sequence[ScaledMetric], language: Language) -> Picture | None:
    words = section("chart", language)
    shown, drawn = _fitting(rows, columns)
    if not any(column.axis for column in drawn):
        return None
    names = min(max(text_width(plain(row.name), _LETTERS) for row in shown), _NAMES)
    abreast = min(len(drawn), _ABREAST)
    width = (_WIDTH - names) / abreast
    band = _HEAD + _ROW * len(shown) + _FOOT
    marks: list[Marks] = []
    for number, column in enumerate(drawn):
        left, top = names + number % abreast * width + _BETWEEN, number // abreast * band
        if number % abreast == 0:
            marks.append(_names(shown, names, top))
        marks += _column(shown, column, _ColumnPlace(left, top, width - _BETWEEN - _VALUE), language)
    height = band * (1 + (len(drawn) - 1) // abreast)
    across, down = Axis(0.0, float(_WIDTH), ()), Axis(float(height), 0.0, ())
    field = Plot(_WIDTH, height, across, down, marks, x_numbers=False, x_lines=False)
    lines = [line for note in _notes(rows, columns, words) for line in broken(note, 1.25 * _WIDTH)]
    return Picture([with_notes(field, lines, 14, 8)], Padding(8, 4, 12, 8 + 20 * len(lines)))


def _fitting(
    rows: Sequence[SystemRow], columns: Sequence[ScaledMetric]
) -> tuple[Sequence[SystemRow], Sequence[ScaledMetric]]:
    """Return what fits on one slide."""
    shown = rows[:MOST_ROWS]
    return shown, columns[: _ABREAST * (2 if len(shown) <= _FEW else 1)]


@dataclass(frozen=True, slots=True)
class _ColumnPlace:
    """A column in the picture, in pixels."""

    left: float
    top: float
    width: float


def _names(rows: Sequence[SystemRow], width: float, top: float) -> Marks:
    texts: list[Datum] = [
        {
            "x": width,
            "y": top + _HEAD + _ROW * (n + 0.5),
            "text": shorten(plain(row.name), width, _LETTERS),
            "tooltip": plain(row.name),
        }
        for n, row in enumerate(rows)
    ]
    return Marks("text", texts, style={"align": "right", "fontSize": _LETTERS, "fill": INK})


def _column(rows: Sequence[SystemRow], column: ScaledMetric, place: _ColumnPlace, language: Language) -> list[Marks]:
    left, right, top = place.left, place.left + place.width, place.top + _HEAD
    bottom, whole = top + _ROW * len(rows), plain(shown_metric(column.metric, language))
    marks = _heads(column, whole, place)
    if column.axis is not None:
        lines: list[Datum] = [{"x": x, "x2": x, "y": top, "y2": bottom, "color": GRID} for x in (left, right)]
        marks.append(Marks("rule", lines, style={"strokeWidth": 1}))
        for x, end, align in ((left, column.axis.low, "left"), (right, column.axis.high, "right")):
            text: Datum = {"x": x, "y": bottom + 9, "text": number_of(end), "color": MUTED}
            marks.append(Marks("text", [text], style={"align": align, "fontSize": 10}))
    for n, row in enumerate(rows):
        figure = row.figures.get(column.metric)
        if figure is not None:
            said = _figure(figure, section("chart", language))
            marks += _cell(n, f"{plain(row.name)}, {whole}: {said}", figure, column.axis, place)
    return marks


def _heads(column: ScaledMetric, whole: str, place: _ColumnPlace) -> list[Marks]:
    """Write the name of the metric with its direction, and below it the Japanese one if there is one."""
    room, y = place.width + _VALUE + _BETWEEN / 2, place.top + _HEAD - 26
    arrow = {True: " ↑", False: " ↓", None: ""}[column.higher]
    name = plain(column.metric)
    title = shorten(name, room - text_width(arrow, _LETTERS), _LETTERS) + arrow
    heads: list[Datum] = [{"x": place.left, "y": y, "text": title, "tooltip": whole}]
    marks = [Marks("text", heads, style={"align": "left", "fontSize": _LETTERS, "fontWeight": 600, "fill": INK})]
    if gloss := whole.removeprefix(name).strip("（）"):
        text: Datum = {"x": place.left, "y": y + 16, "text": shorten(gloss, room, _GLOSS), "tooltip": whole}
        marks.append(Marks("text", [text], style={"align": "left", "fontSize": _GLOSS, "fill": MUTED}))
    return marks


def _cell(number: int, tooltip: str, figure: Figure, axis: Axis | None, place: _ColumnPlace) -> list[Marks]:
    """Draw a figure and its interval, and write it on the right; a dash if there is none."""
    y = place.top + _HEAD + _ROW * (number + 0.5)
    right = place.left + place.width + _VALUE - 4
    mean = finite(figure.mean)
    text: Datum = {"x": right, "y": y, "text": _short(mean), "tooltip": tooltip}
    marks = [Marks("text", [text], style={"align": "right", "fontSize": _LETTERS, "fill": INK})]
    if axis is None or mean is None:
        return marks
    scale = place.width / (axis.high - axis.low)
    x, low, high = (
        None if end is None else place.left + (min(max(end, axis.low), axis.high) - axis.low) * scale
        for end in (mean, finite(figure.low), finite(figure.high))
    )
    strokes: list[Datum] = []
    if low is not None and high is not None:
        ends = [(low, high, y, y), (low, low, y - 4, y + 4), (high, high, y - 4, y + 4)]
        strokes = [{"x": a, "x2": b, "y": c, "y2": d, "color": LINES[0]} for a, b, c, d in ends]
    fill = LINES[0] if enough(figure.n, figure.total) else CARD
    point: Datum = {"x": x, "y": y, "color": LINES[0], "fill": fill, "shape": "circle", "tooltip": tooltip}
    point_style = {"size": 64, "strokeWidth": 2, "opacity": 1}
    return [Marks("rule", strokes, style={"strokeWidth": 2}), Marks("point", [point], style=point_style), *marks]


def _short(mean: float | None) -> str:
    """Write a mean with two decimals, so that those of a column can be compared at a glance."""
    return "–" if mean is None else f"{mean:.2f}".replace("-", "−") if abs(mean) < _LARGE else number_of(mean)


def _notes(rows: Sequence[SystemRow], columns: Sequence[ScaledMetric], words: Mapping[str, str]) -> Iterator[str]:
    shown, drawn = _fitting(rows, columns)
    figures = [figure for row in shown for column in drawn if (figure := row.figures.get(column.metric)) is not None]
    if any(figure.mean is not None and not enough(figure.n, figure.total) for figure in figures):
        yield words["hollow_little"]
    for key, left_out in (("more_rows", len(rows) - len(shown)), ("more_metrics", len(columns) - len(drawn))):
        if left_out > 0:
            yield words[key].format(n=left_out)


def _figure(figure: Figure, words: Mapping[str, str]) -> str:
    missing = figure.total - figure.n
    notes = [words["n"].format(n=figure.n), *([words["missing"].format(count=missing)] if missing else [])]
    return value_and_interval(figure.mean, figure.low, figure.high, words, notes)
