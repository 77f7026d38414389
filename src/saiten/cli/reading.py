"""Labels and samples out of files: the first few unusable rows are reported with place and reason, and all counted."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from saiten.cli.output import escape_untrusted, notifier, stderr
from saiten.cli.shared_options import SAMPLE_COLUMN
from saiten.data import BadRow, read_labels, read_samples
from saiten.data.samples import WISHED
from saiten.errors import BadInput, ConfigurationError
from saiten.options import read_columns
from saiten.records import Label, Sample
from saiten.results.labeled_answers import answer_digest, noting_others
from saiten.runs import read_run
from saiten.text.language import detect_language

T = TypeVar("T")

_SHOWN = 5
"""Maximum rows reported one by one."""


def _usable(rows: Iterable[T | BadRow]) -> Iterator[T]:
    """Yield the usable rows; skip and report the others."""
    return (row for row in reported(rows, stderr()) if not isinstance(row, BadRow))


def reported(rows: Iterable[T | BadRow], notes: Console) -> Iterator[T | BadRow]:
    """Yield all rows; report those that cannot be used."""
    bad = 0
    for row in rows:
        yield row
        bad += isinstance(row, BadRow)
        if isinstance(row, BadRow) and bad <= _SHOWN:
            notes.print(f"[yellow]left out[/] {escape_untrusted(row.where)}: {escape_untrusted(row.reason)}")
    if bad > _SHOWN:
        notes.print(f"[yellow]left out[/] {bad - _SHOWN} more rows")


def read_said(path: Path, columns: Sequence[str] | None = None, *, categories: bool = False) -> Iterator[Label]:
    """Yield the labels of a file, whose columns `--column` maps; skip and report unusable rows."""
    rows = read_labels(path, columns=read_columns(columns), categories=categories, notify=notifier(stderr()))
    return _usable(rows)


def read_some_labels(
    path: Path, columns: Sequence[str] | None = None, *, categories: bool = False
) -> tuple[Label, ...]:
    """Return the labels of a file; raise BadInput if there are none."""
    said = tuple(read_said(path, columns, categories=categories))
    if not said:
        raise BadInput(f"{path} has no labels")
    return said


def said_of(labels: Iterable[Label], samples: Iterable[Sample]) -> list[Label]:
    """Return the labels except those given to another text under a sample's id, which are reported."""
    return noting_others(labels, {sample.id: answer_digest(sample) for sample in samples}, notifier(stderr()))


def sample_rows(
    path: Path, columns: Sequence[str] | None, wished: Sequence[str] = ("question",)
) -> Iterator[Sample | BadRow]:
    """Return the rows of a file of samples whose columns `--sample-column` maps; a missing `wished` one is noted."""
    return read_samples(
        path,
        columns=read_columns(columns, SAMPLE_COLUMN),
        detect_language=detect_language,
        option=SAMPLE_COLUMN,
        wished=wished,
        notify=notifier(stderr()),
    )


def labeled_samples(run: Path | None, file: Path | None, columns: Sequence[str] | None) -> Iterator[Sample]:
    """Yield the samples of a run or a file; skip and report unusable rows.

    Raises:
        ConfigurationError: neither a run nor a file was named, or both.
        BadInput: it cannot be read.
    """
    if (run is None) == (file is None):
        raise ConfigurationError("name the labeled samples: either a run, or a file with --samples")
    if run is not None:
        yield from read_run(run, notify=notifier(stderr())).samples()
    elif file is not None:
        yield from _usable(sample_rows(file, columns, WISHED))
