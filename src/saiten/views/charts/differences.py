"""Differences between two systems per metric, with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from saiten.records import Language
from saiten.views.charts.axes import shared_axes
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colours import CARD, LINES
from saiten.views.charts.interval_rows import (
    MOST_ROWS,
    IntervalGroup,
    IntervalRow,
    Reference,
    filling_of,
    interval_rows,
)
from saiten.views.charts.plot import Picture
from saiten.views.charts.texts import finite, in_words, plain, value_and_interval
from saiten.words import section

_LIKELY = 0.05
"""A difference with at least this p-value may be noise."""


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One paired test."""

    metric: str
    first: str
    second: str
    difference: float | None
    """Second minus first."""
    low: float | None = None
    """Lower end of the 95 % interval, or None."""
    high: float | None = None
    p_value: float | None = None
    """The p-value shown: corrected if the table's is."""
    n: int = 0
    """Answers measured on both sides."""
    apart: bool | None = None
    """Whether the difference is significant; None: decided by the p-value, or the interval."""


def differences(rows: Sequence[DifferenceRow], language: Language = "en", *, title: str = "") -> VegaChart:
    """Draw one group per pair of systems and one row per metric; metrics of another magnitude get their own group.

    The mark is hollow where the difference may be noise, or has no verdict.
    """
    words = section("chart", language)
    said = in_words(((f"{_pair(row, words)}, {plain(row.metric)}", _figure(row, words)) for row in rows), words)
    return VegaChart(
        title or words["differences"],
        said,
        partial(_picture, tuple(rows), words),
        language,
        partial(differences, rows, title=title),
    )


def _picture(rows: Sequence[DifferenceRow], words: Mapping[str, str]) -> Picture | None:
    shown = rows[:MOST_ROWS]
    by_pair: dict[tuple[str, str], list[DifferenceRow]] = {}
    for row in shown:
        by_pair.setdefault((row.first, row.second), []).append(row)
    axes = shared_axes([(_values(row), (None, None)) for row in shown])
    axis_of = dict(zip(map(id, shown), axes, strict=True))
    blocks: list[IntervalGroup] = []
    for of in by_pair.values():
        kinds = list(dict.fromkeys(axis for row in of if (axis := axis_of[id(row)]) is not None))
        for place, axis in enumerate(kinds):
            # A row without a value goes with the first axis: it has no scale.
            members = [row for row in of if axis_of[id(row)] in ((axis, None) if place == 0 else (axis,))]
            heading = _pair(of[0], words) if place == 0 else ""
            blocks.append(
                IntervalGroup([_row(row, words) for row in members], axis, heading, references=(Reference(0.0),))
            )
    notes = [words["more"].format(count=len(rows) - len(shown))] if len(rows) > len(shown) else []
    if any(_row(row, words).fill == CARD and row.low is not None for row in shown):
        notes.append(words["not_apart"])
    return interval_rows(blocks, words["nothing"], notes) if blocks else None


def _values(row: DifferenceRow) -> list[float]:
    """Return the row's numbers and 0, which every axis shows."""
    found = [value for each in (row.difference, row.low, row.high) if (value := finite(each)) is not None]
    return [0.0, *found] if finite(row.difference) is not None else []


def _row(row: DifferenceRow, words: Mapping[str, str]) -> IntervalRow:
    low, high = finite(row.low), finite(row.high)
    told = words["said"].format(name=f"{_pair(row, words)}, {plain(row.metric)}", value=_figure(row, words))
    return IntervalRow(
        row.metric,
        finite(row.difference),
        low,
        high,
        " · ".join(part for part in _beside(row, words) if part),
        told,
        LINES[0],
        fill=_filling(row),
    )


def _filling(row: DifferenceRow) -> str | None:
    if row.apart is not None:
        return None if row.apart else CARD
    p = finite(row.p_value)
    if p is None or finite(row.low) is None:
        return filling_of(finite(row.low), finite(row.high), 0.0)
    return None if p < _LIKELY else CARD


def _pair(row: DifferenceRow, words: Mapping[str, str]) -> str:
    return words["difference"].format(first=plain(row.first), second=plain(row.second))


def _beside(row: DifferenceRow, words: Mapping[str, str]) -> list[str]:
    return [_p(row.p_value, words), words["n"].format(n=row.n)]


def _p(value: float | None, words: Mapping[str, str]) -> str:
    if (p := finite(value)) is None:
        return ""
    return words["p_small"] if p < 0.001 else words["p"].format(p=f"{p:.3f}")


def _figure(row: DifferenceRow, words: Mapping[str, str]) -> str:
    return value_and_interval(row.difference, row.low, row.high, words, _beside(row, words))
