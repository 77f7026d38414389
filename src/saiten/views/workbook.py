"""Workbooks for Excel: sheets of rows that are written one by one, in which a text is never more than a text.

Texts come from anywhere: none becomes a formula, a link or markup, not even when its cell is edited. Characters that
XML forbids become visible signs. A text that is longer than Excel's cells is cut, with a mark, and counted.
"""

import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from saiten.errors import BadInput
from saiten.version import __version__
from saiten.views.formulas import is_formula
from saiten.views.strip_controls import clean
from saiten.views.table import PValue, Value, show_cell

ROWS, COLUMNS = 1_048_576, 16_384
"""Excel's limits for a sheet, the header included."""
LONGEST = 32_767
"""Excel's limit for a cell, in UTF-16 units."""
AUTHOR = f"saiten {__version__}"

BUTTON = 3
"""The width of the filter's button in a heading."""

_CUT = " … [+{:,}]"
_MARK = 24
"""Room for the mark."""
_LONGEST_NAME = 31
_NOT_IN_NAMES = str.maketrans(dict.fromkeys("[]:*?/\\", "_"))
_EXACT = 10**15
"""Excel keeps 15 digits of a number; longer ones stay texts."""
_MOST_LINES = 12
"""Maximum lines that a row is high; the cell has all."""
_LINE = 16.5
"""Points per line; enough for Japanese fonts."""
_LOOKED_AT = 4_000

_RIGHT = {"align": "right", "indent": 1}
_FORMATS: Mapping[str, Mapping[str, Any]] = {
    "text": {"text_wrap": True},
    "quoted": {"text_wrap": True, "quote_prefix": True},
    "integer": {"num_format": "#,##0", **_RIGHT},
    "decimal": {"num_format": "0.000", **_RIGHT},
    "p": {"num_format": '[<0.001]"< 0.001";0.000', **_RIGHT},
    "heading": {"bold": True, "text_wrap": True, "bg_color": "#E7E9EC", "bottom": 1},
    "caption": {"text_wrap": True, "italic": True, "font_color": "#595959"},
}


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of a sheet."""

    heading: str
    width: float
    """In characters of half width."""
    fills: Mapping[str, str] = field(default_factory=dict)
    """Text → the color behind it."""
    low: bool = False
    """Whether rows are not made higher for its texts, which are long and seldom read."""


class Sheet:
    """A sheet that is written from top to bottom. Not frozen: it counts its rows."""

    def __init__(self, book: "ExcelBook", made: Any, columns: Sequence[SheetColumn]) -> None:
        self.name: str = made.get_name()
        self._book, self._made, self._columns = book, made, columns
        self._next = 0
        made.freeze_panes(1, 1)
        made.repeat_rows(0)
        made.set_landscape()
        made.set_paper(9)  # A4
        made.fit_to_pages(1, 0)
        made.ignore_errors({"number_stored_as_text": "A1:XFD1048576"})  # no green corners on answers such as 42
        lines = max((lines_of(each.heading, max(each.width - BUTTON, 1)) for each in columns), default=1)
        made.set_row(0, _LINE * min(lines, _MOST_LINES))
        for at, column in enumerate(columns):
            made.set_column(at, at, column.width)
            made.write_string(0, at, book.text(column.heading), book.form("heading"))
        self._next = 1

    def add(self, cells: Sequence[Value]) -> None:
        """Write the next row: numbers as numbers, words as texts, and nothing for None."""
        if (lines := self._lines(cells)) > 1:
            self._made.set_row(self._next, _LINE * lines)
        for at, (cell, column) in enumerate(zip(cells, self._columns, strict=True)):
            if cell is None or cell == "":
                continue
            number = _number(cell)
            if number is not None:
                self._made.write_number(self._next, at, number, self._book.form(_form(cell)))
            else:
                text = self._book.text(show_cell(cell) if isinstance(cell, bool) else str(cell))
                self._made.write_string(self._next, at, text, self._book.form_of(text, column.fills))
        self._next += 1

    def end(self, captions: Sequence[str] = ()) -> None:
        """Give the rows their filter, and write sentences below them."""
        if self._next > 1:
            self._made.autofilter(0, 0, self._next - 1, len(self._columns) - 1)
        last, width = len(self._columns) - 1, sum(column.width for column in self._columns)
        for at, caption in enumerate(captions, self._next + 1):
            self._made.set_row(at, _LINE * min(lines_of(caption, width), _MOST_LINES))
            text, form = self._book.text(caption), self._book.form("caption")
            if last:
                self._made.merge_range(at, 0, at, last, "", form)
            self._made.write_string(at, 0, text, form)

    def _lines(self, cells: Sequence[Value]) -> int:
        both = zip(cells, self._columns, strict=True)
        texts = ((cell, column.width) for cell, column in both if isinstance(cell, str) and not column.low)
        return min(max((lines_of(text, width) for text, width in texts), default=1), _MOST_LINES)


class ExcelBook:
    """A workbook in the making; `opened_book` makes and closes one."""

    def __init__(self, made: Any) -> None:
        self._made = made
        self._forms: dict[str, Any] = {}
        self._names: set[str] = set()
        self.cut = 0
        """Texts that were cut."""

    def sheet(self, name: str, columns: Sequence[SheetColumn], rows: int) -> Sheet:
        """Begin a sheet with a header; `rows`: how many will be added.

        Raises:
            BadInput: Excel's sheets do not have so many rows or columns.
        """
        check_size(rows, len(columns))
        return Sheet(self, self._made.add_worksheet(self._free_name(name)), columns)

    def text(self, text: str) -> str:
        """Return the text as a cell can hold it."""
        text = clean(text)
        if len(text) > LONGEST // 2 and _units(text) > LONGEST:
            self.cut += 1
            kept = _first_units(text, LONGEST - _MARK)
            text = kept + _CUT.format(len(text) - len(kept))
        # xlsxwriter writes what looks like its own markup as it is; with the space it is a text.
        return f"{text} " if text.startswith("<r>") and text.endswith("</r>") else text

    def form_of(self, text: str, fills: Mapping[str, str]) -> Any:
        """Return the format of a text, which is not run as a formula even if its cell is edited."""
        if text in fills:
            return self.form(fills[text])
        return self.form("quoted" if is_formula(text) else "text")

    def form(self, name: str) -> Any:
        """Return the format with this name, or with this color behind the text."""
        if name not in self._forms:
            properties = _FORMATS.get(name, {"bg_color": name})
            self._forms[name] = self._made.add_format({"valign": "top", **properties})
        return self._forms[name]

    def _free_name(self, name: str) -> str:
        """Return a name that Excel accepts and no other sheet has."""
        plain = _first_units(clean(name).translate(_NOT_IN_NAMES), _LONGEST_NAME).strip("' \n\t") or "_"
        if plain.casefold() == "history":  # reserved
            plain = f"_{plain}"
        made, number = plain, 2
        while made.casefold() in self._names:
            end = f" ({number})"
            made, number = f"{_first_units(plain, _LONGEST_NAME - len(end))}{end}", number + 1
        self._names.add(made.casefold())
        return made


@contextmanager
def opened_book(stream: IO[bytes], title: str = "", *, japanese: bool = False) -> Iterator[ExcelBook]:
    """Open a workbook that is written to the stream when the block ends without an error.

    It is kept in temporary files until then, not in memory. `japanese`: texts are shown in a Japanese font.

    Raises:
        OSError: As raised by the file system.
        BadInput: It is larger than 4 GB.
    """
    from xlsxwriter import Workbook  # noqa: PLC0415 - only workbooks need it
    from xlsxwriter.exceptions import FileCreateError, FileSizeError  # noqa: PLC0415 - the same

    font = {"default_format_properties": {"font_name": "Yu Gothic", "font_size": 11}} if japanese else {}
    with TemporaryDirectory("-saiten") as folder:
        settings = {"strings_to_numbers": False, "strings_to_formulas": False, "strings_to_urls": False, **font}
        path = Path(folder, "made.xlsx")
        made = Workbook(path, {"constant_memory": True, "tmpdir": folder, **settings})
        made.set_properties({"title": clean(title)[:255], "author": AUTHOR})
        try:
            yield ExcelBook(made)
            made.close()
            with path.open("rb") as file:
                shutil.copyfileobj(file, stream)
        except FileCreateError as error:
            cause = error.args[0] if error.args else None
            raise (cause if isinstance(cause, OSError) else OSError(str(error))) from error
        except FileSizeError as error:
            raise BadInput("the workbook would be larger than 4 GB; use csv or parquet") from error
        finally:
            for sheet in made.worksheets():
                with suppress(OSError):  # a full disk; each is closed, and the first error stays the one raised
                    sheet.row_data_fh.close()


def check_size(rows: int, columns: int) -> None:
    """Raise BadInput if this many rows below a header, or columns, do not fit on a sheet."""
    if rows >= ROWS:
        raise BadInput(
            f"{rows:,} rows do not fit on a sheet of Excel, which has {ROWS - 1:,} below the header; use csv or parquet"
        )
    if columns > COLUMNS:
        raise BadInput(
            f"{columns:,} columns do not fit on a sheet of Excel, which has {COLUMNS:,}; use jsonl, or the long layout"
        )


def lines_of(text: str, width: float) -> int:
    """Return about how many lines a text takes in a column of this width."""
    shown = text[:_LOOKED_AT]
    if shown.isascii() and len(shown) <= width and "\n" not in shown:
        return 1
    return sum(max(1, math.ceil(width_of(line) / width)) for line in shown.split("\n"))


def width_of(line: str) -> int:
    """Return the width of a line in characters of half width, about: three bytes of UTF-8 are a full width."""
    return len(line) if line.isascii() else (len(line) + len(line.encode("utf-8", "replace"))) // 2


def _number(cell: Value) -> float | int | None:
    """Return the number in a cell, if Excel has such a number."""
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return None
    return cell if math.isfinite(cell) and (isinstance(cell, float) or abs(cell) < _EXACT) else None


def _form(cell: Value) -> str:
    if isinstance(cell, PValue):
        return "p"
    return "integer" if isinstance(cell, int) else "decimal"


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "replace")) // 2


def _first_units(text: str, units: int) -> str:
    """Return the longest beginning of at most so many UTF-16 units."""
    return text.encode("utf-16-le", "replace")[: 2 * units].decode("utf-16-le", "ignore")
