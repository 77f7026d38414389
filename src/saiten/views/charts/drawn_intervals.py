"""Which intervals of a table are drawn, and on which axis each row is."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from saiten.views.charts.forest import Axis, Estimated, group_by_scale, make_axis
from saiten.views.table import Cell, Interval, Table

MOST_DRAWN = 500
"""Rows up to which a table is drawn; beyond, pictures would be most of the page."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One interval column: where it stands, the axis of its head, and what is drawn in each row."""

    figure: int
    low: int
    high: int
    axis: Axis | None
    rows: tuple[tuple[Estimated | None, Axis | None, bool], ...]
    """By row: what is drawn, on which axis, and whether that is another than the head's."""


def pictures_of(table: Table) -> list[Picture]:
    """The pictures of a table on one axis, but for figures with one of their own; so for rows on a scale of their own.

    Nothing where there is nothing to draw, or too much.

    Raises:
        ValueError: an interval names a column that the table does not have.
    """
    if not 0 < len(table.rows) <= MOST_DRAWN:
        return []
    together = [each for each in table.intervals if not each.alone]
    apart = [[each] for each in table.intervals if each.alone]
    found = [picture for intervals in (together, *apart) if intervals for picture in _pictures(table, intervals)]
    return sorted(found, key=lambda picture: picture.figure)


def _pictures(table: Table, intervals: Sequence[Interval]) -> list[Picture]:
    """Those of figures that share their axes."""
    index = table.columns.index
    places = [(index(each.figure), index(each.low), index(each.high)) for each in intervals]
    drawn = [[_estimated(row, *place) for row in table.rows] for place in places]
    groups = _groups(table, drawn)
    axes = {group: _axis(intervals, drawn, groups, group) for group in set(groups)}
    # The head shows the scale of most rows, and of shares where as many are on it.
    often = Counter(group for group, *row in zip(groups, *drawn, strict=True) if any(row))
    if not often or all(axes[group] is None for group in often):
        return []
    main = min(often, key=lambda group: (axes[group] is None, -often[group], group))
    found = []
    for interval, place, column in zip(intervals, places, drawn, strict=True):
        own = {group: axis and replace(axis, reference=interval.reference) for group, axis in axes.items()}
        rows = tuple((each, own[group], group != main) for each, group in zip(column, groups, strict=True))
        found.append(Picture(*place, own[main], rows))
    return found


def _groups(table: Table, drawn: Sequence[Sequence[Estimated | None]]) -> list[int]:
    if table.scales == "one":
        return [0] * len(table.rows)
    return group_by_scale(max((abs(x) for x in _numbers(row)), default=0.0) for row in zip(*drawn, strict=True))


def _axis(
    intervals: Sequence[Interval], drawn: Sequence[Sequence[Estimated | None]], groups: Sequence[int], group: int
) -> Axis | None:
    shown = [each for column in drawn for each, its in zip(column, groups, strict=True) if its == group]
    numbers = list(_numbers(shown))
    references = [each.reference for each in intervals if each.reference is not None]
    return make_axis([*numbers, *references]) if numbers else None


def _numbers(shown: Iterable[Estimated | None]) -> Iterable[float]:
    for each in shown:
        if each is not None:
            yield from (x for x in (each.value, each.low, each.high) if x is not None)


def _estimated(row: Sequence[Cell], figure: int, low: int, high: int) -> Estimated | None:
    value, first, last = (_number(row[place]) for place in (figure, low, high))
    if value is None:
        return None
    if first is None or last is None:
        return Estimated(value)
    return Estimated(value, min(first, last), max(first, last))


def _number(cell: Cell) -> float | None:
    """The cell as a float, if it is a number that a picture can hold."""
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return None
    try:
        value = float(cell)
    except OverflowError:
        return None
    return value if isfinite(value) else None
