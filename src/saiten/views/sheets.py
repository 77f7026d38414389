"""Tables as a workbook: one sheet per table, with its caption below the rows."""

import io
from collections.abc import Sequence
from typing import IO

from saiten.errors import ConfigurationError
from saiten.records import Language
from saiten.text.language import detect_language
from saiten.views.table import Table, WordedTable, show_cell
from saiten.views.workbook import BUTTON, ExcelBook, SheetColumn, opened_book, width_of

_NARROWEST, _WIDEST = 9, 60


def write_workbook(tables: Sequence[Table], stream: IO[bytes], title: str = "", language: Language = "en") -> None:
    """Write the tables to a binary stream.

    Raises:
        BadInput: A table has more rows or columns than a sheet of Excel.
    """
    worded = [table.in_language(language) for table in tables]
    japanese = any(_is_japanese(table) for table in worded)
    with opened_book(stream, title, japanese=japanese) as book:
        for table in worded:
            add_table(book, table)


def add_table(book: ExcelBook, table: WordedTable, name: str = "") -> None:
    """Add a sheet with the table; `name` instead of its title."""
    sheet = book.sheet(name or table.title, [_column(table, at) for at in range(len(table.columns))], len(table.rows))
    for row in table.rows:
        sheet.add(row)
    titled = [] if name or sheet.name == table.title else [table.title]  # it was too long, or not unique
    sheet.end([*titled, *([table.caption] if table.caption else [])])


def to_stdout(tables: Sequence[Table], out: IO[str], title: str, language: Language = "en") -> None:
    """Write the tables as bytes to the stream below a text stream.

    Raises:
        ConfigurationError: It is a terminal, or has no such stream.
    """
    refuse_terminal(out)
    below = getattr(out, "buffer", None)
    if below is None:
        raise ConfigurationError("a workbook is not text; write it to a binary stream with write_workbook")
    made = io.BytesIO()
    write_workbook(tables, made, title, language)
    out.flush()
    below.write(made.getvalue())
    below.flush()


def refuse_terminal(out: IO[str], command: str = "show") -> None:
    """Raise ConfigurationError if the stream is a terminal, which cannot show a workbook."""
    if out.isatty():
        raise ConfigurationError(
            f"a workbook cannot be shown in a terminal; redirect it to a file: add `> {command}.xlsx` to the command"
        )


def _column(table: WordedTable, at: int) -> SheetColumn:
    shown = (line for row in table.rows for line in show_cell(row[at]).split("\n"))
    widest = max((width_of(text) for text in shown), default=0)
    heading = width_of(table.columns[at]) + BUTTON
    return SheetColumn(table.columns[at], min(max(widest + 1, heading, _NARROWEST), _WIDEST))


def _is_japanese(table: WordedTable) -> bool:
    """Return whether any text is Japanese, which a Western font would show with Chinese letters."""
    rows = (cell for row in table.rows for cell in row if isinstance(cell, str))
    return any(detect_language(text) == "ja" for text in (table.title, *table.columns, *rows))
