"""The means of systems or runs, metric by metric, with their intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, isfinite

from saiten.dialogue.scores import HIGHEST
from saiten.metrics.catalog import known_metric
from saiten.records import Language
from saiten.results.figure import Figure
from saiten.views.charts.axes import Axis, Bounds, shared_axes
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import INK
from saiten.views.charts.interval_rows import (
    COMPACT,
    MOST_ROWS,
    WIDTH,
    IntervalGroup,
    IntervalRow,
    filling_of,
    interval_rows,
)
from saiten.views.charts.plot import Picture
from saiten.views.charts.texts import finite, finite_ones, in_words, plain, value_and_interval
from saiten.views.metric_names import shown_metric
from saiten.words import section

_ON_A_SCREEN = 16
"""Rows that fit on a screen."""
_DIALOGUES: Mapping[str, Bounds] = {
    "wscore": (0.0, HIGHEST),
    "lscore": (1.0, None),
    "mscore": (0.0, HIGHEST),
    "leak": (0.0, 1.0),
}
"""Scales of the dialogue scores, which are not in the metric catalog."""

Named = tuple[str, Figure]
"""A figure with the name of its subject: a system, a run, "" if there is only one, which need not be named."""


def bounds_of(metric: str) -> Bounds:
    """Return the ends of the metric's scale; None at an open end, or for an unknown metric."""
    if metric in _DIALOGUES:
        return _DIALOGUES[metric]
    known = known_metric(metric)
    low, high = (-inf, inf) if known is None else known.bounds
    return (low if isfinite(low) else None, high if isfinite(high) else None)


def means_charts(figures: Sequence[Named]) -> list[VegaChart]:
    """Return one chart of means, or several with some of the metrics each if one would not fit on a screen."""
    parts: list[list[Named]] = [[]]
    for of in _by_metric(figures).values():
        if parts[-1] and len(parts[-1]) + len(of) > _ON_A_SCREEN:
            parts.append([])
        parts[-1] += of
    return [means(part, part=len(parts) > 1) for part in parts if part]


def means(figures: Sequence[Named], language: Language = "en", *, part: bool = False) -> VegaChart:
    """Draw one group per metric and one row per subject; with one subject, one row per metric.

    Metrics on one scale share an axis; a dot without an interval is hollow. `part`: other charts show further metrics,
    so the title names these.
    """
    words = section("chart", language)
    metrics = ", ".join(plain(shown_metric(metric, language)) for metric in _by_metric(figures))
    title = words["means_of"].format(metrics=metrics) if part else words["means"]
    said = in_words(((_whole_name(each, language), _described(each[1], words)) for each in figures), words)
    make, again = partial(_picture, figures, language), partial(means, figures, part=part)
    return VegaChart(title, said, make, language, again, partial(make, COMPACT))


def _by_metric(figures: Sequence[Named]) -> Mapping[str, Sequence[Named]]:
    found: dict[str, list[Named]] = {}
    for each in figures:
        found.setdefault(each[1].metric, []).append(each)
    return found


def _picture(figures: Sequence[Named], language: Language, width: float = WIDTH) -> Picture | None:
    words = section("chart", language)
    by_metric = _by_metric(figures[:MOST_ROWS])
    alone = len({name for name, _ in figures}) == 1
    axes = shared_axes([(_ends(of), bounds_of(metric)) for metric, of in by_metric.items()])
    blocks: list[IntervalGroup] = []
    for (metric, of), axis in zip(by_metric.items(), axes, strict=True):
        shown = shown_metric(metric, language)
        drawn = [_row(each, shown if alone else each[0], language) for each in of]
        # A metric without any value gets a group without an axis that says so for each system.
        scale = axis or Axis(0.0, 1.0, ())
        last = blocks[-1] if blocks else None
        if last is not None and (last.axis == scale or (alone and axis is None)):
            if alone:
                blocks[-1] = replace(last, rows=[*last.rows, *drawn])
                continue
            blocks[-1] = replace(last, numbers=False)
        blocks.append(IntervalGroup(drawn, scale, "" if alone else shown))
    left_out = len(figures) - MOST_ROWS
    notes = [words["more"].format(count=left_out)] if left_out > 0 else []
    if any(row.value is not None and row.fill is not None for block in blocks for row in block.rows):
        notes.append(words["no_interval"])
    return interval_rows(blocks, words["nothing"], notes, width) if blocks else None


def _row(named: Named, name: str, language: Language) -> IntervalRow:
    words, figure = section("chart", language), named[1]
    low, high = finite(figure.low), finite(figure.high)
    return IntervalRow(
        name,
        finite(figure.mean),
        low,
        high,
        " · ".join(_notes(figure, words)),
        words["said"].format(name=_whole_name(named, language), value=_described(figure, words)),
        INK,
        fill=filling_of(low, high, None),
    )


def _ends(figures: Sequence[Named]) -> list[float]:
    """Return all numbers of a metric."""
    return finite_ones(number for _, each in figures for number in (each.mean, each.low, each.high))


def _whole_name(named: Named, language: Language) -> str:
    name, metric = named[0], shown_metric(named[1].metric, language)
    return plain(f"{metric} · {name}" if name else metric)


def _notes(figure: Figure, words: Mapping[str, str]) -> list[str]:
    missing = figure.total - figure.n
    return [words["n"].format(n=figure.n), *([words["missing"].format(count=missing)] if missing else [])]


def _described(figure: Figure, words: Mapping[str, str]) -> str:
    return value_and_interval(figure.mean, figure.low, figure.high, words, _notes(figure, words))
