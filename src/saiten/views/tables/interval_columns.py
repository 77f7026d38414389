"""Cells of an estimate: with its interval as text for people, as numbers for programs."""

from dataclasses import dataclass

from saiten.stats.estimate import Estimate
from saiten.stats.prediction_powered_records import Mean
from saiten.views.table import Cell, Heading, Interval, Unbroken
from saiten.words import Message

Cells = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class IntervalColumns:
    """The columns of figures with intervals, and their cells."""

    numbers: bool
    """Whether ends are numbers in two columns, for pages and programs; otherwise one text."""

    def columns(self, *figures: Heading) -> tuple[Heading, ...]:
        """Return the column of each figure, followed by those of its interval."""
        ends = ("ci_low_of", "ci_high_of") if self.numbers else ("ci_of",)
        return tuple(column for figure in figures for column in (figure, *(_end(end, figure) for end in ends)))

    def intervals(self, *figures: Heading) -> tuple[Interval, ...]:
        """Return the columns of the ends; empty if they are text."""
        drawn = figures if self.numbers else ()
        return tuple(Interval(figure, _end("ci_low_of", figure), _end("ci_high_of", figure)) for figure in drawn)

    def cells(self, *estimates: Estimate | Mean) -> Cells:
        """Return the figures with their intervals; reasons for missing ones are in other columns."""
        return tuple(cell for one in estimates for cell in (one.value, *self.ends(one.low, one.high)))

    def ends(self, low: float | None, high: float | None) -> Cells:
        """Return only the interval."""
        return (low, high) if self.numbers else (interval_text(low, high),)


def interval_text(low: float | None, high: float | None) -> Unbroken:
    """Return `[0.712, 0.843]`, or a dash if there is no interval."""
    return Unbroken("–" if low is None or high is None else f"[{low:.3f}, {high:.3f}]")


def _end(key: str, figure: Heading) -> Message:
    return Message("column", key, column=figure if isinstance(figure, Message) else Message("column", figure))
