"""Samples out of rows, one at a time; what cannot be used is handed out beside them with its place and reason."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from saiten.data.columns import MISSING, SAMPLE_COLUMNS, Columns
from saiten.data.formats import read_rows
from saiten.data.opening import Source, name_of
from saiten.data.rows import BadRow, Row, bad_row
from saiten.data.values import as_language, as_references, as_text, as_texts
from saiten.records import Language, Sample

_LOG = logging.getLogger(__name__)
_WISHED = ("reference", "contexts", "answer", "question")
"""What metrics commonly need."""


def read_samples(
    source: Source,
    *,
    columns: Mapping[str, str] = {},
    format: str | None = None,  # noqa: A002 - the word that the command line has
    detect_language: Callable[..., Language],
    language: Language | None = None,
    option: str = "--column",
    wished: Sequence[str] = _WISHED,
    tell: Callable[[str], None] = _LOG.warning,
) -> Iterator[Sample | BadRow]:
    """The samples of a source, read as they are asked for; memory stays small: about 80 bytes an id.

    A row without an id is called `row-N`, N being the number that messages name it by (its line in JSON lines, its row
    as a spreadsheet counts in CSV, else its position): the same in every run over the same file, whatever the other
    rows hold, and easy to find. Rows put *before* it change it; a run on disk notices that the content differs and
    refuses. An id that stood in an earlier row makes a `BadRow` of the later one.

    Numbers become text as they are written. A null is None, an empty string stays one; CSV has no nulls, so there an
    empty cell of the answer is an empty answer and an empty cell elsewhere is *not given*. Several references become
    the reference and its alternatives.

    Args:
        source: A path (JSONL, JSON, CSV, TSV, Parquet, gzipped or not; a folder by `save_to_disk`), `-`, an
            open file, or rows that are in memory already, such as `frame.to_dict('records')`.
        columns: Field → column, where the names are not recognised; dots lead into objects (`outputs.text`).
        format: One of `formats.FORMATS`, where neither ending nor content tells.
        detect_language: Is asked with the texts of a row that does not name its language.
        language: Of all rows, whatever they say.
        option: The option of the command line that columns are named with, for messages.
        wished: Fields that the caller uses; where one is not found, columns that may be meant are told.
        tell: Is told what the user should know: a rare encoding, a column left aside.

    Raises:
        BadInput: with the first `next`: no such file, no known format, no column for question or answer.
        ConfigurationError: an unknown field or format, or pyarrow is missing.
    """
    fields = Columns(SAMPLE_COLUMNS, columns, option=option)
    name = name_of(source)
    rows = read_rows(source, format, wanted=fields.wanted, tell=tell)
    seen = _Seen()
    for row in fields.checked(rows, name, ("question", "answer"), tell, wished):
        if isinstance(row, BadRow):
            yield row
            continue
        try:
            sample = _sample(row, fields, detect_language, language)
            seen.add(sample)
        except ValueError as error:
            yield bad_row(row.where, str(error), row.fields)
        else:
            yield sample


def _sample(row: Row, columns: Columns, detect: Callable[..., Language], language: Language | None) -> Sample:
    def read(field: str, reader: Callable[[Any], Any]) -> Any:
        value = columns.find(row.fields, field)
        try:
            not_given = value is MISSING or (not row.typed and value == "" and field != "answer")
            return None if not_given else reader(value)
        except ValueError as error:
            raise ValueError(f"{field}: {error}") from error

    question, answer = read("question", as_text), read("answer", as_text)
    if not question and answer is None:
        raise ValueError("neither question nor answer")
    references = read("reference", as_references) or ()
    alternatives = read("alternatives", as_references) or ()
    reference, *others = references or (None,)
    spoken = language or read("language", as_language)
    return Sample(
        id=read("id", as_text) or f"row-{row.number}",
        question=question or "",
        answer=answer,
        contexts=read("contexts", as_texts),
        reference=reference,
        alternatives=(*others, *alternatives),
        evidence=read("evidence", as_texts),
        group=read("group", as_text) or None,
        system=read("system", as_text) or None,
        language=spoken or detect(*(text for text in (question, answer, *references) if text)),
    )


class _Seen:
    """The ids so far, as 8-byte digests: by 10 million ids, a false alarm has a chance of 1 in 400,000."""

    def __init__(self) -> None:
        self._digests: set[int] = set()

    def add(self, sample: Sample) -> None:
        digest = int.from_bytes(blake2b(sample.id.encode(), digest_size=8).digest(), "big")
        if digest in self._digests:
            hint = f", for example {sample.id}/{sample.system}" if sample.system else ""
            raise ValueError(f"the id {sample.id!r} stood in an earlier row; every answer needs its own{hint}")
        self._digests.add(digest)
