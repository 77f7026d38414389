"""Reading a test set: the file or folder that `saiten questions` wrote, or any file with questions and references."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from saiten.data.formats import read_rows
from saiten.data.rows import BadRow, RawRow, bad_row
from saiten.data.samples import QUESTIONS, read_samples
from saiten.errors import BadInput
from saiten.rag.knowledge.folder_engine import MANIFEST_NAME
from saiten.testsets.items import OWN, SetItem, item_from_json, item_of
from saiten.testsets.people.decided_rows import decisions_in
from saiten.text.language import detect_language

QUESTIONS_NAME, DROPPED_NAME = "questions.jsonl", "dropped.jsonl"
"""The files of a test set's folder: the items that passed all checks, and those that did not, with the reason."""

KB_NAME = "kb"
"""The knowledge base of the documents in that folder, if no other was named."""

_LOOKED_AT = 100
"""Rows in which a field of items must appear for the file to be a test set of saiten's."""


def file_of_set(path: Path) -> Path:
    """Return the file with the items: the path itself, or `questions.jsonl` in the folder of a test set.

    Raises:
        BadInput: it is a folder without a test set.
    """
    if not path.is_dir():
        return path
    if not (path / QUESTIONS_NAME).is_file():
        raise BadInput(
            f"the folder {path} has no test set: expected {QUESTIONS_NAME} in it, as `saiten questions` writes it"
        )
    return path / QUESTIONS_NAME


def kb_next_to(path: Path) -> str | None:
    """Return the knowledge base in the folder of a test set, which is given as for `file_of_set`; None without one."""
    folder = file_of_set(path).parent / KB_NAME
    return str(folder) if (folder / MANIFEST_NAME).is_file() else None


def is_set(file: Path) -> bool:
    """Return whether a file has items of a test set, with fields that samples from elsewhere lack.

    Raises:
        BadInput: there is no such file, or it is in no known format.
    """
    rows = islice(read_rows(file, None, wanted=lambda _: True, notify=lambda _: None), _LOOKED_AT)
    return any(isinstance(row, RawRow) and not row.fields.keys().isdisjoint(OWN) for row in rows)


def read_items(path: Path, *, notify: Callable[[str], None]) -> Iterator[SetItem | BadRow]:
    """Yield the items of a test set, and the rows that cannot be used, in order.

    A file from elsewhere (CSV, Excel, JSON lines of another tool) needs columns for question and reference; its
    contexts, if it has any, become the passages. In a table that saiten exported, the verdicts are read, too.

    Raises:
        BadInput: there is no such file, or it has no questions.
    """
    file = file_of_set(path)
    if is_set(file):
        rows = read_rows(file, None, wanted=lambda _: True, notify=notify)
        yield from _without_repeated_ids(map(_item, rows))
        return
    decided = decisions_in(read_rows(file, None, wanted=lambda _: True, notify=lambda _: None))
    for sample in read_samples(file, detect_language=detect_language, wished=QUESTIONS, notify=notify):
        if isinstance(sample, BadRow):
            yield sample
        elif not sample.question.strip():
            yield BadRow(f"{file.name}: {sample.id}", "there is no question in it")
        else:
            yield replace(item_of(sample), decisions=decided.get(sample.id, ()))


def items_of(path: Path, *, notify: Callable[[str], None]) -> list[SetItem]:
    """Return the items of a test set; rows that cannot be used are reported by `notify`.

    Raises:
        BadInput: there is no usable row.
    """
    items = []
    for row in read_items(path, notify=notify):
        if isinstance(row, BadRow):
            notify(f"{row.where} is skipped: {row.reason}")
        else:
            items.append(row)
    if not items:
        raise BadInput(f"{path} has no question; expected a test set, or a file with questions and references")
    return items


def _item(row: RawRow | BadRow) -> SetItem | BadRow:
    if isinstance(row, BadRow):
        return row
    try:
        return item_from_json(row.fields)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"]))
        return bad_row(row.where, f"`{place}`: {fault['msg']}", row.fields)


def _without_repeated_ids(items: Iterator[SetItem | BadRow]) -> Iterator[SetItem | BadRow]:
    seen: set[str] = set()
    for item in items:
        if isinstance(item, SetItem) and item.id in seen:
            yield BadRow(f"the item {item.id!r}", "another item has this id")
            continue
        if isinstance(item, SetItem):
            seen.add(item.id)
        yield item
