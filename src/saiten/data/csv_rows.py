"""CSV and TSV, one record at a time.

CSV knows no null: an empty cell of the answer is an empty answer, an empty cell of any other column is *not given*.

Quotes are read as RFC 4180 has them, and a quote inside a cell that began without one is text, as in every spreadsheet.
One stray quote costs one row: where a cell is not closed, or closed and then goes on, reading goes on with the line
after the one where the record began. Cells separated by tabs are often written without any quoting, so there a cell
keeps its quotes unless a writer of CSV would have had to set them.
"""

import csv
import io
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from saiten.data.encodings import detect_encoding
from saiten.data.rows import BadRow, Row, bad_row, row_of_table
from saiten.errors import BadInput

MAX_FIELD = 32 << 20
"""Characters of the longest field; Python's own limit is 128 Ki, less than many a list of contexts."""

_DELIMITERS = ",;\t|"
_LINE_END = "\r\n"
_QUOTES = re.compile('"+')
_NEEDS_QUOTES = re.compile('[",\t\r\n]')
"""What a spreadsheet quotes a cell of tab-separated text for."""
_MEND = "; double the quotes inside a cell, or take the stray one out"
_NO_CHANCE = 3
"""Lines in succession that all have a row's number of cells are rows."""
_SHOWN = 5
"""Lines that are kept of a record that cannot be used."""


def read_csv(
    stream: io.BufferedReader, name: str, *, delimiter: str | None, tell: Callable[[str], None]
) -> Iterator[Row | BadRow]:
    """Read one row per record, numbered as a spreadsheet does: the column names are row 1, and a blank line is a row.

    Args:
        stream: The file.
        name: The name for messages.
        delimiter: None finds it out from the first line: comma, semicolon, tab or bar.
        tell: Is told the encoding where it is not UTF-8, and of cells that look like several rows.

    Raises:
        BadInput: the encoding is unknown, there is no header, or a column stands in it twice.
    """
    encoding, stream = detect_encoding(stream, name)
    if not encoding.startswith("utf-8"):
        tell(f"{name} is read as {encoding}")
    text = io.TextIOWrapper(stream, encoding, newline="")
    try:
        yield from _records(text, name, delimiter, tell)
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} began as {encoding}, but goes on with bytes that are not: {error}") from error
    finally:
        text.detach()  # the stream belongs to whoever opened it


def _records(
    text: io.TextIOWrapper, name: str, delimiter: str | None, tell: Callable[[str], None]
) -> Iterator[Row | BadRow]:
    lines = _Lines(text)
    first = lines.peek()
    if not first.strip():
        raise BadInput(f"{name}: the first line is expected to hold the column names, but it is empty")
    delimiter = delimiter or max(_DELIMITERS, key=first.count)
    records = csv.reader(lines, delimiter=delimiter, strict=True)
    header, quoted = _header(lines, records, name, delimiter)
    form = _Form(len(header), delimiter, quoted)
    number = 1
    merged = False
    while True:
        number += 1
        lines.begin()
        found = form.read(lines, records)
        if found is None:
            return
        where = row_of_table(name, number, lines.begun)
        if not isinstance(found, _Broken) and len(lines.taken) > _NO_CHANCE and form.merged(lines.taken):
            found = _Broken(f"a cell has {len(lines.taken)} lines that all look like rows; is a quote stray?{_MEND}")
            yield bad_row(where, found.reason, "".join(lines.taken[:_SHOWN]))
            lines.give_back(1)
        elif isinstance(found, _Broken):
            yield bad_row(where, found.reason, "".join(lines.taken[:_SHOWN]))
            lines.give_back(form.own_lines(lines.taken, found))
        elif found:
            if not merged and form.merged(lines.taken):
                merged = True
                tell(f"{where}: a cell has {len(lines.taken)} lines that look like rows; is a quote missing or stray?")
            yield Row(number, dict(zip(header, found, strict=True)), where, typed=False)


@dataclass(frozen=True, slots=True)
class _Broken:
    """A record that cannot be used."""

    reason: str
    closed: bool = True
    """False where a quote was opened and no quote closed it."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How the records of a file are written."""

    width: int
    """Cells of a row."""
    delimiter: str
    quoted: bool
    """Whether whoever wrote it set all cells in quotes; the header shows it."""

    def read(self, lines: "_Lines", records: Iterator[list[str]]) -> list[str] | _Broken | None:
        """The cells of the next record, or None at the end; a blank line has no cells."""
        found: list[str] | _Broken | None
        try:
            found = _next(records)
        except csv.Error as error:
            found = _broken(error)
        else:
            if found and len(found) != self.width:
                reason = f"{len(found)} fields, but the header has {self.width}; is a quote missing or not doubled?"
                found = _Broken(reason)
        if found and self.delimiter == "\t" and '"' in lines.taken[0]:
            return self._plain(lines, found)
        return found

    def _plain(self, lines: "_Lines", read: list[str] | _Broken) -> list[str] | _Broken:
        """Read the first line with its quotes as text, where that is what was meant, and give back what follows it."""
        cells = lines.taken[0].rstrip(_LINE_END).split("\t")
        if len(cells) != self.width:
            return read
        if not isinstance(read, _Broken):
            if len(lines.taken) == 1:
                return read if self.quoted else [_as_meant(*pair) for pair in zip(cells, read, strict=True)]
            if not self.merged(lines.taken):
                return read
        lines.give_back(1)
        return cells

    def merged(self, taken: Sequence[str]) -> bool:
        """Whether every line within a record looks like a row, as after two stray quotes."""
        inside = taken[1:] if self.width > 1 else ()
        return bool(inside) and all(len(self._alone(line)) == self.width for line in inside)

    def own_lines(self, taken: Sequence[str], broken: _Broken) -> int:
        """How many lines belong to a broken record: the first, or all of them where they are the inside of a cell."""
        inside = taken[1:-1] if broken.closed else taken[1:]
        rows = sum(len(self._alone(line)) == self.width for line in inside)
        if not broken.closed:  # the rows of a file go on, unless most of what follows is no row
            return 1 if 2 * rows >= len(inside) else len(taken)
        quote = next((run for run in _QUOTES.finditer(taken[-1]) if len(run[0]) % 2), None)
        if len(taken) == 1 or quote is None:
            return len(taken)
        # A quote that opens a cell cannot have closed the one before it, so the lines between are rows.
        before, after = taken[-1][: quote.start()][-1:], taken[-1][quote.end() :][:1]
        opens = before in ("", self.delimiter) and after not in ("", self.delimiter, *_LINE_END)
        return 1 if opens or rows == len(inside) >= _NO_CHANCE else len(taken)

    def _alone(self, line: str) -> list[str]:
        """The cells of a line by itself; none where it is no record."""
        if self.delimiter == "\t":
            return line.rstrip(_LINE_END).split("\t")
        try:
            return _next(csv.reader([line], delimiter=self.delimiter)) or []
        except csv.Error:
            return []


def _as_meant(plain: str, read: str) -> str:
    """A tab-separated cell without its quotes if a spreadsheet would have had to set them, else as it is written."""
    return read if _NEEDS_QUOTES.search(read) else plain


def _broken(error: csv.Error) -> _Broken:
    said = str(error)
    if "expected after" in said:
        return _Broken("a quote is closed and the cell goes on" + _MEND)
    if "end of data" in said:
        return _Broken("a quote is opened and never closed" + _MEND, closed=False)
    return _Broken(f"not CSV: {said}; is a quote opened and never closed?", closed=False)


class _Lines:
    """The lines of a text: those of the record that is being read are kept, so that they can be read again."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self.taken: list[str] = []
        self.begun = 1
        """The line on which the record begins, counted from 1."""
        self._text = text
        self._again: deque[str] = deque()

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else self._text.readline(MAX_FIELD)
        if not line:
            raise StopIteration
        self.taken.append(line)
        return line

    def peek(self) -> str:
        """The next line, which stays the next one."""
        self._again.appendleft(self._text.readline(MAX_FIELD))
        return self._again[0]

    def begin(self) -> None:
        """A record begins."""
        self.begun += len(self.taken)
        self.taken.clear()

    def give_back(self, kept: int) -> None:
        """All lines of the record but the first few are to be read again."""
        self._again.extendleft(reversed(self.taken[kept:]))
        del self.taken[kept:]


def _header(lines: _Lines, records: Iterator[list[str]], name: str, delimiter: str) -> tuple[list[str], bool]:
    """The column names, and whether all of them stand in quotes."""
    lines.begin()
    try:
        cells = _next(records) or []
    except csv.Error as error:
        raise BadInput(f"{name}: the column names in its first line cannot be read: {_broken(error).reason}") from error
    header = [cell.strip() for cell in cells]
    twice = sorted({cell for cell in header if header.count(cell) > 1})
    if twice:
        raise BadInput(f"{name}: the column {twice[0]!r} stands in the header twice; rename one")
    written = "".join(lines.taken).rstrip(_LINE_END).split(delimiter)
    return header, all(cell.startswith('"') for cell in written)


def _next(records: Iterator[list[str]]) -> list[str] | None:
    """The next record, under our own limit; the limit belongs to the whole process, so it is put back at once."""
    before = csv.field_size_limit(MAX_FIELD)
    try:
        return next(records, None)
    finally:
        csv.field_size_limit(before)
