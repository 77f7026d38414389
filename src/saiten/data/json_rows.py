"""JSON lines, one row at a time, and JSON documents with a list of rows.

JSON lines are read one by one, so a file of any size takes constant memory. A document must be read whole, up to
128 MiB. JSON is accepted as written by Python's and JavaScript's tools: `NaN` counts as no value, and long integers are
kept exactly. An object with a key twice is refused, since one of its values would be lost.
"""

import io
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from saiten.data.opening import as_utf8, pushed_back
from saiten.data.rows import BadRow, RawRow, bad_row, place, row_of
from saiten.errors import BadInput
from saiten.strict_parsing import RepeatedKey, once

MAX_LINE = 32 << 20
"""Maximum bytes per line; a longer one is skipped without being held."""
MAX_DOCUMENT = 128 << 20
"""Maximum bytes of a JSON document (not JSON lines)."""
_MAX_VALUES = 4_000_000
"""Maximum values of a line or a document: an empty object of 3 bytes takes 90 as Python's objects are made."""

_ROWS = ("results", "data", "samples", "examples", "rows")
"""Keys under which a JSON object may keep its list of rows; RAGChecker's files use `results`."""

_BOM = b"\xef\xbb\xbf"
_DIGITS, _LONG_NUMBER = bytes.maketrans(b"123456789", b"0" * 9), b"0" * 19
"""For finding integers above 64 bits, which orjson turns into floats, so that two ids could become one; a regular
expression takes ten times as long."""


def read_json_lines(stream: io.BufferedReader, name: str) -> Iterator[RawRow | BadRow]:
    """Yield one row per line, skipping blank ones. A file whose first line is `[` is read as a document."""
    return read_lines(as_utf8(stream), name)


def read_lines(stream: io.BufferedReader, name: str, first: int = 1) -> Iterator[RawRow | BadRow]:
    """Yield one row per line of a file in UTF-8, or of a part of it that begins with line number `first`."""
    for number, line in enumerate(_lines(stream), first):
        if len(line) > MAX_LINE:
            yield bad_row(place(name, number), f"the line is longer than {MAX_LINE >> 20} MiB", line)
            continue
        if number == 1 and begins_document(line):
            yield from _document(pushed_back(line, stream), name)
            return
        text = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
        if text:
            yield _row(text, number, place(name, number))


def count_lines(stream: io.BufferedReader, name: str, first: int = 1) -> tuple[int, int]:
    """Return the number of lines and of rows that `read_lines` finds, without parsing them."""
    lines = rows = 0
    for line in _lines(stream):
        if lines == 0 and first == 1:
            if len(line) <= MAX_LINE and begins_document(line):
                rows = sum(1 for _ in _document(pushed_back(line, stream), name))
                return rows, rows
            line = line.removeprefix(_BOM)  # noqa: PLW2901 - as it is read
        lines += 1
        rows += len(line) > MAX_LINE or (line != b"" and not line.isspace())
    return lines, rows


def begins_document(line: bytes) -> bool:
    """Return whether a file with this first line is one list, not JSON lines."""
    return line.removeprefix(_BOM).strip() == b"["


def _lines(stream: io.BufferedReader) -> Iterator[bytes]:
    """Yield the lines; of a line that is too long, the beginning."""
    while line := stream.readline(MAX_LINE + 1):
        yield line
        if len(line) > MAX_LINE:
            while line and not line.endswith(b"\n"):
                line = stream.readline(1 << 20)


def read_json(stream: io.BufferedReader, name: str) -> Iterator[RawRow | BadRow]:
    """Read a list of rows, an object with such a list (`{"results": […]}`), or JSON lines in a `.json` file."""
    stream = as_utf8(stream)
    first = stream.readline(MAX_LINE + 1)
    again = pushed_back(first, stream)
    return read_json_lines(again, name) if _is_line_of_lines(first) else _document(again, name)


def parse_json(text: bytes) -> Any:
    """Parse JSON; raises ValueError with a sentence."""
    try:
        if _LONG_NUMBER not in text.translate(_DIGITS):
            value = orjson.loads(text)
            if not may_repeat_keys(text, value):
                return value
    except orjson.JSONDecodeError:
        pass  # Python's json may still accept it: NaN, lone surrogates
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_no_value, object_pairs_hook=once, strict=False)
    except RepeatedKey:
        raise
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 (byte {error.start + 1}: 0x{text[error.start]:02x}){_other(text)}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error


def may_repeat_keys(text: bytes, value: Any) -> bool:
    """Return whether an object in this JSON may have a key twice, of which orjson kept the last; False is certain.

    Nothing is lost if the value is written as it was read, as in saiten's own files. Otherwise colons are counted,
    which is quick: a key that is lost takes one with it.
    """
    try:
        written = orjson.dumps(value)
    except TypeError:  # deeper than orjson writes
        return True
    if text.startswith(written) and len(text) - len(written) <= 1:  # or with a line end
        return False
    if b"\\" in text and (b"\\u003a" in text or b"\\u003A" in text):  # a colon that is one only after parsing
        return True
    return text.count(b":") != written.count(b":")


def _check_values(text: bytes) -> None:
    """Raise ValueError if the text may have more values than can be held; commas inside texts count, too."""
    if len(text) > _MAX_VALUES and sum(map(text.count, (b",", b"[", b"{"))) > _MAX_VALUES:
        raise ValueError(
            f"it may have more than {_MAX_VALUES:,} values (commas and brackets), too many to read at once"
        )


def _row(text: bytes, number: int, where: str) -> RawRow | BadRow:
    try:
        _check_values(text)
        value = parse_json(text)
    except ValueError as error:
        return bad_row(where, str(error), text)
    hint = "; a file that is one JSON list is named .json" if isinstance(value, list) else ""
    return row_of(value, number, where, text, hint=hint)


def _document(stream: io.BufferedReader, name: str) -> Iterator[RawRow | BadRow]:
    text = stream.read(MAX_DOCUMENT + 1)
    if len(text) > MAX_DOCUMENT:
        raise BadInput(
            f"{name} is one JSON document of more than {MAX_DOCUMENT >> 20} MiB, which has to be read whole; "
            f"make JSON lines of it, which may have any size, for example with `jq -c '.[]' {name} > data.jsonl`"
        )
    try:
        _check_values(text)
        value = parse_json(text.removeprefix(_BOM))
    except ValueError as error:
        raise BadInput(f"{name}: {error}") from error
    for number, item in enumerate(_list_in(value), 1):
        yield row_of(item, number, place(name, number), item)


def _list_in(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return next((value[key] for key in _ROWS if isinstance(value.get(key), list)), [value])
    return value if isinstance(value, list) else [value]


def _is_line_of_lines(first: bytes) -> bool:
    """Return whether a `.json` file contains JSON lines: its first line is an object without a list of rows."""
    try:
        _check_values(first)
        value = parse_json(first.removeprefix(_BOM).strip())
    except RepeatedKey:
        return first.removeprefix(_BOM).lstrip().startswith(b"{")
    except ValueError:
        return False
    return isinstance(value, Mapping) and not any(isinstance(value.get(key), list) for key in _ROWS)


def _no_value(constant: str) -> float | None:
    return None if constant == "NaN" else math.inf


def _other(text: bytes) -> str:
    try:
        text.decode("cp932")
    except UnicodeDecodeError:
        return ""
    return "; it could be Shift_JIS: convert it with `iconv -f CP932 -t UTF-8`"
