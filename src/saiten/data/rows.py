"""Raw rows with their place in a file, and rows that cannot be used."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from saiten.errors import BadInput

T = TypeVar("T")

RAW_CHARACTERS = 500
"""Characters kept of a bad row, enough to recognize it."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """A row with named values."""

    number: int
    """Its line in JSON lines; its spreadsheet row in CSV (the header is row 1); else its position."""
    fields: Mapping[str, Any]
    """Column name → value, as in the file."""
    where: str
    """File and place, for messages."""
    typed: bool = True
    """False for CSV, which does not distinguish null and the empty string."""
    prefix: str = ""
    """What a generated id begins with: the file, if there are several."""
    system: str = ""
    """What its id ends with: the system, if the row in the file has the answers of several."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used, set aside so that reading continues."""

    where: str
    """File and place: `data.jsonl:17`, `data.csv, row 17 (line 23)`."""
    reason: str
    raw: str = ""
    """The first 500 characters of the row in the file."""

    def strict_error(self) -> BadInput:
        """Return the error of a command that is to stop at the first such row."""
        return BadInput(f"{self.where}: {self.reason} (--strict stops at the first bad row)")


def row_of(
    value: Any, number: int, where: str, raw: Any, *, expected: str = "a JSON object", hint: str = ""
) -> RawRow | BadRow:
    """Make a row of a mapping, and a bad row of anything else; `hint` is added to its reason."""
    if isinstance(value, Mapping):
        return RawRow(number, value, where)
    kinds = {list: "a list", str: "text", bool: "true or false", type(None): "null", int: "a number", float: "a number"}
    kind = kinds.get(type(value), type(value).__name__)
    return bad_row(where, f"expected {expected}, got {kind}{hint}", raw)


def prefixed(rows: Iterable[RawRow | BadRow], prefix: str) -> Iterator[RawRow | BadRow]:
    """Yield the rows with this prefix of generated ids."""
    for row in rows:
        yield replace(row, prefix=prefix) if isinstance(row, RawRow) else row


def place(name: str, number: int) -> str:
    """Format a line of a file, or the position of a row."""
    return f"{name}:{number}"


def row_of_table(name: str, number: int, line: int) -> str:
    """Format a spreadsheet row number, with the line on which the row begins if it differs."""
    return f"{name}, row {number}" if line == number else f"{name}, row {number} (line {line})"


def bad_row(where: str, reason: str, raw: Any = "") -> BadRow:
    """Make a bad row; `raw` may be bytes, text or parsed values."""
    if isinstance(raw, bytes):
        text = raw[: 4 * RAW_CHARACTERS].decode("utf-8", "backslashreplace")
    elif isinstance(raw, str):
        text = raw
    else:
        text = json.dumps(_shortened(raw), ensure_ascii=False, default=str)
    # lone surrogates cannot be written to a file, but their escapes can
    clean = text[:RAW_CHARACTERS].encode("utf-8", "backslashreplace").decode("utf-8")
    return BadRow(where, reason, clean[:RAW_CHARACTERS])


def converted(rows: Iterable[RawRow | BadRow], convert: Callable[[RawRow], T]) -> Iterator[T | BadRow]:
    """Yield what `convert` makes of each row; a row for which it raises ValueError is bad, for that reason."""
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        try:
            made = convert(row)
        except ValueError as error:
            yield bad_row(row.where, str(error), row.fields)
        else:
            yield made


def _shortened(value: Any) -> Any:
    """Shorten each value, since a row may hold megabytes and only 500 characters are shown."""
    if isinstance(value, Mapping):
        return {str(key)[:RAW_CHARACTERS]: _short(item) for key, item in list(value.items())[:50]}
    return _short(value)


def _short(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    return (value if isinstance(value, str) else str(value))[:RAW_CHARACTERS]


def repeated(names: Iterable[str]) -> str | None:
    """Return the first in alphabetical order of the column names that occur more than once; None if there is none."""
    return min((name for name, times in Counter(names).items() if times > 1), default=None)
