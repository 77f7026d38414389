"""Reading samples one at a time; unusable rows are yielded too, with place and reason."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from saiten.data.columns import SAMPLE_COLUMNS, Columns
from saiten.data.formats import read_rows
from saiten.data.guessed_names import ROW_NUMBERS
from saiten.data.objects.answered import Answered
from saiten.data.opening import Source, name_of
from saiten.data.rows import BadRow, RawRow, converted
from saiten.data.several_answers import spread_rows, wanted_by
from saiten.data.traces.kept import trace_from_json
from saiten.data.traces.reading import TRACE_FORMATS, with_traces_as_rows
from saiten.data.values import as_language, as_references, as_text, as_texts
from saiten.digests import Digests, digest_here
from saiten.records import Language, Sample

_LOG = logging.getLogger(__name__)
_READERS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("id", "question", "answer", "group", "system"), as_text),
    **dict.fromkeys(("contexts", "evidence"), as_texts),
    **dict.fromkeys(("reference", "alternatives"), as_references),
    "language": as_language,
}

WISHED = ("reference", "contexts", "answer", "question")
"""Fields that metrics commonly need."""
QUESTIONS = ("reference", "question")
"""Fields that are needed where the answers are still to come."""


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

    A row without an id gets `row-N`, with the N used in messages (its line in JSON lines, its spreadsheet row in CSV
    and workbooks, else its position). Rows inserted before it change it, which a run on disk refuses. A duplicate id
    makes the later row a `BadRow`, unless the id only numbers the rows (`No`): that row gets `row-N`, too. The files of
    a pattern are one input, in the order of their names; such ids then begin with the file's path below the folder
    where the pattern begins (`2024/a.jsonl:row-1`).

    Numbers become text as written. In CSV, which has no nulls, an empty answer cell is an empty answer, and any other
    empty cell is *not given*. Several references become the reference and its alternatives.

    Traces of observability tools, recognized by their first row, are one sample each; their spans may be anywhere in
    the source, all files of a pattern included, and about 512 MiB of them are held at most.

    Args:
        source: A path (JSONL, JSON, CSV, TSV, Excel, Parquet; a folder by `save_to_disk`), a pattern of
            paths (`logs/*.jsonl`), an address that fsspec reads (`s3://bucket/day/*.parquet`), `-`, an open file, or
            rows in memory, such as `frame.to_dict('records')`.
        columns: Field → column, for unrecognized names; dots lead into objects (`outputs.text`).
        format: One of `formats.FORMATS`, if neither suffix nor content shows it, or one of `reading.TRACE_FORMATS`.
        detect_language: Called with the texts of a row that does not give its language.
        language: Overrides the language of all rows.
        option: The command-line option for columns, for messages.
        wished: Fields that the caller uses; if one is missing, columns that may contain it are reported. With `answer`,
            a row that has the answers of several systems becomes a sample for each.
        notify: Receives notes for the user: a rare encoding, a skipped column.

    Raises:
        BadInput: on the first `next`: no such file, no known format, no column for question or answer.
        ConfigurationError: an unknown field or format, or pyarrow is missing.
    """
    fields = Columns(SAMPLE_COLUMNS, columns, option=option)
    name = name_of(source)
    traces = format if format in TRACE_FORMATS else None
    rows = read_rows(source, None if traces else format, wanted=wanted_by(fields), notify=notify)
    rows = with_traces_as_rows(rows, name, notify, expected=traces)
    if "answer" in wished:
        rows = spread_rows(rows, fields, notify)
    checked = fields.checked(rows, name, ("question", "answer"), notify, wished)
    ids = Digests()
    yield from samples_of(checked, fields, detect_language, language, lambda one: ids.put(digest_here(one)) is None)


def samples_of(
    rows: Iterable[RawRow | BadRow],
    columns: Columns,
    detect: Callable[..., Language],
    language: Language | None,
    is_new: Callable[[str], bool],
) -> Iterator[Sample | BadRow]:
    """Make a sample of each row; one whose id is not new is a `BadRow`.

    `is_new` is asked once for each usable row, in order. Digests of 8 bytes suffice for it: of 10 million ids, two
    collide in one of 400,000 inputs.
    """

    def made(row: RawRow) -> Sample:
        sample = _sample(row, columns, detect, language)
        if not is_new(sample.id):
            if _numbers_rows(row, columns) and is_new(place := _place_id(row)):
                return replace(sample, id=place)
            hint = f", for example {sample.id}/{sample.system}" if sample.system else ""
            raise ValueError(f"an earlier row has the id {sample.id!r} too; every answer needs its own{hint}")
        return sample

    return converted(rows, made)


def _sample(row: RawRow, columns: Columns, detect: Callable[..., Language], language: Language | None) -> Sample:
    given: dict[str, Any] = {}
    found = columns.find_all(row.fields)
    answer = found.get("answer")
    if isinstance(answer, Answered):
        found = answer.beside(found)
    for field, value in found.items():
        if (not row.typed and value == "" and field != "answer") or (field == "language" and language):
            continue
        try:
            given[field] = _READERS[field](value)
        except ValueError as error:
            raise ValueError(f"{field}: {error}") from error
    question, answer = given.get("question"), given.get("answer")
    if not question and (answer is None or not (row.typed or answer.strip())):
        raise ValueError("neither question nor answer")
    references = given.get("reference") or ()
    reference, *others = references or (None,)
    spoken = language or given.get("language")
    return Sample(
        _id(row, given, columns),
        question or "",
        answer,
        given.get("contexts"),
        reference,
        (*others, *(given.get("alternatives") or ())),
        given.get("evidence"),
        given.get("group") or None,
        given.get("system") or None,
        spoken or detect(*(text for text in (question, answer, *references) if text)),
        trace_from_json(row.fields.get("trace")),
    )


def _id(row: RawRow, given: Mapping[str, Any], columns: Columns) -> str:
    """Return the id; the system is part of it if systems share a row of the file, or the number of a question."""
    found = given.get("id")
    if not found:
        return _place_id(row)
    if row.system:
        return f"{found}/{row.system}"
    return f"{found}/{given['system']}" if given.get("system") and _numbers_rows(row, columns) else found


def _place_id(row: RawRow) -> str:
    place = f"{row.prefix}row-{row.number}"
    return f"{place}/{row.system}" if row.system else place


def _numbers_rows(row: RawRow, columns: Columns) -> bool:
    return columns.source_of(row.fields, "id") in ROW_NUMBERS
