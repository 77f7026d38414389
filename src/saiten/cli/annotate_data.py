"""The data of `saiten annotate`: importing answers or questions, exporting labels."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import IO

from rich.console import Console

from saiten.annotation.forms import Form
from saiten.annotation.forms.form import Row, sample_of
from saiten.annotation.prelabels import read_prelabels
from saiten.annotation.records import Json, NewItem
from saiten.annotation.store.items import add_items, add_prelabels
from saiten.annotation.store.progress import item_counts
from saiten.annotation.store.project import Project
from saiten.cli.data_source import DataSource
from saiten.cli.output import escape_untrusted, notifier
from saiten.cli.progress import DrawnLine
from saiten.data import BadRow
from saiten.data.samples import QUESTIONS
from saiten.durable.whole_file import whole_file, writing_to
from saiten.errors import BadInput, ConfigurationError
from saiten.testsets.items import SetItem
from saiten.testsets.reading import file_of_set, is_set, read_items
from saiten.words import Message

_LONGEST_ID = 1_000
_NAMED = 80
"""Maximum characters of an id in a message."""


def fill(project: Project, form: Form, source: DataSource, prelabels: Path | None, notes: Console) -> None:
    """Import the answers or questions, and a judge's prelabels, into the database."""
    judged = None if prelabels is None else read_prelabels(prelabels, notify=notifier(notes))
    beforehand: list[tuple[str, str, Json]] = []
    source = _as_read(source, form)
    with DrawnLine(notes, Message("progress", form.reads), source.count(), quiet=False) as line:

        def items() -> Iterator[NewItem]:
            rows = _rows(source, form, notifier(notes))
            for item in form.items(_usable(rows, form, line, strict=source.settings.strict)):
                payload = judged.payload(form, item) if judged else None
                if judged and payload is not None:
                    beforehand.append((item.key, judged.source, payload))
                yield item

        try:
            added = add_items(project, items())
        except BadInput as error:
            raise BadInput(f"{source.path}: {error}") from error
    total = item_counts(project).total
    if not total:
        raise BadInput(f"{source.path} has no row that can be annotated")
    if added:
        notes.print(f"{added} items were added")
    if judged:
        add_prelabels(project, beforehand)
        notes.print(f"{len(beforehand)} of {total} items have pre-labels of {escape_untrusted(judged.source)}")


def _as_read(source: DataSource, form: Form) -> DataSource:
    """Return the source as the form reads it: questions may be those of a test set, in its folder or not.

    Raises:
        BadInput: the folder has no test set.
        ConfigurationError: an option was typed that a test set does not need.
    """
    if form.reads == "answers":
        return source
    how, path = source.settings, Path(source.path)
    if _has_set(path):
        given = {"column": how.column, "data-format": how.data_format, "language": how.language, "sample": how.sample}
        if wrong := next((name for name, value in given.items() if value), None):
            raise ConfigurationError(
                f"--{wrong} is for files from elsewhere; {path} is a test set of saiten, which is read as it is"
            )
    file = str(file_of_set(path)) if path.is_dir() else source.path
    return replace(source, path=file, wished=QUESTIONS, chats="questions")


def _has_set(path: Path) -> bool:
    return path.exists() and is_set(file_of_set(path))


def _rows(source: DataSource, form: Form, notify: Callable[[str], None]) -> Iterator[Row | BadRow]:
    """Yield answers, or questions with what a test set knows about them."""
    path = Path(source.path)
    if form.reads == "answers" or not _has_set(path):
        return source.peeked(notify)
    return islice(read_items(path, notify=notify), source.settings.limit)


def _usable(rows: Iterator[Row | BadRow], form: Form, line: DrawnLine, *, strict: bool) -> Iterator[Row]:
    """Yield the rows with the fields that the form needs; skip and report the others."""
    left_out = 0
    for number, row in enumerate(rows, 1):
        if isinstance(row, BadRow):
            where, why = row.where, row.reason
        else:
            where, why = f"sample {row.id[:_NAMED]!r}", _lacking(row, form)
            if not why:
                line.draw(number, lambda: None)
                yield row
                continue
        if strict:
            raise BadInput(f"{where}: {why}")
        left_out += 1
        line.name(left_out, Message("progress", "left_out"), where, why)


def _lacking(row: Row, form: Form) -> str:
    """Return why a row cannot be annotated; "" if it can."""
    sample = sample_of(row)
    if "answer" in form.needs and sample.answer is None:
        return "it has no answer; collect answers with `saiten answer`, or name their column: --column answer=COLUMN"
    if "question" in form.needs and not sample.question.strip():
        return "it has no question; name the column: --column question=COLUMN"
    if not _is_text(row):
        return "it contains half of a character (a lone surrogate), which a database cannot store"
    if "\0" in row.id or len(row.id) > _LONGEST_ID:
        return f"its id contains a zero character or has more than {_LONGEST_ID:,} characters"
    if "reference" in form.needs and not (sample.reference or "").strip():
        return "it has no reference, whose units are to be marked"
    return ""


def _is_text(row: Row) -> bool:
    sample = sample_of(row)
    said = (text for turn in sample.history for text in (turn.question, turn.answer))
    texts = (sample.id, sample.question, sample.answer or "", *sample.references, *(sample.contexts or ()), *said)
    passages = row.passages if isinstance(row, SetItem) else ()
    try:
        "".join((*texts, *(text for each in passages for text in (each.text, each.source)))).encode()
    except UnicodeEncodeError:
        return False
    return True


def write_labels(file: Path, lines: Iterator[bytes]) -> int:
    """Write the labels to standard output or, atomically, to a file; return their number.

    Pipes and devices are written to, not replaced.
    """
    if str(file) == "-":
        written = _write_to(sys.stdout.buffer, lines)
        sys.stdout.buffer.flush()
        return written
    with writing_to(file, "name another with --export"), whole_file(file, shared=True) as stream:
        return _write_to(stream, lines)


def _write_to(stream: IO[bytes], lines: Iterator[bytes]) -> int:
    written = 0
    for written, line in enumerate(lines, 1):  # noqa: B007 - the last one counts
        stream.write(line)
    return written
