"""Reading samples one at a time; unusable rows are yielded too, with place and reason."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from saiten.data.columns import SAMPLE_COLUMNS, Columns
from saiten.data.files import DataFile, files_at
from saiten.data.formats import read_rows
from saiten.data.opening import Source, name_of
from saiten.data.rows import BadRow, RawRow, converted
from saiten.data.values import as_language, as_references, as_text, as_texts
from saiten.digests import Digests, digest_here
from saiten.records import Language, Sample
from saiten.redaction import redact

_LOG = logging.getLogger(__name__)
_READERS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("id", "question", "answer", "group", "system"), as_text),
    **dict.fromkeys(("contexts", "evidence"), as_texts),
    **dict.fromkeys(("reference", "alternatives"), as_references),
    "language": as_language,
}

WISHED = ("reference", "contexts", "answer", "question")
"""Fields that metrics commonly need."""


def read_samples(
    source: Source,
    *,
    columns: Mapping[str, str] = {},
    format: str | None = None,  # noqa: A002 - the word that the command line has
    detect_language: Callable[..., Language],
    language: Language | None = None,
    option: str = "--column",
    wished: Sequence[str] = WISHED,
    notify: Callable[[str], None] = _LOG.warning,
) -> Iterator[Sample | BadRow]:
    """Yield the samples of a source lazily; memory is about 20 bytes per id.

    A row without an id gets `row-N`, with the N used in messages (its line in JSON lines, its spreadsheet row in CSV,
    else its position). Rows inserted before it change it, which a run on disk refuses. A duplicate id makes the later
    row a `BadRow`.

    Numbers become text as written. In CSV, which has no nulls, an empty answer cell is an empty answer, and any other
    empty cell is *not given*. Several references become the reference and its alternatives.

    Args:
        source: A path (JSONL, JSON, CSV, TSV, Parquet, gzipped or not; a folder by `save_to_disk`), a pattern
            (`logs/*.jsonl`), an address (`s3://…`), `-`, an open file, or rows in memory, such as
            `frame.to_dict('records')`. Of several files, generated ids begin with the file: `logs/a.jsonl:row-1`.
        columns: Field → column, for unrecognized names; dots lead into objects (`outputs.text`).
        format: One of `formats.FORMATS`, if neither suffix nor content shows it.
        detect_language: Called with the texts of a row that does not give its language.
        language: Overrides the language of all rows.
        option: The command-line option for columns, for messages.
        wished: Fields that the caller uses; if one is missing, columns that may contain it are reported.
        notify: Receives notes for the user: a rare encoding, a skipped column.

    Raises:
        BadInput: on the first `next`: no such file, no known format, no column for question or answer.
        ConfigurationError: an unknown field or format, or pyarrow is missing.
    """
    fields = Columns(SAMPLE_COLUMNS, columns, option=option)
    if isinstance(source, str | Path) and source != "-":
        rows, name = _rows_at(source, format, fields, notify)
    else:
        rows, name = read_rows(source, format, wanted=fields.wanted, notify=notify), name_of(source)
    checked = fields.checked(rows, name, ("question", "answer"), notify, wished)
    ids = Digests()
    yield from converted(checked, lambda row: sample_of(row, fields, detect_language, language, ids))


def _rows_at(
    source: Path | str, file_format: str | None, fields: Columns, notify: Callable[[str], None]
) -> tuple[Iterator[RawRow | BadRow], str]:
    """Return the rows of all files at the source, one after another, and its name for messages."""
    files = files_at(source)
    each = (
        before_ids(read_rows(file.path, file_format, wanted=fields.wanted, notify=notify, name=file.name), file)
        for file in files
    )
    return chain.from_iterable(each), files[0].name if len(files) == 1 else redact(str(source))


def before_ids(rows: Iterator[RawRow | BadRow], file: DataFile) -> Iterator[RawRow | BadRow]:
    """Let the generated ids of the rows begin with their file, if there are others."""
    if not file.before_ids:
        return rows
    return (replace(row, before_id=file.before_ids) if isinstance(row, RawRow) else row for row in rows)


def sample_of(
    row: RawRow, columns: Columns, detect: Callable[..., Language], language: Language | None, ids: Digests
) -> Sample:
    """Return the sample in a row; raises ValueError with the reason if it cannot be used, or its id is in `ids`."""
    given: dict[str, Any] = {}
    for field, value in columns.find_all(row.fields).items():
        if (not row.typed and value == "" and field != "answer") or (field == "language" and language):
            continue
        try:
            given[field] = _READERS[field](value)
        except ValueError as error:
            raise ValueError(f"{field}: {error}") from error
    question, answer = given.get("question"), given.get("answer")
    if not question and answer is None:
        raise ValueError("neither question nor answer")
    references = given.get("reference") or ()
    reference, *others = references or (None,)
    spoken = language or given.get("language")
    sample = Sample(
        given.get("id") or f"{row.before_id}row-{row.number}",
        question or "",
        answer,
        given.get("contexts"),
        reference,
        (*others, *(given.get("alternatives") or ())),
        given.get("evidence"),
        given.get("group") or None,
        given.get("system") or None,
        spoken or detect(*(text for text in (question, answer, *references) if text)),
    )
    _check_new(sample, ids)
    return sample


def _check_new(sample: Sample, ids: Digests) -> None:
    """Add the sample's id as 8-byte digest (with 10 million ids, a false alarm is 1 in 400,000); raises ValueError."""
    if ids.put(digest_here(sample.id)) is not None:
        raise repeated_id(sample)


def repeated_id(sample: Sample) -> ValueError:
    """Return the error of a row whose id an earlier one has."""
    hint = f", for example {sample.id}/{sample.system}" if sample.system else ""
    return ValueError(f"an earlier row has the id {sample.id!r} too; every answer needs its own{hint}")
