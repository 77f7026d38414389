"""Rows that cannot be used: the first few are told with their place and reason, all of them are counted."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from saiten.cli.output import escape_untrusted, told
from saiten.data import BadRow, read_labels
from saiten.records import Label

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


def read_said(path: Path, columns: Mapping[str, str], notes: Console) -> Iterator[Label]:
    """The labels of a file; rows that are none are told and left out."""
    yield from usable(read_labels(path, columns=columns, tell=told(notes)), notes)
