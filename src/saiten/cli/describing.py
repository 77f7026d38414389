"""The work of `saiten describe`: data sets, documents and labels are read, and shown in tables."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import typer
from rich.console import Console

from saiten.choices import Format
from saiten.cli.data_source import DataSource
from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.progress import DrawnLine
from saiten.cli.reading import read_some_labels, reported
from saiten.cli.running import LEFT_OUT
from saiten.data import BadRow
from saiten.data.files import name_of_file
from saiten.data.set_names import is_hub
from saiten.errors import BadInput, ConfigurationError
from saiten.rag.knowledge.documents import Document, FoundFile, Unread
from saiten.rag.knowledge.reading import Reader
from saiten.records import Sample
from saiten.redaction import redact
from saiten.results.data_figures import DataFigures, DocumentFigures
from saiten.results.describe_data import describe_data, describe_documents
from saiten.settings import DataSettings
from saiten.trust.label_coverage import LabeledItems
from saiten.views.render import render
from saiten.views.tables.describe import describe_tables
from saiten.wiring import documents_in, documents_to_read
from saiten.words import Message, joined


def describe_all(
    data: Sequence[str],
    rows: DataSettings,
    labels: Path | None,
    label_columns: Sequence[str] | None,
    documents: Sequence[Path],
    kb: str | None,
    form: Format,
    *,
    tokens: bool,
    quiet: bool,
) -> None:
    """Print the figures of the data sets, of the labels and of the documents.

    Raises:
        BadInput: a file is missing or of no known kind, none of its rows can be used, or `rows.strict` and one cannot.
        ConfigurationError: two sources of documents, standard input twice, an unknown column.
    """
    if documents and kb is not None:
        raise ConfigurationError("--documents and --kb both name the documents; leave one of them out")
    if data.count("-") > 1:
        raise ConfigurationError("standard input can be read only once; name a file instead of the second -")
    if label_columns and labels is None:
        raise ConfigurationError("--label-column is for --labels; name the file of labels, too")
    notes = stderr()
    labeled = None
    if labels is not None:
        labeled = LabeledItems(labels.name, read_some_labels(labels, label_columns, categories=True))
    behind = _documents(documents, kb, notes, tokens=tokens, quiet=quiet)
    sets = []
    for path, name in zip(data, _names(data), strict=True):
        source = DataSource(path, rows)
        with DrawnLine(notes, Message("progress", "samples"), source.count(), quiet=quiet) as line:
            sets.append(_described(source, name, labeled, behind, line, notes, tokens=tokens))
    coverage = None if labeled is None else labeled.coverage()
    tables = describe_tables(sets, coverage, part=_part(rows), glance=form == "table")
    render(tables, form, stdout(), ", ".join(each.name for each in sets))
    if behind is not None and behind.unread:
        raise typer.Exit(LEFT_OUT)


def _names(data: Sequence[str]) -> list[str]:
    """Return the names of the files; if two are alike, the paths as typed."""
    names = ["stdin" if each == "-" else each if is_hub(each) else name_of_file(each) for each in data]
    return [redact(each) for each in (names if len(set(names)) == len(names) else data)]


def _described(
    source: DataSource,
    name: str,
    labeled: LabeledItems | None,
    behind: DocumentFigures | None,
    line: DrawnLine,
    notes: Console,
    *,
    tokens: bool,
) -> DataFigures:
    """Read a data set; raise BadInput if none of its rows can be used."""
    rows_read = count()
    rows: Iterator[Sample | BadRow] = source.rows(notifier(notes), lambda: next(rows_read))
    rows = _drawn(reported(rows, notes), line, strict=source.settings.strict)
    found = describe_data(name, rows if labeled is None else labeled.noting(rows), tokens=tokens, documents=behind)
    if not found.samples:
        bad = found.first_unusable
        why = f"{bad.where}: {bad.reason}" if bad else "it has no rows"
        raise BadInput(f"{name} has no row that can be used; {why}")
    return replace(found, rows=next(rows_read))


def _drawn(rows: Iterator[Sample | BadRow], line: DrawnLine, *, strict: bool) -> Iterator[Sample | BadRow]:
    """Yield the rows and draw how many there were; stop at the first unusable one if the user wants that."""
    for number, row in enumerate(rows, 1):
        if strict and isinstance(row, BadRow):
            raise row.strict_error()
        line.draw(number, lambda: None)
        yield row


def _part(rows: DataSettings) -> Message | None:
    """Return which part of the data the figures are of; None for all of it."""
    drawn = (
        None if rows.sample is None else Message("caption", "described_sample", n=rows.sample, seed=rows.sample_seed)
    )
    first = None if rows.limit is None else Message("caption", "described_first", n=rows.limit)
    return joined([first, drawn], "sentences") or None


def _documents(
    paths: Sequence[Path], kb: str | None, notes: Console, *, tokens: bool, quiet: bool
) -> DocumentFigures | None:
    """Return the figures of the documents; None without any."""
    if kb is not None:
        stored = (Document(each.text, each.source, each.digest) for each in asyncio.run(documents_in(kb)))
        return describe_documents(stored, tokens=tokens)
    if not paths:
        return None
    files = documents_to_read(paths)
    with DrawnLine(notes, Message("progress", "files"), len(files), quiet=quiet) as line, Reader() as reader:
        return describe_documents(_read(files, reader, line), tokens=tokens)


def _read(files: Sequence[FoundFile | Unread], reader: Reader, line: DrawnLine) -> Iterator[Document | Unread]:
    for number, file in enumerate(files, 1):
        yield reader.read(file) if isinstance(file, FoundFile) else file
        line.draw(number, lambda: None)
