"""Shares from 0 to 1 with their intervals, a row each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from saiten.records import Language
from saiten.stats.estimate import Estimate
from saiten.views.charts.axes import Axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import INK
from saiten.views.charts.interval_rows import COMPACT, WIDTH, IntervalGroup, IntervalRow, filling_of, interval_rows
from saiten.views.charts.plot import Picture
from saiten.views.charts.texts import in_words, plain, value_and_interval
from saiten.words import Message, in_language, section

_WHOLE = Axis(0.0, 1.0, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))


@dataclass(frozen=True, slots=True)
class Share:
    """A share of something, with its name."""

    name: str | Message
    estimate: Estimate


def shares(column: str, found: Sequence[Share], language: Language = "en") -> VegaChart:
    """Draw the shares, headed like the table's column."""
    words = section("chart", language)
    title = in_language(Message("column", column), language)
    rows = [_row(each, language) for each in found]
    said = in_words(((row.name, row.tooltip.removeprefix(f"{row.name}: ")) for row in rows), words)
    make = partial(_picture, rows, title, words["nothing"])
    return VegaChart(title, said, make, language, partial(shares, column, found), partial(make, COMPACT))


def _picture(rows: Sequence[IntervalRow], title: str, nothing: str, width: float = WIDTH) -> Picture | None:
    return interval_rows([IntervalGroup(rows, _WHOLE, x_title=title)], nothing, width=width) if rows else None


def _row(one: Share, language: Language) -> IntervalRow:
    words, found = section("chart", language), one.estimate
    name, n = plain(in_language(one.name, language)), words["n"].format(n=found.n)
    shown = value_and_interval(found.value, found.low, found.high, words, [n])
    tooltip = words["said"].format(name=name, value=shown)
    fill = filling_of(found.low, found.high, None)
    return IntervalRow(name, found.value, found.low, found.high, n, tooltip, INK, fill=fill)
