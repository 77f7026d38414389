"""Agreement of metrics with people, best first, and the agreement of people among themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from saiten.records import Language
from saiten.views.charts.axes import bounded_axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colours import LINES
from saiten.views.charts.interval_rows import (
    MOST_ROWS,
    IntervalGroup,
    IntervalRow,
    Reference,
    filling_of,
    interval_rows,
)
from saiten.views.charts.plot import Picture
from saiten.views.charts.texts import finite, in_words, plain, shorten, value_and_interval, written
from saiten.words import section

_LETTERS = 100
"""Pixels of a metric's letters."""
_PEOPLE = (8, 3, 2, 3)
"""The dashes of people's line, distinct from those of the "no agreement" line."""


@dataclass(frozen=True, slots=True)
class RankingRow:
    """One metric."""

    metric: str
    value: float | None
    """Its agreement with people."""
    low: float | None = None
    """Lower end of the 95 % interval, or None."""
    high: float | None = None
    n: int = 0
    """Items with both values."""
    rank: int | None = None
    letters: str = ""
    """Metrics that share a letter do not differ significantly."""


@dataclass(frozen=True, slots=True)
class PeoplesAgreement:
    """Agreement of one person with the others: a ceiling for metrics, on the same items and in the same measure."""

    value: float
    low: float | None = None
    """Lower end of the 95 % interval, or None."""
    high: float | None = None


def ranking(
    rows: Sequence[RankingRow],
    ceiling: PeoplesAgreement | None = None,
    language: Language = "en",
    *,
    by: str = "",
    none: float | None = 0.0,
    title: str = "",
) -> VegaChart:
    """Draw one row per metric, in the given order. `by`: the measure, e.g. Kendall tau-b; `none`: its chance value.

    The ceiling is a line of dots and dashes with its interval as a band, `none` a dashed line; a mark is hollow where
    the interval contains `none`.
    """
    words = section("chart", language)
    pairs = [(plain(row.metric), _figure(row, words)) for row in rows]
    said = in_words(pairs, words)
    if ceiling is not None and finite(ceiling.value) is not None:
        said = words["between"].join((words["ceiling"].format(value=written(ceiling.value)), said))
    named = title or (words["ranking"].format(by=plain(by)) if by else words["ranking_plain"])
    again = partial(ranking, rows, ceiling, by=by, none=none, title=title)
    return VegaChart(named, said, partial(_picture, tuple(rows), ceiling, by, none, words), language, again)


def _picture(
    rows: Sequence[RankingRow], ceiling: PeoplesAgreement | None, by: str, none: float | None, words: Mapping[str, str]
) -> Picture | None:
    shown = rows[:MOST_ROWS]
    values = [value for row in shown for each in (row.value, row.low, row.high) if (value := finite(each)) is not None]
    references: list[Reference] = []
    if none is not None:
        references.append(Reference(none))
    if ceiling is not None and finite(ceiling.value) is not None:
        label = words["ceiling"].format(value=written(ceiling.value))
        references.append(Reference(ceiling.value, finite(ceiling.low), finite(ceiling.high), label, _PEOPLE))
    lines = [end for one in references for end in (one.value, one.low, one.high) if end is not None]
    axis = bounded_axis([*lines, *values], (None, None)) if values else None
    if axis is None:
        return None
    drawn = [_row(row, none, words) for row in shown]
    notes = [words["more"].format(count=len(rows) - len(shown))] if len(rows) > len(shown) else []
    if none is not None:
        notes.append(words["hollow"].format(none=written(none)))
    if len(references) > (none is not None):
        notes.append(words["band"])
    block = IntervalGroup(drawn, axis, x_title=by or words["agreement"], references=references)
    return interval_rows([block], words["nothing"], notes)


def _row(row: RankingRow, none: float | None, words: Mapping[str, str]) -> IntervalRow:
    low, high = finite(row.low), finite(row.high)
    rank = f"{row.rank}. " if row.rank is not None else ""
    beside = [shorten(plain(row.letters), _LETTERS) if row.letters else "", words["n"].format(n=row.n)]
    told = words["said"].format(name=plain(row.metric), value=_figure(row, words))
    return IntervalRow(
        rank + plain(row.metric),
        finite(row.value),
        low,
        high,
        " · ".join(part for part in beside if part),
        told,
        LINES[0],
        fill=filling_of(low, high, none),
    )


def _figure(row: RankingRow, words: Mapping[str, str]) -> str:
    return value_and_interval(row.value, row.low, row.high, words, [words["n"].format(n=row.n)])
