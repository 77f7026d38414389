"""What a file is made of before it means anything: rows with their place, and rows that cannot be used."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RAW_CHARACTERS = 500
"""How much of a bad row is kept, enough to recognise it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row with named values."""

    number: int
    """Its line in JSON lines; in CSV its row as a spreadsheet counts (the header is row 1); elsewhere its position."""
    fields: Mapping[str, Any]
    """Column name → value, as the file has it."""
    where: str
    """File and place, as messages name it."""
    typed: bool = True
    """False for CSV, where null and the empty string look the same."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used, kept apart so that the rest goes on."""

    where: str
    """File and place: `data.jsonl:17`, `data.csv, row 17 (line 23)`."""
    reason: str
    """What was expected and what came."""
    raw: str = ""
    """The row as it stands in the file, the first 500 characters of it."""


def place(name: str, number: int) -> str:
    """Name a line of a file, or the position of a row."""
    return f"{name}:{number}"


def row_of_table(name: str, number: int, line: int) -> str:
    """Name a row as a spreadsheet numbers it, with the line on which it begins where that is another number."""
    return f"{name}, row {number}" if line == number else f"{name}, row {number} (line {line})"


def bad_row(where: str, reason: str, raw: Any = "") -> BadRow:
    """Make a bad row; `raw` may be bytes, text or the values that were read."""
    if isinstance(raw, bytes):
        text = raw[: 4 * RAW_CHARACTERS].decode("utf-8", "backslashreplace")
    elif isinstance(raw, str):
        text = raw
    else:
        text = json.dumps(_shortened(raw), ensure_ascii=False, default=str)
    # A lone surrogate cannot be written to a file; its escape can.
    clean = text[:RAW_CHARACTERS].encode("utf-8", "backslashreplace").decode("utf-8")
    return BadRow(where, reason, clean[:RAW_CHARACTERS])


def _shortened(value: Any) -> Any:
    """Enough of each value: the row may hold megabytes of which 500 characters are shown."""
    if isinstance(value, Mapping):
        return {str(key)[:RAW_CHARACTERS]: _short(item) for key, item in list(value.items())[:50]}
    return _short(value)


def _short(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    return (value if isinstance(value, str) else str(value))[:RAW_CHARACTERS]
