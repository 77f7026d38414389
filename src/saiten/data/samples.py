"""Reading samples one at a time; unusable rows are yielded too, with place and reason."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple, Self

from saiten.data.chat_logs import ChatNotes, ChatUse
from saiten.data.columns import MESSAGE_COLUMNS, SAMPLE_COLUMNS, Columns
from saiten.data.formats import read_rows
from saiten.data.message_rows import are_messages, columns_of_messages, conversations_in, peeked
from saiten.data.opening import Source, name_of
from saiten.data.row_samples import RowSamples, place_id
from saiten.data.rows import BadRow, RawRow, bad_row
from saiten.data.several_answers import is_one_of_several, spread_rows
from saiten.data.traces.reading import TRACE_FORMATS, with_traces_as_rows
from saiten.digests import Digests, digest_here
from saiten.errors import ConfigurationError
from saiten.records import Language, Sample

_LOG = logging.getLogger(__name__)
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
    chats: ChatUse = "answers",
    limit: int | None = None,
    notify: Callable[[str], None] = _LOG.warning,
    row_read: Callable[[], object] | None = None,
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

    Each answer of a conversation in `messages` is a sample of its own, `ID/turn-1`, `ID/turn-2`, …, with what was said
    before as its history. A log with one row per message is held in memory, up to 256 million characters.

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
        chats: What a conversation becomes: a sample per answer; a sample per question, answered or not; or one sample
            with its first question, and with all its turns as the history, or without any (`openings`).
        limit: Maximum number of rows; a conversation is one, and the answers of each system are.
        notify: Receives notes for the user: a rare encoding, a skipped column.
        row_read: Called for each row of the source, which may make several samples, one, or a part of one.

    Raises:
        BadInput: on the first `next`: no such file, no known format, no column for question or answer.
        ConfigurationError: an unknown field or format, or pyarrow is missing.
    """
    name, mine = name_of(source), SampleColumns.of(columns, option)
    traces = format if format in TRACE_FORMATS else None
    rows = read_rows(source, None if traces else format, wanted=mine.wanted, notify=notify)
    if row_read is not None:
        rows = _counted(rows, row_read)
    rows = with_traces_as_rows(rows, name, notify, expected=traces)
    make = RowSamples(mine.fields, detect_language, language, chats, ChatNotes())
    yield from samples_in(rows, name, mine, make, wished=wished, limit=limit, notify=notify)


def _counted(rows: Iterable[RawRow | BadRow], row_read: Callable[[], object]) -> Iterator[RawRow | BadRow]:
    for row in rows:
        row_read()
        yield row


class SampleColumns(NamedTuple):
    """The columns of samples, however the rows have them."""

    fields: Columns
    """Of rows that are samples, have the answers of several systems, or are conversations."""
    messages: Columns
    """Of rows that are messages."""
    is_by_message: bool
    """Whether the user named the column of a message's role."""

    @classmethod
    def of(cls, chosen: Mapping[str, str], option: str = "--column") -> Self:
        """Return the columns for the user's choices, field → column.

        Raises:
            ConfigurationError: there is no such field.
        """
        alone = set(MESSAGE_COLUMNS) - set(SAMPLE_COLUMNS)
        unknown = sorted(set(chosen) - set(SAMPLE_COLUMNS) - alone)
        if unknown:
            known = ", ".join([*SAMPLE_COLUMNS, *sorted(alone)])
            raise ConfigurationError(f"there is no field {unknown[0]!r} to name a column for; fields: {known}")
        of_samples = {field: column for field, column in chosen.items() if field not in alone}
        fields = Columns(SAMPLE_COLUMNS, of_samples, option=option)
        return cls(fields, columns_of_messages(chosen, option), "role" in chosen)

    def wanted(self, column: str) -> bool:
        """Return whether the column may be needed."""
        return self.fields.wanted(column) or is_one_of_several(column) or self.messages.wanted(column)

    def are_messages(self, first: RawRow | None) -> bool:
        """Return whether the rows are messages, judging by the first one."""
        return self.is_by_message or (first is not None and are_messages(first, self.fields, self.messages))


def samples_in(
    rows: Iterator[RawRow | BadRow],
    name: str,
    columns: SampleColumns,
    make: RowSamples,
    *,
    wished: Sequence[str] = WISHED,
    limit: int | None = None,
    notify: Callable[[str], None],
) -> Iterator[Sample | BadRow]:
    """Yield the samples of rows from one source, as `read_samples` does."""
    first, rows = peeked(rows)
    if columns.are_messages(first):
        said = columns.messages.checked(rows, name, ("role",), notify)
        checked = conversations_in(said, columns.messages, name, notify)
        make = replace(make, columns=Columns(SAMPLE_COLUMNS, {}))
    else:
        if "answer" in wished:
            rows = spread_rows(rows, columns.fields, notify)
        checked = columns.fields.checked(rows, name, ("question", "answer", "messages"), notify, wished)
    ids = Digests()
    yield from samples_of(islice(checked, limit), make, lambda one: ids.put(digest_here(one)) is None)
    make.notes.tell(name, notify)


def samples_of(
    rows: Iterable[RawRow | BadRow], make: RowSamples, is_new: Callable[[str], bool]
) -> Iterator[Sample | BadRow]:
    """Yield the samples of each row; one whose ids are not new is a `BadRow`.

    `is_new` is asked once for each id of a usable row, in order. Digests of 8 bytes suffice for it: of 10 million ids,
    two collide in one of 400,000 inputs.
    """
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        try:
            made = [_new(sample, row, make, is_new) for sample in make(row)]
        except ValueError as error:
            yield bad_row(row.where, str(error), row.fields)
        else:
            yield from made


def _new(sample: Sample, row: RawRow, make: RowSamples, is_new: Callable[[str], bool]) -> Sample:
    """Return the sample, named by its place if its id only numbers the rows; raises ValueError for a repeated id."""
    if is_new(sample.id):
        return sample
    if sample.conversation is None and make.numbers_rows(row) and is_new(place := place_id(row)):
        return replace(sample, id=place)
    hint = f", for example {sample.id}/{sample.system}" if sample.system and sample.conversation is None else ""
    raise ValueError(f"an earlier row has the id {sample.id!r} too; every answer needs its own{hint}")
