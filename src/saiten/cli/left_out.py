"""Rows that cannot be used: the first few are told with their place and reason, all of them are counted."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console

from saiten.cli.output import escape_untrusted
from saiten.data.rows import BadRow

T = TypeVar("T")

_SHOWN = 5
"""Rows that are told one by one."""


def usable(rows: Iterable[T | BadRow], notes: Console) -> Iterator[T]:
    """The rows that can be used; the others are told and left out."""
    bad = 0
    for row in rows:
        if not isinstance(row, BadRow):
            yield row
            continue
        bad += 1
        if bad <= _SHOWN:
            notes.print(f"[yellow]left out[/] {escape_untrusted(row.where)}: {escape_untrusted(row.reason)}")
    if bad > _SHOWN:
        notes.print(f"[yellow]left out[/] {bad - _SHOWN} more rows")
