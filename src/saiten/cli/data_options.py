"""The options of the data that a command works on, and its rows."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from saiten.data import BadRow, read_samples
from saiten.errors import ConfigurationError
from saiten.records import Language, Sample
from saiten.text.language import detect_language

THE_DATA = "The data"
"""How the options stand together in the help."""

ColumnOption = Annotated[
    list[str] | None,
    typer.Option(help="FIELD=COLUMN where a name is not recognised: question=Q. Repeatable.", rich_help_panel=THE_DATA),
]
SAMPLE_COLUMN = "--sample-column"
SampleColumnOption = Annotated[list[str] | None, typer.Option(help="FIELD=COLUMN of the samples. Repeatable.")]
"""Where `--column` is about labels."""
DataFormatOption = Annotated[
    str | None,
    typer.Option(
        "--data-format",
        help="jsonl, json, csv, tsv, parquet or dataset, where the name does not tell.",
        rich_help_panel=THE_DATA,
    ),
]
LanguageOption = Annotated[
    Language | None, typer.Option(help="Of all rows. Default: each one's is detected.", rich_help_panel=THE_DATA)
]
LimitOption = Annotated[int | None, typer.Option(min=1, help="Only the first so many rows.", rich_help_panel=THE_DATA)]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Stop at the first row that cannot be used.", rich_help_panel=THE_DATA)
]

_COUNT_UP_TO = 64 * 2**20
"""Bytes of a file whose lines are counted beforehand, for the time left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """What was typed."""

    source: str
    """A path, or `-` for standard input."""
    column: Sequence[str] | None = None
    data_format: str | None = None
    language: Language | None = None
    """With what saiten.toml says where nothing was typed."""
    limit: int | None = None

    @property
    def columns(self) -> dict[str, str]:
        """Field → column; raises ConfigurationError for what has another form."""
        return read_columns(self.column or ())

    def rows(self, tell: Callable[[str], None]) -> Iterator[Sample | BadRow]:
        """The rows, read as they are asked for."""
        found = read_samples(
            sys.stdin.buffer if self.source == "-" else Path(self.source),
            columns=self.columns,
            format=self.data_format,
            detect_language=detect_language,
            language=self.language,
            tell=tell,
        )
        return islice(found, self.limit)

    def count(self) -> int | None:
        """How many rows there are, where the lines of a file tell it soon; for the time left only."""
        path = Path(self.source)
        small = path.suffix == ".jsonl" and path.is_file() and path.stat().st_size <= _COUNT_UP_TO
        if self.source == "-" or not small:
            return self.limit
        with path.open("rb") as file:
            lines = sum(1 for line in file if line.strip())
        return lines if self.limit is None else min(lines, self.limit)


T = TypeVar("T")


def begun(rows: Iterator[T]) -> Iterator[T]:
    """The same rows, the first of them read: a wrong file or column is told before a folder is made for the run."""
    first = next(rows, None)
    return rows if first is None else chain([first], rows)


def read_columns(pairs: Sequence[str], option: str = "--column") -> dict[str, str]:
    """Field → column out of `question=Q`; raises ConfigurationError for another form."""
    columns = {}
    for pair in pairs:
        name, equals, column = pair.partition("=")
        if not equals or not name or not column:
            raise ConfigurationError(f"{option} expects FIELD=COLUMN, for example question=Q, not {pair!r}")
        columns[name.strip()] = column.strip()
    return columns
