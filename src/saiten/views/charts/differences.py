"""Differences between two sides per metric, with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from saiten.records import Language
from saiten.results.comparison import Comparison
from saiten.results.metric_comparison import MetricComparison
from saiten.results.verdict import OUTSIDE_NOISE
from saiten.views.charts.axes import shared_axes
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import CARD, LINES
from saiten.views.charts.interval_rows import (
    COMPACT,
    MOST_ROWS,
    WIDTH,
    IntervalGroup,
    IntervalRow,
    Reference,
    interval_rows,
)
from saiten.views.charts.plot import Picture
from saiten.views.charts.texts import finite, finite_ones, in_words, plain, value_and_interval
from saiten.views.metric_names import shown_metric
from saiten.words import section


def differences(found: Comparison, language: Language = "en") -> VegaChart:
    """Draw one row per metric; metrics of another magnitude get their own axis.

    The mark is hollow where the difference may be noise, or has no verdict.
    """
    words = section("chart", language)
    pair = words["difference"].format(first=plain(found.first), second=plain(found.second))
    metrics = [replace(each, metric=shown_metric(each.metric, language)) for each in found.metrics]
    said = in_words(((f"{pair}, {plain(each.metric)}", _figure(each, words)) for each in metrics), words)
    again = partial(differences, found)
    make = partial(_picture, metrics, pair, words)
    return VegaChart(words["differences"], said, make, language, again, partial(make, COMPACT))


def _picture(
    metrics: Sequence[MetricComparison], pair: str, words: Mapping[str, str], width: float = WIDTH
) -> Picture | None:
    shown = metrics[:MOST_ROWS]
    axes = shared_axes([(_values(each), (None, None)) for each in shown])
    blocks = []
    for place, axis in enumerate(dict.fromkeys(axis for axis in axes if axis is not None)):
        # A row without a value goes with the first axis: it has no scale.
        members = [each for each, own in zip(shown, axes, strict=True) if own == axis or (own is None and not place)]
        rows = [_row(each, pair, words) for each in members]
        blocks.append(IntervalGroup(rows, axis, "" if place else pair, references=(Reference(0.0),)))
    notes = [words["more"].format(count=len(metrics) - len(shown))] if len(metrics) > len(shown) else []
    if any(each.verdict not in OUTSIDE_NOISE and each.ci_low is not None for each in shown):
        notes.append(words["not_apart"])
    return interval_rows(blocks, words["nothing"], notes, width) if blocks else None


def _values(each: MetricComparison) -> list[float]:
    """Return the row's numbers and 0, which every axis shows."""
    numbers = (each.difference, each.ci_low, each.ci_high)
    return [0.0, *finite_ones(numbers)] if finite(each.difference) is not None else []


def _row(each: MetricComparison, pair: str, words: Mapping[str, str]) -> IntervalRow:
    return IntervalRow(
        each.metric,
        finite(each.difference),
        finite(each.ci_low),
        finite(each.ci_high),
        " · ".join(part for part in _notes(each, words) if part),
        words["said"].format(name=f"{pair}, {plain(each.metric)}", value=_figure(each, words)),
        LINES[0],
        fill=None if each.verdict in OUTSIDE_NOISE else CARD,
    )


def _notes(each: MetricComparison, words: Mapping[str, str]) -> list[str]:
    p = finite(each.p_value)
    tested = "" if p is None else words["p_small"] if p < 0.001 else words["p"].format(p=f"{p:.3f}")
    return [tested, words["n"].format(n=each.n)]


def _figure(each: MetricComparison, words: Mapping[str, str]) -> str:
    return value_and_interval(each.difference, each.ci_low, each.ci_high, words, _notes(each, words))
