"""CSV and TSV, one record at a time.

CSV knows no null: an empty cell of the answer is an empty answer, an empty cell of any other column is *not given*.
"""

import csv
import io
from collections.abc import Callable, Iterator

from saiten.data.encodings import detect_encoding
from saiten.data.rows import BadRow, Row, bad_row
from saiten.errors import BadInput

MAX_FIELD = 32 << 20
"""Characters of the longest field; Python's own limit is 128 Ki, less than many a list of contexts."""

_DELIMITERS = ",;\t|"


def read_csv(
    stream: io.BufferedReader, name: str, *, delimiter: str | None, tell: Callable[[str], None]
) -> Iterator[Row | BadRow]:
    """One row a record, numbered by the line it begins on; the first record holds the column names.

    Args:
        stream: The file.
        name: The name for messages.
        delimiter: None finds it out from the first line: comma, semicolon, tab or bar.
        tell: Is told the encoding where it is not UTF-8.

    Raises:
        BadInput: the encoding is unknown, there is no header, or a column stands in it twice.
    """
    encoding, stream = detect_encoding(stream, name)
    if not encoding.startswith("utf-8"):
        tell(f"{name} is read as {encoding}")
    text = io.TextIOWrapper(stream, encoding, newline="")
    try:
        yield from _records(text, name, delimiter)
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} began as {encoding}, but goes on with bytes that are not: {error}") from error
    finally:
        text.detach()  # the stream belongs to whoever opened it


def _records(text: io.TextIOWrapper, name: str, delimiter: str | None) -> Iterator[Row | BadRow]:
    first = text.readline(MAX_FIELD)
    if not first.strip():
        raise BadInput(f"{name}: the first line is expected to hold the column names, but it is empty")
    lines = _Lines(first, text)
    records = csv.reader(lines, delimiter=delimiter or max(_DELIMITERS, key=first.count))
    header = _header(_next(records) or [], name)
    while True:
        number = lines.read + 1
        try:
            cells = _next(records)
        except csv.Error as error:
            yield bad_row(name, number, f"not CSV: {error}")
            continue
        if cells is None:
            return
        if len(cells) == len(header):
            yield Row(number, dict(zip(header, cells, strict=True)), typed=False)
        elif cells:
            reason = f"{len(cells)} fields, but the header has {len(header)}; is a quote missing or not doubled?"
            yield bad_row(name, number, reason, ",".join(cells))


class _Lines:
    """The lines of a text, counted; the first one has been read already."""

    def __init__(self, first: str, rest: io.TextIOWrapper) -> None:
        self.read = 0
        self._first: str | None = first
        self._rest = rest

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line, self._first = self._first, None
        line = self._rest.readline(MAX_FIELD) if line is None else line
        if not line:
            raise StopIteration
        self.read += 1
        return line


def _header(cells: list[str], name: str) -> list[str]:
    header = [cell.strip() for cell in cells]
    twice = sorted({cell for cell in header if header.count(cell) > 1})
    if twice:
        raise BadInput(f"{name}: the column {twice[0]!r} stands in the header twice; rename one")
    return header


def _next(records: Iterator[list[str]]) -> list[str] | None:
    """The next record, under our own limit; the limit belongs to the whole process, so it is put back at once."""
    before = csv.field_size_limit(MAX_FIELD)
    try:
        return next(records, None)
    finally:
        csv.field_size_limit(before)
