"""Cells of an estimate: with its interval as text for people, as numbers for programs."""

from dataclasses import dataclass

from saiten.stats.estimate import Estimate
from saiten.views.table import Cell, Interval
from saiten.views.tables.summary import interval_text

Cells = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class IntervalColumns:
    """The columns of figures with intervals, and their cells."""

    numbers: bool
    """Whether ends are numbers in two columns, for pages and programs; otherwise one text."""

    def columns(self, *names: str) -> tuple[str, ...]:
        """Return the column of each figure, followed by those of its interval."""
        ends = (" from", " to") if self.numbers else (" 95 %",)
        return tuple(column for name in names for column in (name, *(f"{name}{end}" for end in ends)))

    def intervals(self, *names: str) -> tuple[Interval, ...]:
        """Return the columns of the ends; empty if they are text."""
        return tuple(Interval(name, f"{name} from", f"{name} to") for name in names) if self.numbers else ()

    def cells(self, *estimates: Estimate) -> Cells:
        """Return the figures with their intervals; reasons for missing ones are in other columns."""
        return tuple(cell for one in estimates for cell in (one.value, *self.ends(one.low, one.high)))

    def ends(self, low: float | None, high: float | None) -> Cells:
        """Return only the interval."""
        return (low, high) if self.numbers else (interval_text(low, high),)
