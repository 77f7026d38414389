"""CSV and TSV, one record at a time.

CSV has no null: an empty answer cell is an empty answer, an empty cell in any other column is *not given*.

Quotes follow RFC 4180, and a quote inside a cell that began without one is text, as in spreadsheets. A stray quote
costs one row: if a cell is not closed, or closed and then continued, reading resumes on the line after the record's
first. Tab-separated cells are often written without quoting, so they keep their quotes unless a CSV writer would have
had to set them.
"""

import csv
import io
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from saiten.data.encodings import detect_encoding
from saiten.data.rows import BadRow, RawRow, bad_row, repeated, row_of_table
from saiten.errors import BadInput

MAX_FIELD = 32 << 20
"""Maximum characters per field; Python's own limit, 128 Ki, is too low for many lists of contexts."""
_MAX_RECORD, _PER_LINE = 2 * MAX_FIELD, 64
"""Maximum characters of a record of several lines, which are all held; a line counts as so many more."""

_DELIMITERS = ",;\t|"
_LINE_END = "\r\n"
_QUOTES = re.compile('"+')
_NEEDS_QUOTES = re.compile('[",\t\r\n]')
"""Characters for which a spreadsheet quotes a cell of tab-separated text."""
_MEND = "; double the quotes inside a cell, or remove the stray one"
_NO_CHANCE = 3  # consecutive lines with a row's number of cells that are certainly rows
_SHOWN = 5  # lines shown of an unusable record


def read_csv(
    stream: io.BufferedReader, name: str, *, delimiter: str | None, notify: Callable[[str], None]
) -> Iterator[RawRow | BadRow]:
    """Yield one row per record, numbered as in a spreadsheet: the header is row 1, and blank lines count.

    Args:
        stream: The file.
        name: The name used in messages.
        delimiter: None detects it from the first line: comma, semicolon, tab or bar.
        notify: Receives notes on encodings other than UTF-8, and on cells that look like several rows.

    Raises:
        BadInput: the encoding is unknown, there is no header, or it has a duplicate column.
    """
    encoding, stream = detect_encoding(stream, name)
    if not encoding.startswith("utf-8"):
        notify(f"{name} is read as {encoding}")
    text = io.TextIOWrapper(stream, encoding, newline="")
    try:
        yield from _records(text, name, delimiter, notify)
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} began as {encoding}, but continues with other bytes: {error}") from error
    finally:
        text.detach()  # leave the stream to the caller


def _records(
    text: io.TextIOWrapper, name: str, delimiter: str | None, notify: Callable[[str], None]
) -> Iterator[RawRow | BadRow]:
    lines = _Lines(text)
    first = lines.peek()
    if not first.strip():
        raise BadInput(f"{name}: the first line should contain the column names, but it is empty")
    delimiter = delimiter or max(_DELIMITERS, key=first.count)
    records = csv.reader(lines, delimiter=delimiter, strict=True)
    header, quoted = _header(lines, records, name, delimiter)
    layout = _Layout(len(header), delimiter, quoted)
    merged = False
    for number in count(2):
        lines.begin()
        found = layout.read(lines, records)
        if found is None:
            return
        where = row_of_table(name, number, lines.begun)
        if not isinstance(found, _Broken) and len(lines.taken) > _NO_CHANCE and layout.merged(lines.taken):
            found = _Broken(f"a cell has {len(lines.taken)} lines that all look like rows; is a quote stray?{_MEND}")
            yield bad_row(where, found.reason, "".join(lines.taken[:_SHOWN]))
            lines.give_back(1)
        elif isinstance(found, _Broken):
            yield bad_row(where, found.reason, "".join(lines.taken[:_SHOWN]))
            lines.give_back(layout.own_lines(lines.taken, found))
        elif found:
            if not merged and layout.merged(lines.taken, at_least=True):
                merged = True
                notify(
                    f"{where}: a cell has {len(lines.taken)} lines that look like rows; is a quote missing or stray?"
                )
            yield RawRow(number, dict(zip(header, found, strict=True)), where, typed=False)


@dataclass(frozen=True, slots=True)
class _Broken:
    """An unusable record."""

    reason: str
    closed: bool = True
    """False if an opening quote has no closing one."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """The format of a file's records."""

    width: int
    delimiter: str
    quoted: bool
    """Whether all cells are quoted, judging by the header."""

    def read(self, lines: "_Lines", records: Iterator[list[str]]) -> list[str] | _Broken | None:
        """Return the cells of the next record, or None at the end; a blank line has no cells."""
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
        """Read the first line with its quotes as text, if that is what was meant, and give back the lines after it."""
        cells = lines.taken[0].rstrip(_LINE_END).split("\t")
        if len(cells) != self.width:
            return read
        if not isinstance(read, _Broken):
            if len(lines.taken) == 1:
                # keep the quotes of a cell unless a spreadsheet would have had to set them
                pairs = zip(cells, read, strict=True)
                return read if self.quoted else [one if _NEEDS_QUOTES.search(one) else plain for plain, one in pairs]
            if not self.merged(lines.taken):
                return read
        lines.give_back(1)
        return cells

    def merged(self, taken: Sequence[str], *, at_least: bool = False) -> bool:
        """Return whether every line within a record looks like a row, as after two stray quotes.

        With `at_least`, so does one with more cells: a row whose own quotes are read as text.
        """
        inside = taken[1:] if self.width > 1 else ()
        cells = [len(self._alone(line)) for line in inside]
        return bool(cells) and all(each == self.width or (at_least and each > self.width) for each in cells)

    def own_lines(self, taken: Sequence[str], broken: _Broken) -> int:
        """Return how many lines belong to a broken record: the first, or all if they are inside a cell."""
        inside = taken[1:-1] if broken.closed else taken[1:]
        rows = sum(len(self._alone(line)) == self.width for line in inside)
        if not broken.closed:  # assume that rows follow, unless most of the lines are no rows
            return 1 if 2 * rows >= len(inside) else len(taken)
        quote = next((run for run in _QUOTES.finditer(taken[-1]) if len(run[0]) % 2), None)
        if len(taken) == 1 or quote is None:
            return len(taken)
        # A quote that opens a cell cannot have closed the previous one, so the lines between are rows.
        before, after = taken[-1][: quote.start()][-1:], taken[-1][quote.end() :][:1]
        opens = before in ("", self.delimiter) and after not in ("", self.delimiter, *_LINE_END)
        return 1 if opens or rows == len(inside) >= _NO_CHANCE else len(taken)

    def _alone(self, line: str) -> list[str]:
        """Return the cells of a line by itself; empty if it is no record."""
        if self.delimiter == "\t":
            return line.rstrip(_LINE_END).split("\t")
        try:
            return _next(csv.reader([line], delimiter=self.delimiter)) or []
        except csv.Error:
            return []


def _broken(error: csv.Error) -> _Broken:
    said = str(error)
    if "expected after" in said:
        return _Broken("a quote is closed, but the cell continues" + _MEND)
    if "end of data" in said:
        return _Broken("a quote is opened and never closed" + _MEND, closed=False)
    return _Broken(f"not CSV: {said}; is a quote opened and never closed?", closed=False)


class _Lines:
    """The lines of a text; those of the current record are kept, so that they can be read again."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self.taken: list[str] = []
        self.begun = 1
        """The line on which the record begins, counted from 1."""
        self._text = text
        self._size = 0
        """Characters of the record."""
        self._again: deque[str] = deque()

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else self._text.readline(MAX_FIELD)
        if not line:
            raise StopIteration
        self.taken.append(line)
        self._size += len(line) + _PER_LINE
        if self._size > _MAX_RECORD:
            raise csv.Error(f"more than {_MAX_RECORD >> 20} million characters in one record")
        return line

    def peek(self) -> str:
        """Return the next line without consuming it."""
        self._again.appendleft(self._text.readline(MAX_FIELD))
        return self._again[0]

    def begin(self) -> None:
        """Begin a record."""
        self.begun += len(self.taken)
        self.taken.clear()
        self._size = 0

    def give_back(self, kept: int) -> None:
        """Return all lines of the record but the first `kept`, to be read again."""
        self._again.extendleft(reversed(self.taken[kept:]))
        del self.taken[kept:]


def _header(lines: _Lines, records: Iterator[list[str]], name: str, delimiter: str) -> tuple[list[str], bool]:
    lines.begin()
    try:
        cells = _next(records) or []
    except csv.Error as error:
        raise BadInput(f"{name}: the column names in its first line cannot be read: {_broken(error).reason}") from error
    header = [cell.strip() for cell in cells]
    if (twice := repeated(header)) is not None:
        raise BadInput(f"{name}: the column {twice!r} is in the header twice; rename one")
    written = "".join(lines.taken).rstrip(_LINE_END).split(delimiter)
    return header, all(cell.startswith('"') for cell in written)


def _next(records: Iterator[list[str]]) -> list[str] | None:
    """Return the next record under a higher field limit, which is process-wide and so restored at once."""
    before = csv.field_size_limit(MAX_FIELD)
    try:
        return next(records, None)
    finally:
        csv.field_size_limit(before)
