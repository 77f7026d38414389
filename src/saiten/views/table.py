"""A table as data, and its six forms: terminal, JSON, CSV, Markdown, LaTeX, and a page for the browser (`page.py`).

A table is made of a record by a function in `views/tables/`, without a sentence of its own:

    Table(Message("title", "scores"), ("metric", "mean", "ci_low", "ci_high"), rows, (Message("caption", "scores"),))

- Title: a message, whose key is the table's key; or a `Name` from outside, with `key=`.
- Columns: keys of the section `column`; `Message("column", "cost", currency="USD")` where a heading has a value in it;
  `Name` for what comes from outside. An `Interval` names columns as `columns` does.
- Cells: data, or messages; several remarks are `joined([...])`. A word of a record (a verdict, a status) becomes
  `Message("verdict", record.verdict)` here.
- Captions: messages, one after another. A record carries its reasons and remarks as messages, too.

Words are in `saiten/words/en.po` and `ja.po`. All forms but a Japanese page have the English ones, JSON and CSV too.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from saiten import words
from saiten.choices import Format
from saiten.records import Language
from saiten.views.strip_controls import strip_controls, strip_controls_json
from saiten.views.words import in_japanese
from saiten.words import Message, joined


class Name(str):
    """A name from outside as a table's title or a column's heading: the same in every language."""

    __slots__ = ()


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
_LONGEST_NAME = 40
"""Maximum characters of a name, a figure or a word that is not broken."""
_LEAST_TEXT = 30
"""Minimum width of a column of long texts."""
_LONGEST_KEY = 3
"""Maximum columns repeated in each part of a wide table: (data, system), (rank, letters, metric)."""
_GAP = 2
"""Cells between columns."""


@dataclass(frozen=True)
class Interval:
    """The columns of a figure and of its interval's ends, which a page merges into one."""

    figure: Heading
    low: Heading
    high: Heading


class Chart(Protocol):
    """A picture of figures for a page."""

    @property
    def title(self) -> str:
        """The heading above it."""
        ...

    def svg(self, clean: Callable[[str], str]) -> str:
        """Return the picture with escaped texts; `clean` sanitizes those from outside. Empty if there is none."""
        ...

    def in_language(self, language: Language) -> "Chart":
        """Return the chart with its fixed words in this language."""
        ...


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns. Numbers stay numbers, and words stay keys, until the table is rendered."""

    title: str | Message
    columns: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str | tuple[str | Message, ...] = ""
    """Explanations needed to interpret the figures."""
    intervals: tuple[Interval, ...] = ()
    """The intervals, by the names in `columns`."""
    charts: tuple[Chart, ...] = ()
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
        columns = tuple(self._heading(column, language) for column in self.columns)
        english = columns if language == "en" else tuple(self._heading(column, "en") for column in self.columns)
        captions = (self.caption,) if isinstance(self.caption, str) else self.caption
        return WordedTable(
            self.key,
            _worded(self.title, "title", language),
            columns,
            tuple(
                tuple(self._cell(cell, head, language) for cell, head in zip(row, english, strict=True))
                for row in self.rows
            ),
            words.in_language(joined([_worded(part, "caption", language) for part in captions], "sentences"), language),
            tuple(
                Interval(
                    columns[self._place(each.figure)],
                    columns[self._place(each.low)],
                    columns[self._place(each.high)],
                )
                for each in self.intervals
            ),
            tuple(chart.in_language(language) for chart in self.charts),
            self.folded,
        )

    def _cell(self, cell: Cell, heading: str, language: Language) -> Value:
        if isinstance(cell, bool) and language != "en":
            return words.in_language(Message("cell", show_cell(cell)), language)
        if isinstance(cell, Message) and cell.section == "join" and language != "en":
            # Some remarks may still be finished English sentences.
            return in_japanese(heading, str(cell)) or words.in_language(cell, language)
        if isinstance(cell, str) and self.key and heading not in {"remarks", "note"}:
            return str(cell)
        return _worded(cell, heading, language) if isinstance(cell, str | Message) else cell

    def _place(self, wanted: Heading) -> int:
        """Return the column's index; a name from outside may be spelled like a key."""
        found = [at for at, column in enumerate(self.columns) if column == wanted]
        if not found:
            raise ValueError(f"no column {wanted!r}")
        return next((at for at in found if type(self.columns[at]) is type(wanted)), found[0])

    def _heading(self, column: Heading, language: Language) -> str:
        if self.key and not isinstance(column, Name | Message):
            column = Message("column", column)
        return _worded(column, "column", language)


@dataclass(frozen=True)
class WordedTable:
    """A table in one language."""

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    caption: str = ""
    intervals: tuple[Interval, ...] = ()
    charts: tuple[Chart, ...] = ()
    folded: bool = False


def _worded(text: str | Message, section: str, language: Language) -> str:
    if isinstance(text, Message):
        return words.in_language(text, language)
    return text if language == "en" or isinstance(text, Name) else in_japanese(section, text) or text


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


def print_tables(tables: Sequence[Table], console: Console) -> None:
    """Print for the terminal; text from outside is printed verbatim and cannot style the screen.

    A table that is too wide is printed in parts one below the other, each starting with the key columns, so that
    figures are not broken and rows stay identifiable.
    """
    for table in _english(tables):
        console.print(Text(strip_controls(table.title), "bold"))
        for part in _parts(table, console.width):
            console.print()
            console.print(_drawn(table, part, console.width))
        if table.caption:
            console.print()
            console.print(Text(strip_controls(table.caption), "dim"))
        console.print()


def _drawn(table: WordedTable, part: Sequence[int], width: int) -> RichTable:
    drawn = RichTable(header_style="bold", box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for index, wide in zip(part, _widths(table, part, width), strict=True):
        numeric = _is_numeric([row[index] for row in table.rows])
        name = Text(strip_controls(table.columns[index]))
        drawn.add_column(name, justify="right" if numeric else "left", overflow="fold", width=wide)
    for row in table.rows:
        drawn.add_row(*(Text(show_cell(row[index])) for index in part))
    return drawn


def _parts(table: WordedTable, width: int) -> list[list[int]]:
    """Return the columns of each part: the key columns, then as many as fit without breaking a figure.

    Empty columns (such as remarks without a remark) are left out.
    """
    key = _key(table, width)
    parts = [[*key]]
    for index in range(len(key), len(table.columns)):
        if table.rows and not any(show_cell(row[index]) for row in table.rows):
            continue
        if _least_room(table, [*parts[-1], index]) > width and len(parts[-1]) > len(key):
            parts.append([*key])
        parts[-1].append(index)
    return parts


def _key(table: WordedTable, width: int) -> Sequence[int]:
    """Return the first columns that identify the rows; only the very first if they would take half of the width."""
    for size in range(1, min(_LONGEST_KEY, len(table.columns)) + 1):
        if len({tuple(show_cell(cell) for cell in row[:size]) for row in table.rows}) == len(table.rows):
            return range(size if _least_room(table, range(size)) <= width // 2 else 1)
    return range(1)


def _least_room(table: WordedTable, part: Sequence[int]) -> int:
    return sum(_GAP + _least_width(table, index) for index in part) - _GAP


def _widths(table: WordedTable, part: Sequence[int], width: int) -> list[int]:
    """Return the width of each column's longest cell, the widest reduced to fit; below the minimum if necessary."""
    widths = [max(map(cell_len, (table.columns[index], *_shown(table, index)))) for index in part]
    least = [_least_width(table, index) for index in part]
    room = max(width - _GAP * (len(part) - 1), len(part))
    while sum(widths) > room:
        spare = [index for index, wide in enumerate(widths) if wide > least[index]] or range(len(widths))
        widest = max(spare, key=widths.__getitem__)
        widths[widest] -= 1
    return widths


def _least_width(table: WordedTable, index: int) -> int:
    """Return a column's minimum width: figures and names whole, a quarter of other texts, and each word whole."""
    shown = _shown(table, index)
    whole = index == 0 or _is_numeric([row[index] for row in table.rows])
    words = [word for text in (table.columns[index], *(() if whole else shown)) for word in text.split()]
    longest = max(map(cell_len, shown), default=1)
    least = max([*map(cell_len, words), longest if whole else min(longest // 4, _LEAST_TEXT)])
    return min(least, _LONGEST_NAME)


def _shown(table: WordedTable, index: int) -> list[str]:
    return [line for row in table.rows for line in show_cell(row[index]).split("\n")]


def _is_numeric(cells: Sequence[Value]) -> bool:
    return any(isinstance(cell, int | float) for cell in cells)


def as_json(tables: Sequence[Table]) -> str:
    """Return `{title: [{column: cell}]}`, one object per row; repeated titles are numbered, so that none is lost."""
    english = _english(tables)
    value = {
        title: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        for title, table in zip(_titles(english), english, strict=True)
    }
    return strip_controls_json(json.dumps(value, ensure_ascii=False, indent=2))


def as_csv(tables: Sequence[Table]) -> str:
    """Return all tables one below the other, with the title as first column if there are several."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    english = _english(tables)
    for title, table in zip(_titles(english), english, strict=True):
        for first, row in (("table", table.columns), *((title, row) for row in table.rows)):
            cells = (first, *row) if len(tables) > 1 else row
            writer.writerow(
                ["" if c is None else _no_formula(strip_controls(c)) if isinstance(c, str) else c for c in cells]
            )
    return out.getvalue()


def _english(tables: Sequence[Table]) -> Sequence[WordedTable]:
    return [table.in_language("en") for table in tables]


def _titles(tables: Sequence[WordedTable]) -> list[str]:
    """Return each table's title, made unique: titles contain names from outside, which may be equal."""
    found: list[str] = []
    for table in tables:
        title, number = table.title, 2
        while title in found:
            title, number = f"{table.title} ({number})", number + 1
        found.append(title)
    return found


_FORMULA = re.compile(r"[=+@\t-](?!\d+(?:\.\d+)?\Z)")


def _no_formula(text: str) -> str:
    """Prefix an apostrophe if a spreadsheet would run the text as a formula; answers come from anywhere."""
    return f"'{text}" if _FORMULA.match(text) else text


def as_markdown(tables: Sequence[Table]) -> str:
    """Return GitHub's Markdown tables."""
    parts = []
    for table in _english(tables):
        lines = [f"### {_flat(table.title)}", "", _line(table.columns), _line(["---"] * len(table.columns))]
        lines += [_line([show_cell(cell) for cell in row]) for row in table.rows]
        if table.caption:
            lines += ["", _flat(table.caption)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def as_latex(tables: Sequence[Table]) -> str:
    """Return one `table` each with booktabs' rules; Japanese needs LuaLaTeX or XeLaTeX and a Japanese font."""
    parts = ["% needs \\usepackage{booktabs}"]
    for table in _english(tables):
        numeric = [any(isinstance(row[i], int | float) for row in table.rows) for i in range(len(table.columns))]
        parts.append(
            "\n".join(
                [
                    "\\begin{table}",
                    "\\centering",
                    f"\\caption{{{_latex('. '.join(text for text in (table.title, table.caption) if text))}}}",
                    f"\\begin{{tabular}}{{{''.join('r' if one else 'l' for one in numeric)}}}",
                    "\\toprule",
                    _latex_line(table.columns),
                    "\\midrule",
                    *(_latex_line([show_cell(cell) for cell in row]) for row in table.rows),
                    "\\bottomrule",
                    "\\end{tabular}",
                    "\\end{table}",
                ]
            )
        )
    return "\n\n".join(parts) + "\n"


def render(tables: Sequence[Table], form: Format, console: Console, title: str = "") -> None:
    """Print the tables in one of the six forms; `title` is the page's subject if the form is a page."""
    if form == "table":
        print_tables(tables, console)
        return
    if form == "html":
        from saiten.views.page.page import write_page  # noqa: PLC0415 - jinja2 is loaded for those who ask for a page

        write_page(tables, console.file, title=title)
        return
    text = {"json": as_json, "csv": as_csv, "md": as_markdown, "latex": as_latex}[form](tables)
    # Not console.print: wrapping and markup would change the input of other programs.
    console.file.write(text if text.endswith("\n") else text + "\n")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_flat(cell) for cell in cells) + " |"


def _flat(text: str) -> str:
    """Escape Markdown and HTML, and join lines."""
    return re.sub(r"([\\|<`])", r"\\\1", " ".join(strip_controls(text).split()))


def _latex_line(cells: Sequence[str]) -> str:
    # The empty group prevents a leading bracket from being read as an argument of the previous line break.
    line = " & ".join(_latex(cell) for cell in cells)
    return ("{}" if line.startswith(("[", "*")) else "") + line + r" \\"


def _latex(text: str) -> str:
    """Escape LaTeX, join lines, and prevent ligatures: `--` would become a dash, two apostrophes a quote."""
    plain = " ".join(strip_controls(text).split())
    escaped = re.sub(r"[\\{}$&#^_~%<>|\"`]", lambda found: _LATEX[found.group()], plain)
    return re.sub(r"([-',])(?=\1)", r"\1{}", escaped)


_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
} | {sign: "\\" + sign for sign in "{}$&#_%"}
