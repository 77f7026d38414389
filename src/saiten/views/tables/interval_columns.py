"""How an estimate stands in a row: for people with its interval as text, for programs as numbers."""

from dataclasses import dataclass

from saiten.stats.estimate import Estimate
from saiten.views.table import Cell, Interval
from saiten.views.tables.summary import interval_text

Cells = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class IntervalColumns:
    """The columns of figures with intervals, and what stands in them."""

    numbers: bool
    """Ends as numbers in two columns, which pages draw and programs read; else as one text."""

    def columns(self, *names: str) -> tuple[str, ...]:
        """For each figure its own column, then those of its interval."""
        ends = (" from", " to") if self.numbers else (" 95 %",)
        return tuple(column for name in names for column in (name, *(f"{name}{end}" for end in ends)))

    def intervals(self, *names: str) -> tuple[Interval, ...]:
        """Return where the ends are: nothing where they are text."""
        return tuple(Interval(name, f"{name} from", f"{name} to") for name in names) if self.numbers else ()

    def cells(self, *estimates: Estimate) -> Cells:
        """The figures with their intervals; why there is none stands elsewhere in the row."""
        return tuple(cell for one in estimates for cell in (one.value, *self.ends(one.low, one.high)))

    def ends(self, low: float | None, high: float | None) -> Cells:
        """The interval alone."""
        return (low, high) if self.numbers else (interval_text(low, high),)
