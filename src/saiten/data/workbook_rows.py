"""Sheets of Excel workbooks, one row at a time, with the row numbers that Excel shows.

A sheet made by people is no table: the column names may be below a title, in two rows, or in merged cells. The row
with the most recognized names counts as the header. A cell that is merged downward holds for all its rows, for example
one question above the answers of three systems.
"""

import io
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, time
from itertools import islice
from typing import IO, Any, TypeVar
from zipfile import ZipFile

from saiten.data.merged_cells import MergedCells
from saiten.data.opening import chunks_of
from saiten.data.rows import RawRow
from saiten.data.values import CellError
from saiten.errors import BadInput

T = TypeVar("T")
Cells = Sequence[Any]
"""The cells of a row, from column A; a `CellError` for one whose formula gives an error."""

MAX_ROWS = 1 << 20
"""Rows of a sheet in Excel."""
_MOST_UNPACKED = {
    "xl/worksheets/": 4 << 30,  # streamed
    "xl/sharedStrings.xml": 128 << 20,  # the texts of all cells, in memory as up to four times as much
    **dict.fromkeys(("xl/media/", "xl/drawings/", "xl/embeddings/", "xl/pivotCache/", "xl/externalLinks/"), 256 << 20),
    "": 4 << 20,  # the others, such as cell formats, of which the smallest take 80 times as much in memory
}
"""Bytes unpacked of the parts whose names begin so; the first that fits counts."""
_CHUNK = 1 << 20
_MAX_ROW = 4 << 20  # bytes of a row's XML
_IN_MEMORY = 16 << 20  # bytes of a stream that cannot be read twice; more are kept in a temporary file
_LOOKED_AT = 30  # rows in which the header is looked for
_ROW_ENDS = re.compile(rb"row\s*/?>")
_LISTED = 6  # sheets or cells named in a message


@dataclass(frozen=True, slots=True)
class _Header:
    """The column names of a sheet."""

    row: int
    columns: Mapping[int, str]
    """Position of a column, from 0 → its name."""
    known: int
    """How many of the names are recognized."""


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet, read from the top as often as needed."""

    name: str
    found: Any
    merged: MergedCells

    def rows(self) -> Iterator[tuple[int, Cells]]:
        """Yield the rows that have cells, with their numbers from 1; raises BadInput below the last row of Excel."""
        self.found.reset_dimensions()  # as the file gives them, they may cut off rows
        rows = _quietly(self.found.iter_rows())
        for number, cells in enumerate(rows, 1):
            if number > MAX_ROWS:
                raise BadInput(f"sheet {self.name} has more rows than Excel allows ({MAX_ROWS:,})")
            values = tuple(_value(cell) for cell in cells)
            if any(value != "" for value in values):
                yield number, values

    def header(self, wanted: Callable[[str], bool]) -> _Header | None:
        """Return the row with the most recognized names, or without any, the first of the fullest; None if empty."""
        candidates = []
        above: Mapping[int, str] = {}
        for number, cells in islice(self.rows(), _LOOKED_AT):
            spread = self.merged.spread(number, cells, above)
            names = {at: name for at, value in enumerate(spread) if (name := _name(value))}
            under = {at: self.merged.heading(number, at, above) for at in names}
            joined = {at: f"{over} {names[at]}" if (over := under[at]) else names[at] for at in names}
            candidates += [self._header(number, names, wanted), self._header(number, joined, wanted)]
            above = names
        return max(candidates, key=lambda each: (each.known, len(each.columns)), default=None)

    def _header(self, row: int, names: Mapping[int, str], wanted: Callable[[str], bool]) -> _Header:
        columns = {at: name for at, name in names.items() if not self.merged.continues(row, at, names)}
        return _Header(row, columns, sum(map(wanted, {*columns.values()})))


def read_workbook(
    stream: io.BufferedReader,
    name: str,
    sheet: str = "",
    *,
    wanted: Callable[[str], bool],
    notify: Callable[[str], None],
) -> Iterator[RawRow]:
    """Yield one row per row of a sheet that is not empty; cells are texts, and "" if they are empty.

    Numbers and dates are written as `3`, `0.5`, `2026-04-01` and `2026-04-01 09:30:00`; a formula that gives an error
    is a `CellError`. Rows without a value in any needed column, or with only a title merged across several columns, are
    left out.

    Args:
        stream: An `.xlsx` or `.xlsm` workbook.
        name: The name used in messages.
        sheet: The sheet's name; by default the first visible one with the most recognized column names.
        wanted: Whether a column is needed.
        notify: Receives notes: which sheet is read, where its header is, formulas whose value was not saved.

    Raises:
        BadInput: it is no workbook, damaged, protected by a password, or there is no such sheet; the sheet is empty, or
            a column name occurs twice.
    """
    with _opened(stream, name) as book:
        chosen, header = _chosen(book, sheet, name, wanted, notify)
        where = f"{name}, sheet {chosen.name}"
        _check_names(header, where)
        if header.row > 1:
            notify(f"{where}: the column names are in row {header.row}")
        if chosen.merged.unsaved:
            notify(
                f"{where}: the formulas in {_listed(chosen.merged.unsaved)} have no stored value and count as empty; "
                "open the workbook in Excel and save it"
            )
        needed = [at for at, column in header.columns.items() if wanted(column)] or list(header.columns)
        for number, cells in chosen.rows():
            filled = chosen.merged.filled(number, cells)
            if number > header.row and not chosen.merged.is_title(number, cells) and _has_any(filled, needed):
                yield _row(number, filled, header, where)


def _has_any(cells: Cells, needed: Sequence[int]) -> bool:
    """Return whether a needed column has a value: a remark beside or below the table is no row of it."""
    return any(cells[at] != "" for at in needed if at < len(cells))


def _row(number: int, cells: Cells, header: _Header, where: str) -> RawRow:
    fields = {name: cells[at] if at < len(cells) else "" for at, name in header.columns.items()}
    return RawRow(number, fields, f"{where}, row {number}", typed=False)


def _chosen(
    book: Any, sheet: str, name: str, wanted: Callable[[str], bool], notify: Callable[[str], None]
) -> tuple[_Sheet, _Header]:
    sheets = book.worksheets
    if sheet:
        candidates = [each for each in sheets if each.title == sheet]
        if not candidates:
            names = _listed([repr(each.title) for each in sheets])
            raise BadInput(f"{name} has no sheet {sheet!r}; there are {names}")
    else:
        candidates = [each for each in sheets if each.sheet_state == "visible"]
    found = []
    for each in candidates:
        with each._get_source() as source:  # noqa: SLF001 - openpyxl finds merged cells only where it does not stream
            made = _Sheet(each.title, each, MergedCells.scanned(chunks_of(source)))
        header = made.header(wanted)
        if header is not None:
            found.append((made, header))
    if not found:
        raise BadInput(f"{name}, sheet {sheet} is empty" if sheet else f"{name} has no rows")
    best = max(found, key=lambda pair: pair[1].known)
    others = [made.name for made, _ in found if made is not best[0]]
    if others:
        notify(
            f"{name}: sheet {best[0].name} is read, not {_listed(others)}; to read another, name it: {name}#{others[0]}"
        )
    return best


def _check_names(header: _Header, where: str) -> None:
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - only for workbooks

    first: dict[str, int] = {}
    for at, name in header.columns.items():
        if name in first:
            letters = " and ".join(get_column_letter(each + 1) for each in (first[name], at))
            raise BadInput(f"{where}: the column {name!r} is in the header twice ({letters}); rename one")
        first[name] = at


@contextmanager
def _opened(stream: io.BufferedReader, name: str) -> Iterator[Any]:
    """Open a workbook for streaming; raises BadInput for whatever is wrong with it, also while it is read."""
    import openpyxl  # noqa: PLC0415 - only for workbooks

    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as copy:
        source: Any = stream
        if not stream.seekable():
            for chunk in chunks_of(stream):
                copy.write(chunk)
            copy.seek(0)
            source = copy
        book = None
        try:
            _check_size(source, name)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about printing, charts and the like
                book = openpyxl.load_workbook(source, read_only=True, data_only=True, keep_links=False)
            yield book
        except (BadInput, GeneratorExit):
            raise
        except Exception as error:  # openpyxl raises what it stumbles over
            raise BadInput(f"{name} cannot be read as an Excel workbook: {type(error).__name__}: {error}") from error
        finally:
            if book is not None:
                book.close()


def _check_size(source: Any, name: str) -> None:
    """Raise BadInput for a part that is larger unpacked than in any workbook of people."""
    with ZipFile(source) as archive:
        for part in archive.infolist():
            most = next(size for begin, size in _MOST_UNPACKED.items() if part.filename.startswith(begin))
            if part.file_size > most:
                raise BadInput(
                    f"{name}: {part.filename} has {part.file_size >> 20} MiB unpacked, and at most {most >> 20} are "
                    "read; save the sheet as CSV"
                )
            if part.filename.startswith("xl/worksheets/") and part.file_size > _MAX_ROW:
                with archive.open(part) as sheet:
                    _check_rows(sheet, name)


def _check_rows(sheet: IO[bytes], name: str) -> None:
    """Raise BadInput for a sheet with a row that is too long; openpyxl holds a row, some 200 bytes per cell."""
    since = 0
    for chunk in iter(lambda: sheet.read(_CHUNK), b""):
        ends = [found.end() for found in _ROW_ENDS.finditer(chunk)]
        since = len(chunk) - ends[-1] if ends else since + len(chunk)
        if since > _MAX_ROW:
            raise BadInput(
                f"{name}: {sheet.name} has a row of more than {_MAX_ROW >> 20} MiB, too much to read; "
                "save the sheet as CSV"
            )


def _quietly(rows: Iterator[T]) -> Iterator[T]:
    """Yield the rows without openpyxl's warnings, for example of dates before 1900, which it turns into errors."""
    while True:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            row = next(rows, None)
        if row is None:
            return
        yield row


def _value(cell: Any) -> Any:
    value = cell.value
    if isinstance(value, str):
        return CellError(cell.coordinate, value) if cell.data_type == "e" else _text(value)
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return str(value).lower() if isinstance(value, bool) else str(value)


_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def _text(value: str) -> str:
    """Return the text of a cell, with Unix line ends; control characters are escaped in workbooks."""
    if "_x" in value:
        value = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
    return value.replace("\r\n", "\n") if "\r" in value else value


def _name(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
