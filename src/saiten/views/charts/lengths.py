"""Histograms of the lengths of texts by field and data set, on one logarithmic axis."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Literal

from saiten.records import Language
from saiten.results.data_figures import DataFigures
from saiten.stats.lengths import Lengths
from saiten.views.charts.axes import Axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.distributions import Bins, Counted, histograms, in_figures
from saiten.views.charts.texts import plain
from saiten.words import Message, in_language, section

LengthUnit = Literal["characters", "tokens"]

_DECADE = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 79)
"""Where the bars begin up to 100: at every whole number, then at about ten per decade."""
_FEW_DECADES = 2
"""Decades up to which 2 and 5 are marked, too."""


def lengths_chart(sets: Sequence[DataFigures], unit: LengthUnit, language: Language = "en") -> VegaChart:
    """Draw one histogram per field and data set; an empty text has no place on the axis."""
    words = section("chart", language)
    found = _named(sets, unit, language)
    bins = log_bins(max((of.highest for of in found.values()), default=0))
    counted = {} if bins is None else {name: _counted(of, bins) for name, of in found.items()}
    empty = sum(of.counts.get(0, 0) for of in found.values())
    notes = [words["lengths_none"].format(n=empty)] if empty else []
    make = partial(histograms, words[unit], bins, counted, words, notes)
    again = partial(lengths_chart, sets, unit)
    return VegaChart(words[f"lengths_in_{unit}"], in_figures(counted, words), make, language, again)


def _named(sets: Sequence[DataFigures], unit: LengthUnit, language: Language) -> Mapping[str, Lengths]:
    """Return the lengths by the name of their row: field by field, with the data sets below each other."""
    every = [
        (of.field, data.name, lengths)
        for data in sets
        for of in data.texts
        if (lengths := of.tokens if unit == "tokens" else of.characters) is not None
    ]
    order = list(dict.fromkeys(field for field, _, _ in every))
    found = {}
    for field, name, lengths in sorted(every, key=lambda row: order.index(row[0])):
        word = in_language(Message("text_field", field), language)
        found[word if len(sets) == 1 else f"{word} · {plain(name)}"] = lengths
    return found


def log_bins(highest: int) -> Bins | None:
    """Return the bars for lengths from 1 to this one; None if there is none."""
    if highest < 1:
        return None
    edges = []
    for edge in _edges():
        edges.append(edge)
        if edge > highest:
            break
    low, high = edges[0], edges[-1]
    decades = len(str(high - 1)) - 1
    marked = (1,) if decades > _FEW_DECADES else (1, 2, 5)
    ticks = tuple(float(tick) for power in range(decades + 1) for part in marked if (tick := part * 10**power) <= high)
    bars = tuple(zip(map(float, edges[:-1]), map(float, edges[1:]), strict=True))
    return Bins(bars, Axis(float(low), float(high), ticks), log=True)


def _edges() -> Iterable[int]:
    yield from (edge for edge in _DECADE if edge < 10)
    for power in count():
        yield from (edge * 10**power for edge in _DECADE if edge >= 10)


def _counted(lengths: Lengths, bins: Bins) -> Counted:
    starts = [left for left, _ in bins.edges]
    counts = [0] * len(starts)
    for length, n in lengths.counts.items():
        if length:
            counts[bisect_right(starts, length) - 1] += n
    return Counted(tuple(counts), lengths.n, lengths.mean if lengths.mean >= bins.axis.low else None)
