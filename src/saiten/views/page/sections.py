"""A table in the form of the page's template."""

from collections.abc import Callable, Iterator, Sequence

from markupsafe import Markup

from saiten.records import Language
from saiten.views.gist.marked import MarkedText
from saiten.views.page.cells import ShownCell, interval_cell, marked_up, note_cell, shown_cell
from saiten.views.strip_controls import clean
from saiten.views.table import Table, Value, is_number
from saiten.words import section

_REMARKS, _REMARKED_FROM = "remarks", 2
"""The last column of a table with more columns than this, which a page shows below its row."""
_NOTES = ("note",)
"""Columns of a table of notes."""
_FEW = 3
"""Maximum charts that stay open above a folded table; if there are more, all are folded with it."""


class ShownSection:
    """A table in the template's form."""

    def __init__(self, anchor: str, made: Table, language: Language) -> None:
        last = made.columns[-1] if len(made.columns) > _REMARKED_FROM else ""
        self._below = len(made.columns) - 1 if last == _REMARKS else None
        self.notes = made.columns == _NOTES
        table = made.in_language(language)
        self.anchor = anchor
        self.title = clean(table.title)
        self.caption = marked_up(table.caption)
        self.length = len(table.rows)
        self.named = len(table.columns) > 1  # a single column names nothing
        index = table.columns.index
        self._ends = {index(each.low): index(each.high) for each in table.intervals}
        self.charts = [(clean(chart.title), Markup(svg)) for chart in table.charts if (svg := chart.svg(clean))]  # noqa: S704 - escaped where it is drawn
        few = 0 < len(self.charts) <= _FEW
        self.folded = ("table" if few else "whole") if table.folded and self.length else ""
        self._table = table
        self._numeric = {
            place for place in range(len(table.columns)) if any(is_number(row[place]) for row in table.rows)
        }
        self.marked = any(isinstance(cell, MarkedText) for row in table.rows for cell in row)
        self._left_out = set(self._ends.values())
        if self._below is not None:
            self._left_out.add(self._below)
        self._language = language
        self._labels = section("page", language)
        self.counted = self._labels["rows"].format(n=self.length)

    @property
    def heads(self) -> Iterator[tuple[str, str]]:
        """Yield each column's name and class: `number`, `interval`, or none. Both ends of an interval share one."""
        for place, name in enumerate(self._table.columns):
            if place in self._ends:
                yield self._labels["interval"], "interval"
            elif place not in self._left_out:
                yield clean(name), "number" if place in self._numeric else ""

    @property
    def rows(self) -> Iterator[tuple[Sequence[ShownCell], ShownCell | None]]:
        """Yield the cells and the remark of one row at a time, so that they are never all in memory.

        A remark is a line across the whole table, since a column at its end would be out of sight.
        """
        makers = [self._maker(place) for place in range(len(self._table.columns)) if place not in self._left_out]
        for row in self._table.rows:
            remark = None if self._below is None else row[self._below]
            below = None if remark in (None, "") else shown_cell(remark, "none", self._language, whole=True)
            yield [make(row) for make in makers], below

    def _maker(self, place: int) -> Callable[[tuple[Value, ...]], ShownCell]:
        if place in self._ends:
            return lambda row: interval_cell(row[place], row[self._ends[place]])
        if self.notes:
            return lambda row: note_cell(row[place], self._language)
        nothing = "none number" if place in self._numeric else "none"
        return lambda row: shown_cell(row[place], nothing, self._language)
