"""The data of `saiten annotate`: importing answers, exporting labels."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from rich.console import Console

from saiten.annotation.forms import Form
from saiten.annotation.prelabels import read_prelabels
from saiten.annotation.records import Json, NewItem
from saiten.annotation.store.items import add_items, add_prelabels
from saiten.annotation.store.progress import item_counts
from saiten.annotation.store.project import Project
from saiten.cli.data_source import DataSource
from saiten.cli.output import escape_untrusted, notifier
from saiten.cli.progress import DrawnLine
from saiten.data import BadRow
from saiten.durable.whole_file import whole_file, writing_to
from saiten.errors import BadInput
from saiten.records import Sample
from saiten.words import Message

_LONGEST_ID = 1_000
_NAMED = 80
"""Maximum characters of an id in a message."""


def fill(project: Project, form: Form, source: DataSource, prelabels: Path | None, notes: Console) -> None:
    """Import the answers, and a judge's prelabels, into the database."""
    judged = None if prelabels is None else read_prelabels(prelabels, notify=notifier(notes))
    beforehand: list[tuple[str, str, Json]] = []
    with DrawnLine(notes, Message("progress", "answers"), source.count(), quiet=False) as line:

        def items() -> Iterator[NewItem]:
            rows = source.peeked(notifier(notes))
            for item in form.items(_usable(rows, form.title, line, strict=source.settings.strict)):
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


def _usable(rows: Iterator[Sample | BadRow], form: str, line: DrawnLine, *, strict: bool) -> Iterator[Sample]:
    """Yield the samples with the fields that the form shows; skip and report the others."""
    left_out = 0
    for number, row in enumerate(rows, 1):
        why = _lacking(row, form)
        if why is None and isinstance(row, Sample):
            line.draw(number, lambda: None)
            yield row
            continue
        where, reason = (
            (row.where, row.reason) if isinstance(row, BadRow) else (f"sample {row.id[:_NAMED]!r}", why or "")
        )
        if strict:
            raise BadInput(f"{where}: {reason}")
        left_out += 1
        line.name(left_out, Message("progress", "left_out"), where, reason)


def _lacking(row: Sample | BadRow, form: str) -> str | None:
    if isinstance(row, BadRow) or row.answer is None:
        return "it has no answer; collect answers with `saiten answer`, or name their column: --column answer=COLUMN"
    if not _is_text(row):
        return "it contains half of a character (a lone surrogate), which a database cannot store"
    if "\0" in row.id or len(row.id) > _LONGEST_ID:
        return f"its id contains a zero character or has more than {_LONGEST_ID:,} characters"
    if form == "gist" and not (row.reference or "").strip():
        return "it has no reference, whose units are to be marked"
    return None


def _is_text(sample: Sample) -> bool:
    texts = (sample.id, sample.question, sample.answer or "", *sample.references, *(sample.contexts or ()))
    try:
        "".join(texts).encode()
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
    with writing_to(file, "name another with --export"), whole_file(file) as stream:
        return _write_to(stream, lines)


def _write_to(stream: IO[bytes], lines: Iterator[bytes]) -> int:
    written = 0
    for written, line in enumerate(lines, 1):  # noqa: B007 - the last one counts
        stream.write(line)
    return written
