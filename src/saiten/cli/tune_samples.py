"""The labeled samples, from a run or a file."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from saiten.cli.labels import usable
from saiten.cli.output import notifier
from saiten.cli.shared_options import SAMPLE_COLUMN, read_columns
from saiten.data import read_samples
from saiten.errors import ConfigurationError
from saiten.records import Sample
from saiten.runs import read_run
from saiten.text.language import detect_language


def samples_of(run: Path | None, file: Path | None, columns: Sequence[str], notes: Console) -> Iterator[Sample]:
    """Yield the samples; skip and report unusable rows.

    Raises:
        ConfigurationError: neither a run nor a file was named, or both.
        BadInput: it cannot be read.
    """
    if (run is None) == (file is None):
        raise ConfigurationError("which samples were labelled? Name a run, or a file with --samples; one of them")
    if run is not None:
        yield from read_run(run, notify=notifier(notes)).samples()
    elif file is not None:
        rows = read_samples(
            file,
            columns=read_columns(columns, SAMPLE_COLUMN),
            detect_language=detect_language,
            option=SAMPLE_COLUMN,
            notify=notifier(notes),
        )
        yield from usable(rows, notes)
