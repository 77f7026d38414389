"""Rows that cannot be used: the first few are reported with place and reason, and all are counted."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from saiten.cli.output import escape_untrusted, notifier
from saiten.data import BadRow, read_labels
from saiten.records import Label

T = TypeVar("T")

_SHOWN = 5
"""Maximum rows reported one by one."""


def usable(rows: Iterable[T | BadRow], notes: Console) -> Iterator[T]:
    """Yield the usable rows; skip and report the others."""
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
    """Yield the labels of a file; skip and report unusable rows."""
    yield from usable(read_labels(path, columns=columns, notify=notifier(notes)), notes)
