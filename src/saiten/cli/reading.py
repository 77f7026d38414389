"""The rows that a command works on: the first of them read beforehand, and how many there are."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_COUNT_UP_TO = 64 * 2**20
"""Bytes of a file whose lines are counted beforehand, for the time left."""


def begun(rows: Iterator[T]) -> Iterator[T]:
    """The same rows, the first of them read: a wrong file or column is told before a folder is made for the run."""
    first = next(rows, None)
    return rows if first is None else chain([first], rows)


def count_rows(data: str, limit: int | None) -> int | None:
    """How many rows there are, where the lines of a file tell it soon; for the time left only."""
    path = Path(data)
    if data == "-" or path.suffix != ".jsonl" or not path.is_file() or path.stat().st_size > _COUNT_UP_TO:
        return limit
    with path.open("rb") as file:
        lines = sum(1 for line in file if line.strip())
    return lines if limit is None else min(lines, limit)
