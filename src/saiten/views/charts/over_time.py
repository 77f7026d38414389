"""A metric over runs by the date of their start, one line per system, with marks where something else changed.

A line is broken where figures are not comparable. Dates are to scale if that leaves every run legible, otherwise runs
are evenly spaced; the axis says which.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from saiten.records import Language
from saiten.results.over_time import Course, DatedRun, RunChange, RunPoint
from saiten.views.charts.axes import Axis, make_axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import CARD, MUTED, REFERENCE, color
from saiten.views.charts.inline import broken
from saiten.views.charts.plot import Datum, Marks, Padding, Picture, Plot, legend, mark, stroke, with_notes
from saiten.views.charts.texts import finite, finite_ones, in_words, plain, shorten, text_width, value_and_interval
from saiten.views.metric_names import shown_metric
from saiten.words import Message, in_language, section

MOST_LINES = 6
"""Systems with a line each; runs with more are drawn as a whole."""
_WIDTH, _HEIGHT = 760, 260
_COMPACT = 640, 180
"""Width and height on a slide."""
_CLOSEST = 14
"""Pixels between two runs below which dates are not to scale."""
_MANY = 60
"""Runs beyond which intervals have no end strokes and marks are small."""
_EXPLAINED = 8
"""Maximum changes explained below the plot; the table has all."""
_LETTER = 16
"""Pixels that a change's letter needs."""
_TICK = 6
"""Pixels of the stroke at each run."""
_BESIDE = 7
"""Pixels from one system's mark to the next at the same run."""


def over_time_chart(course: Course, language: Language = "en") -> VegaChart:
    """Draw one metric. Nothing is drawn without a value."""
    words = section("chart", language)
    points = ((_whole_name(system, point), point) for system, line in course.lines.items() for point in line)
    said = in_words(((name, _figure(point, words)) for name, point in points), words)
    title = words["over_time"].format(metric=plain(shown_metric(course.metric, language)))
    return VegaChart(
        title,
        said,
        partial(_picture, course, language),
        language,
        partial(over_time_chart, course),
        partial(_picture, course, language, *_COMPACT),
    )


def _picture(course: Course, language: Language, width: float = _WIDTH, height: float = _HEIGHT) -> Picture | None:
    words = section("chart", language)
    figures = [point.figure for line in course.lines.values() for point in line]
    up = make_axis(finite_ones(end for f in figures for end in (f.mean, f.low, f.high)))
    if up is None:
        return None
    places, scaled = _places(course.runs, width)
    frame = _Frame(places, width, len(course.lines), words)
    marks = _changes(course.changes, places, up, language)
    for number, (system, line) in enumerate(course.lines.items()):
        marks += _line(number, system, line, frame)
    marks += _dates(course.runs, places, up, height)
    across = Axis(0.0, float(width), ())
    title = words["begun" if scaled else "begun_evenly"]
    field = Plot(width, height, across, up, marks, title, y_numbers=True, x_numbers=False)
    plots = [field]
    if len(course.lines) > 1:
        names = [in_language(Message("cell", "all"), language) if name is None else name for name in course.lines]
        plots.append(legend(names, width, lines=True))
    left = 64.0
    notes = [
        line for note in _notes(course, language) for line in broken(note, 1.1 * (left + width))
    ]  # smaller letters than in a heading
    first = 60.0 if len(plots) == 1 else 22.0
    plots[-1] = with_notes(plots[-1], notes, first, left)
    return Picture(plots, Padding(left, 26, 24, first - 8 + 20 * len(notes)), 56)


def _places(runs: Sequence[DatedRun], width: float) -> tuple[dict[int, float], bool]:
    """Return each run's place in pixels, by its id in memory, and whether dates are to scale."""
    margin = max(text_width(label) for label in dates_of(runs)) / 2 - 8
    room = width - 2 * margin
    seconds = [(run.begun or datetime.min.replace(tzinfo=UTC)).timestamp() for run in runs]
    whole = seconds[-1] - seconds[0]
    scaled = whole > 0 and all((b - a) / whole * room >= _CLOSEST for a, b in pairwise(seconds))
    shares = (
        [(at - seconds[0]) / whole for at in seconds] if scaled else [n / (len(runs) - 1) for n in range(len(runs))]
    )
    return {id(run): margin + share * room for run, share in zip(runs, shares, strict=True)}, scaled


def _changes(changes: Sequence[RunChange], places: Mapping[int, float], up: Axis, language: Language) -> list[Marks]:
    """Draw a vertical line between the two runs of each change; solid if figures are not comparable across it."""
    lines: dict[bool, list[Datum]] = {True: [], False: []}
    letters: list[Datum] = []
    free = -float(_LETTER)
    for change in changes:
        x = (places[id(change.before)] + places[id(change.after)]) / 2
        tooltip = f"{change.letter}: {in_language(change.what, language)}"
        lines[change.breaks].append({"x": x, "x2": x, "y": up.low, "y2": up.high, "color": REFERENCE})
        if x >= free:
            letters.append({"x": x, "y": up.high, "text": change.letter, "color": REFERENCE, "tooltip": plain(tooltip)})
            free = x + text_width(change.letter) + _LETTER / 2
    return [
        Marks("rule", lines[True], style={"strokeWidth": 1.25}),
        Marks("rule", lines[False], style={"strokeWidth": 1.25, "strokeDash": [3, 3]}),
        Marks("text", letters, style={"align": "center", "dy": -10, "fontWeight": 600}),
    ]


class _Frame(NamedTuple):
    """What the lines of a chart share."""

    places: Mapping[int, float]
    """Pixels, by the run's id in memory."""
    width: float
    lines: int
    words: Mapping[str, str]


def _line(number: int, system: str | None, line: Sequence[RunPoint], frame: _Frame) -> list[Marks]:
    """Draw the joined points of one system, their intervals and their marks; hollow where too little was measured."""
    places, words = frame.places, frame.words
    aside = (number - (frame.lines - 1) / 2) * min(_BESIDE, frame.width / len(places) / (frame.lines + 1))
    many = len(places) > _MANY
    cap = 0.0 if many else 3.0
    stretches, strokes, points = list[Datum](), list[Datum](), list[Datum]()
    before: tuple[float, float] | None = None
    for point in line:
        x, y = places[id(point.run)] + aside, finite(point.figure.mean)
        if y is None:
            continue
        if point.joined and before is not None:
            stretches.append({"x": before[0], "x2": x, "y": before[1], "y2": y, "color": color(number)})
        before = x, y
        low, high = finite(point.figure.low), finite(point.figure.high)
        if low is not None and high is not None:
            ends = [(x, x, low, high)] + ([(x - cap, x + cap, end, end) for end in (low, high)] if cap else [])
            strokes += [{"x": a, "x2": b, "y": c, "y2": d, "color": color(number)} for a, b, c, d in ends]
        look = {**mark(number), **({} if point.whole else {"fill": CARD})}
        points.append({"x": x, "y": y, **look, "tooltip": f"{_whole_name(system, point)}: {_figure(point, words)}"})
    return [
        Marks("rule", strokes, style={"strokeWidth": 1, "opacity": 0.55 if many else 0.8}),
        Marks("rule", stretches, style=stroke(number if frame.lines > 1 else 1)),
        Marks("point", points, style={"size": 16 if many else 50, "strokeWidth": 1.5 if many else 2, "opacity": 1}),
    ]


def _dates(runs: Sequence[DatedRun], places: Mapping[int, float], up: Axis, height: float) -> list[Marks]:
    """Write the dates of the runs, as many as there is room for, the first and the last among them."""
    labels = dates_of(runs)
    width = max(map(text_width, labels)) + 14
    chosen = [0]
    last = places[id(runs[-1])]
    for number, run in enumerate(runs[1:-1], 1):
        x = places[id(run)]
        if x - places[id(runs[chosen[-1]])] >= width and last - x >= width:
            chosen.append(number)
    if last - places[id(runs[0])] >= width:
        chosen.append(len(runs) - 1)
    end = up.low - _TICK * (up.high - up.low) / height
    xs = [places[id(run)] for run in runs]
    ticks: list[Datum] = [{"x": x, "x2": x, "y": up.low, "y2": end, "color": MUTED} for x in xs]
    texts: list[Datum] = [{"x": xs[n], "y": up.low, "text": labels[n], "color": MUTED} for n in chosen]
    return [
        Marks("rule", ticks, style={"strokeWidth": 1}),
        Marks("text", texts, style={"align": "center", "dy": 17}),
    ]


def dates_of(runs: Sequence[DatedRun]) -> list[str]:
    """Return the dates of the runs; with the time if two of them began on one day."""
    days = [f"{run.begun:%Y-%m-%d}" for run in runs]
    return days if len(set(days)) == len(days) else [f"{run.begun:%Y-%m-%d %H:%M}" for run in runs]


def _notes(course: Course, language: Language) -> list[str]:
    words = section("chart", language)
    points = [point for line in course.lines.values() for point in line if point.figure.mean is not None]
    shown = course.changes[:_EXPLAINED]
    notes = [
        words["change"].format(
            letter=change.letter,
            date=f"{change.after.begun:%Y-%m-%d}",
            run=shorten(plain(change.after.name), 200),
            what=plain(in_language(change.what, language)),
        )
        for change in shown
    ]
    if len(course.changes) > len(shown):
        notes.append(words["more"].format(count=len(course.changes) - len(shown)))
    if any(change.breaks for change in course.changes):
        notes.append(words["line_broken"])
    if any(not point.whole for point in points):
        notes.append(words["hollow_coverage"])
    return notes


def _whole_name(system: str | None, point: RunPoint) -> str:
    parts = (f"{point.run.begun:%Y-%m-%d %H:%M}", plain(point.run.name), plain(system) if system else "")
    return " · ".join(part for part in parts if part)


def _figure(point: RunPoint, words: Mapping[str, str]) -> str:
    figure = point.figure
    missing = figure.total - figure.n
    notes = [words["n"].format(n=figure.n), *([words["missing"].format(count=missing)] if missing else [])]
    return value_and_interval(figure.mean, figure.low, figure.high, words, notes)
