"""The items of a test set from difficult to easy, and the distribution of their scores by kind and by system."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from typing import NamedTuple

from saiten.records import Language
from saiten.results.set_difficulty import ItemFigures, SetDifficulty
from saiten.results.set_scores import SetScores
from saiten.views.charts.axes import Axis, Bounds, bounded_axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import GRID, INK, MUTED
from saiten.views.charts.distributions import distributions
from saiten.views.charts.inline import broken
from saiten.views.charts.plot import Datum, Marks, Padding, Picture, Plot, legend, mark, with_notes
from saiten.views.charts.texts import in_words, plain, shorten, written
from saiten.views.metric_names import shown_metric
from saiten.words import Message, in_language, section

MOST_ITEMS = 300
"""Items that are drawn; of more, every second, third, … one."""
MOST_LINES = 6
"""Systems with marks; of more, only the range is drawn."""
_WIDTH, _HEIGHT = 760, 240
_CLOSE = 6.0
"""Pixels from one item to the next below which marks are small."""
_BESIDE = 4.0
"""Pixels from one system's mark to the next at the same item."""


def kind_word(kind: str) -> Message:
    """Return what a kind of question is called."""
    return Message("question_kind", kind or "other")


def difficulty_charts(scores: SetScores, difficulty: SetDifficulty) -> tuple[VegaChart, ...]:
    """Return the items in order, then their means by kind and the scores by system."""
    if not difficulty.items:
        return ()
    several = len(scores.systems) > 1
    charts = (items_chart(scores, difficulty), kinds_chart(scores, difficulty), systems_chart(scores))
    return charts if several else charts[:2]


def kinds_chart(scores: SetScores, difficulty: SetDifficulty, language: Language = "en") -> VegaChart:
    """Draw the distribution of the items' means by kind."""
    means: dict[str, list[float]] = {}
    for each in difficulty.items:
        means.setdefault(in_language(kind_word(each.item.kind), language), []).append(each.mean)
    chart = distributions(scores.metric, means, _bounds(scores), language)
    title = _titled("items_by_kind", scores, language)
    return replace(chart, title=title, again=partial(kinds_chart, scores, difficulty))


def systems_chart(scores: SetScores, language: Language = "en") -> VegaChart:
    """Draw the distribution of the scores by system."""
    values = {system.name: list(system.values.values()) for system in scores.systems}
    chart = distributions(scores.metric, values, _bounds(scores), language)
    return replace(chart, title=_titled("items_by_system", scores, language), again=partial(systems_chart, scores))


def items_chart(scores: SetScores, difficulty: SetDifficulty, language: Language = "en") -> VegaChart:
    """Draw a vertical line from the lowest to the highest score of each item, in the order of their means."""
    words = section("chart", language)
    ordered = sorted(difficulty.items, key=lambda each: (each.mean, each.item.id))
    said = in_words(((plain(each.item.id), _figures(each, scores, words)) for each in ordered), words)
    make = partial(_picture, scores, difficulty, ordered, language)
    return VegaChart(_titled("items", scores, language), said, make, language, partial(items_chart, scores, difficulty))


def _titled(key: str, scores: SetScores, language: Language) -> str:
    return section("chart", language)[key].format(metric=plain(shown_metric(scores.metric, language)))


def _bounds(scores: SetScores) -> Bounds:
    return (scores.scale.low, scores.scale.high) if scores.declared else (None, None)


def _picture(
    scores: SetScores, difficulty: SetDifficulty, ordered: Sequence[ItemFigures], language: Language
) -> Picture | None:
    words = section("chart", language)
    each_nth = ceil(len(ordered) / MOST_ITEMS)
    shown = ordered[::each_nth]
    up = bounded_axis([value for each in shown for value in each.values], _bounds(scores))
    if up is None:
        return None
    apart = _WIDTH / len(shown)
    marks = [*_lines(shown, difficulty, _Places(apart, up), words)]
    marks.append(_means(shown, apart, words))
    if len(scores.systems) <= MOST_LINES:
        marks += _points(shown, scores, apart, words)
    title = words["items_from_hard" if scores.higher is not False else "items_from_easy"].format(n=len(ordered))
    field = Plot(
        _WIDTH, _HEIGHT, Axis(0.0, float(_WIDTH), ()), up, marks, title, y_numbers=True, x_numbers=False, x_lines=False
    )
    plots = [field]
    if 1 < len(scores.systems) <= MOST_LINES:
        plots.append(legend([system.name for system in scores.systems], _WIDTH, lines=False))
    left = 64.0
    notes = [line for note in _notes(scores, each_nth, words) for line in broken(note, 1.1 * (left + _WIDTH))]
    first = 60.0 if len(plots) == 1 else 22.0
    plots[-1] = with_notes(plots[-1], notes, first, left)
    return Picture(plots, Padding(left, 12, 24, first - 8 + 20 * len(notes)), 56)


class _Places(NamedTuple):
    """Where the items are."""

    apart: float
    """Pixels from one to the next."""
    up: Axis


def _lines(
    shown: Sequence[ItemFigures], difficulty: SetDifficulty, places: _Places, words: Mapping[str, str]
) -> Iterator[Marks]:
    """Draw the ranges, and light bands behind the items that separate no two systems."""
    apart, up = places
    bands: list[Datum] = []
    ranges: list[Datum] = []
    for place, each in enumerate(shown):
        x = apart * (place + 0.5)
        if difficulty.alike(each):
            tooltip = f"{plain(each.item.id)}: {words['items_alike']}"
            band = {"x": x - apart / 2, "x2": x + apart / 2, "y": up.low, "y2": up.high}
            bands.append({**band, "color": GRID, "tooltip": tooltip})
        ranges.append({"x": x, "x2": x, "y": min(each.values), "y2": max(each.values), "color": MUTED})
    yield Marks("bar", bands, style={"stroke": None})
    yield Marks("rule", ranges, style={"strokeWidth": 1, "opacity": 0.5})


def _means(shown: Sequence[ItemFigures], apart: float, words: Mapping[str, str]) -> Marks:
    half = min(apart / 2, 5.0)
    rows: list[Datum] = [
        {
            "x": apart * (place + 0.5) - half,
            "x2": apart * (place + 0.5) + half,
            "y": each.mean,
            "y2": each.mean,
            "color": INK,
            "tooltip": words["said"].format(
                name=plain(each.item.id),
                value=f"{words['mean'].format(value=written(each.mean))} · {shorten(plain(each.item.question), 400)}",
            ),
        }
        for place, each in enumerate(shown)
    ]
    return Marks("rule", rows, style={"strokeWidth": 2})


def _points(shown: Sequence[ItemFigures], scores: SetScores, apart: float, words: Mapping[str, str]) -> Iterator[Marks]:
    """Draw the scores of each system, next to each other so that equal ones are visible."""
    count = len(scores.systems)
    for number, system in enumerate(scores.systems):
        aside = (number - (count - 1) / 2) * min(_BESIDE, apart / (count + 1))
        points: list[Datum] = [
            {
                "x": apart * (place + 0.5) + aside,
                "y": each.values[number],
                **mark(number),
                "tooltip": words["said"].format(
                    name=f"{plain(each.item.id)}, {plain(system.name)}", value=written(each.values[number])
                ),
            }
            for place, each in enumerate(shown)
        ]
        size = 12 if apart < _CLOSE else 30
        yield Marks("point", points, style={"size": size, "strokeWidth": 1.5, "opacity": 0.9})


def _notes(scores: SetScores, each_nth: int, words: Mapping[str, str]) -> Iterator[str]:
    if len(scores.systems) > 1:
        yield words["items_bands"]
    if each_nth > 1:
        yield words["items_nth"].format(n=each_nth)


def _figures(each: ItemFigures, scores: SetScores, words: Mapping[str, str]) -> str:
    parts = (f"{plain(of.name)} {written(value)}" for of, value in zip(scores.systems, each.values, strict=True))
    return words["listed"].join(parts)
