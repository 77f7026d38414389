"""A table as data, which `render.py` renders in seven forms.

A function in `views/tables/` makes a table from a record; it contains no sentences:

    Table(Message("title", "scores"), ("metric", "mean", "ci_low", "ci_high"), rows, (Message("caption", "scores"),))

- Title: a message, whose key is the table's key; or a `Name` from outside, with `key=`.
- Columns: keys of the section `column`; `Message("column", "cost", currency="USD")` where a heading has a value in it;
  `Name` for what comes from outside. An `Interval` names columns as `columns` does.
- Cells: data, or messages; several remarks are `joined([...])`. An English text that the code composed, such as the
  reason of a score, is `Composed`. A word of a record (a verdict, a status) becomes
  `Message("verdict", record.verdict)` here.
- Names of metrics: cells of the column `metric`, which have their Japanese name behind them on a Japanese page.
- Captions: messages, one after another. A record carries its reasons and remarks as messages, too.

Words are in `saiten/words/en.po` and `ja.po`. JSON and CSV have the English ones, other forms those of the reader.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from saiten import words
from saiten.records import Language
from saiten.views.metric_names import shown_metric
from saiten.views.strip_controls import strip_controls
from saiten.words import Composed, Message, joined

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from saiten.views.charts.chart import VegaChart


class Name(str):
    """A name from outside as a table's title or a column's heading: the same in every language."""

    __slots__ = ()


class MetricName(Name):
    """A metric's name as a column's heading, with its Japanese name behind it on a Japanese page."""

    __slots__ = ()


class Unbroken(str):
    """A figure with its interval as text, which the terminal does not break."""

    __slots__ = ()


class Colored(str):
    """A text of which a terminal shows parts in color."""

    __slots__ = ()

    def screen(self, out: "Console") -> "Text":
        """Return the text for this terminal."""
        raise NotImplementedError


class PValue(float):
    """A p-value: a float that is not shown as 0 if it is too small for three decimals."""

    __slots__ = ()

    @classmethod
    def of(cls, p: float | None) -> "PValue | None":
        """Wrap a p-value that may be missing."""
        return None if p is None else cls(p)


Value = str | int | float | bool | None
"""A cell in one language."""
Cell = Value | Message
Heading = str | Message

_LEAST_P = 0.001


@dataclass(frozen=True)
class Interval:
    """The columns of a figure and of its interval's ends, which a page merges into one."""

    figure: Heading
    low: Heading
    high: Heading


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns. Numbers stay numbers, and words stay keys, until the table is rendered."""

    title: str | Message
    columns: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: tuple[str | Message, ...] = ()
    """Explanations needed to interpret the figures."""
    intervals: tuple[Interval, ...] = ()
    """The intervals, by the names in `columns`."""
    charts: "tuple[VegaChart, ...]" = ()
    """Charts that a page draws above the table."""
    folded: bool = False
    """Whether a page initially shows only its title and a few charts."""
    key: str = ""
    """Its key, independent of the title; by default the title's key."""

    def __post_init__(self) -> None:
        if not self.key and isinstance(self.title, Message) and self.title.key != "of_run":
            object.__setattr__(self, "key", self.title.key)

    def in_language(self, language: Language) -> "WordedTable":
        """Return the table with its words in a language; texts from outside stay unchanged."""
        columns = tuple(
            shown_metric(column, language).replace("（", " （")  # so that a terminal can break it
            if isinstance(column, MetricName)
            else words.in_language(self._heading(column), language)
            for column in self.columns
        )

        def worded(heading: Heading) -> str:
            return columns[self._place(heading)]

        def worded_cell(column: Heading, cell: Cell) -> Value:
            if column == "metric" and not isinstance(column, Name) and type(cell) is str:
                return shown_metric(cell, language)
            return _worded(cell, language)

        return WordedTable(
            self.key,
            words.in_language(self.title, language),
            columns,
            tuple(tuple(map(worded_cell, self.columns, row)) for row in self.rows),
            words.in_language(joined(self.caption, "sentences"), language),
            tuple(Interval(worded(each.figure), worded(each.low), worded(each.high)) for each in self.intervals),
            tuple(chart.in_language(language) for chart in self.charts),
            self.folded,
        )

    def _place(self, wanted: Heading) -> int:
        """Return the column's index; a name from outside may be spelled like a key."""
        found = [at for at, column in enumerate(self.columns) if column == wanted]
        if not found:
            raise ValueError(f"no column {wanted!r}")
        return next((at for at in found if type(self.columns[at]) is type(wanted)), found[0])

    def _heading(self, column: Heading) -> Heading:
        return Message("column", column) if self.key and not isinstance(column, Name | Message) else column


@dataclass(frozen=True)
class WordedTable:
    """A table in one language."""

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    caption: str = ""
    intervals: tuple[Interval, ...] = ()
    charts: "tuple[VegaChart, ...]" = ()
    folded: bool = False


def _worded(cell: Cell, language: Language) -> Value:
    if isinstance(cell, bool) and language != "en":
        cell = Message("cell", show_cell(cell))
    return words.in_language(cell, language) if isinstance(cell, Message | Composed) else cell


def is_number(cell: Cell) -> bool:
    """Return whether a cell is a number; yes and no are not."""
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def show_cell(cell: Cell) -> str:
    """Format a cell for people: floats with three decimals, a dash for nothing, a sign for a control character."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, PValue) and cell < _LEAST_P:
        return f"< {_LEAST_P}"
    if isinstance(cell, float):
        return f"{cell:.3f}"
    return strip_controls(str(cell))
