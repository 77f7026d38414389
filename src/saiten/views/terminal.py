"""Tables for the terminal."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from saiten.views.line_breaks import broken
from saiten.views.strip_controls import strip_controls
from saiten.views.table import Colored, Table, Unbroken, Value, WordedTable, show_cell
from saiten.words.terminal import terminal_language

_LONGEST_NAME = 40
"""Maximum characters of a name, a figure or a word that is not broken."""
_LEAST_TEXT = 30
"""Minimum width of a column of long texts."""
_LEAST_HEADING = 10
"""Minimum width of a column's Japanese heading, which may be broken."""
_LONGEST_KEY = 3
"""Maximum columns repeated in each part of a wide table: (data, system), (rank, letters, metric)."""
_GAP = 2
"""Cells between columns."""


def print_tables(tables: Sequence[Table], console: Console) -> None:
    """Print for the terminal; text from outside is printed verbatim and cannot style the screen.

    A table that is too wide is printed in parts one below the other, each starting with the key columns, so that
    figures are not broken and rows stay identifiable.
    """
    for table in (each.in_language(terminal_language()) for each in tables):
        console.print(Text(strip_controls(table.title), "bold"))
        for part in _parts(table, console.width):
            console.print()
            console.print(_drawn(table, part, console))
        if table.caption:
            console.print()
            console.print(_fitted(Text(strip_controls(table.caption), "dim"), console.width))
        console.print()


def _drawn(table: WordedTable, part: Sequence[int], console: Console) -> RichTable:
    drawn = RichTable(header_style="bold", box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    widths = _widths(table, part, console.width)
    for index, wide in zip(part, widths, strict=True):
        numeric = _is_numeric([row[index] for row in table.rows])
        name = Text(strip_controls(table.columns[index]))
        drawn.add_column(name, justify="right" if numeric else "left", overflow="fold", width=wide)
    for row in table.rows:
        cells = (_cell(row[index], console) for index in part)
        drawn.add_row(*(_fitted(cell, wide) for cell, wide in zip(cells, widths, strict=True)))
    return drawn


def _cell(cell: Value, console: Console) -> Text:
    return cell.screen(console) if isinstance(cell, Colored) else Text(show_cell(cell))


def _fitted(text: Text, width: int) -> Text:
    """Return the text in lines of this width if it is Japanese, of which rich breaks only the spaces."""
    is_narrow = cell_len(text.plain) == len(text.plain)
    return text if is_narrow else Text("\n", text.style).join(broken(text, width))


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
    """Return the first columns that identify the rows; only the very first if they would leave less than a third."""
    for size in range(1, min(_LONGEST_KEY, len(table.columns)) + 1):
        if len({tuple(show_cell(cell) for cell in row[:size]) for row in table.rows}) == len(table.rows):
            return range(size if _least_room(table, range(size)) <= width * 2 // 3 else 1)
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
    cells = [row[index] for row in table.rows]
    whole = index == 0 or _is_numeric(cells) or any(isinstance(cell, Unbroken) for cell in cells)
    texts = (table.columns[index], *(() if whole else shown))
    words = [word for text in texts for word in text.split() if cell_len(word) == len(word)]  # Japanese has no spaces
    longest = max(map(cell_len, shown), default=1)
    heading = min(cell_len(table.columns[index]), _LEAST_HEADING) if not table.columns[index].isascii() else 1
    least = max([heading, *map(cell_len, words), longest if whole else min(longest // 4, _LEAST_TEXT)])
    return min(least, _LONGEST_NAME)


def _shown(table: WordedTable, index: int) -> list[str]:
    return [line for row in table.rows for line in show_cell(row[index]).split("\n")]


def _is_numeric(cells: Sequence[Value]) -> bool:
    return any(isinstance(cell, int | float) for cell in cells)
