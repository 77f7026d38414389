"""The rows of one shard, as in the whole input: same ids, places and bad rows, also for ids that appeared before."""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Any

from saiten.data.arrow_rows import read_parquet
from saiten.data.chat_logs import ChatNotes, ChatUse
from saiten.data.columns import Columns
from saiten.data.formats import rows_of_file
from saiten.data.json_rows import read_lines
from saiten.data.message_rows import peeked
from saiten.data.opening import opened_between
from saiten.data.row_samples import RowSamples
from saiten.data.rows import BadRow, RawRow, prefixed
from saiten.data.samples import SampleColumns, samples_of
from saiten.data.several_answers import spread_rows
from saiten.data.shards import Shard
from saiten.data.traces.reading import is_trace, no_shards
from saiten.digests import Digests, digest_here
from saiten.errors import BadInput
from saiten.records import Language, Sample


def read_shard(
    shard: Shard,
    *,
    columns: Mapping[str, str] = {},
    detect_language: Callable[..., Language],
    language: Language | None = None,
    notify: Callable[[str], None],
    refused: frozenset[int] = frozenset(),
    answers: bool = True,
    chats: ChatUse = "answers",
) -> Iterator[Sample | BadRow]:
    """Yield what `read_samples` of the whole input yields for this part.

    Whether the columns exist is not checked, since a part may lack those that rows elsewhere have: read the first row
    of the whole input once.

    Args:
        shard: The part, numbered.
        columns: As for `read_samples`, like `detect_language`, `language` and `notify`.
        detect_language: Called with the texts of a row that does not give its language.
        language: Overrides the language of all rows.
        notify: Receives notes for the user.
        refused: The shard's entry of `repeated`: ids that an earlier shard has.
        answers: Whether a row with the answers of several systems is a sample for each.
        chats: As for `read_samples`.

    Raises:
        BadInput: the file cannot be read, has become shorter, or is a chat log with one row per message.
        ConfigurationError: it has traces.
        ValueError: the shard is not numbered.
    """
    ids, notes = Digests(), ChatNotes()

    def is_new(one: str) -> bool:
        return not (refused and digest_anywhere(one) in refused) and ids.put(digest_here(one)) is None

    rows, fields = _checked(shard, columns, notify, answers=answers)
    yield from samples_of(rows, RowSamples(fields, detect_language, language, chats, notes), is_new)
    notes.tell(shard.name, notify)


def ids_of(
    shard: Shard,
    *,
    columns: Mapping[str, str] = {},
    language: Language | None = None,
    answers: bool = True,
    chats: ChatUse = "answers",
) -> "array[int]":
    """Return the digest of the id of each usable row, repeated ones included; the settings are as for `read_shard`."""
    found = array("Q")

    def is_new(one: str) -> bool:
        found.append(digest_anywhere(one))
        return True

    rows, fields = _checked(shard, columns, lambda _: None, answers=answers)
    for _ in samples_of(rows, RowSamples(fields, lambda *_: "en", language, chats, ChatNotes()), is_new):
        pass
    return found


def repeated(ids: "Sequence[array[int]]") -> tuple[frozenset[int], ...]:
    """Return for each shard those of its ids that an earlier one has; memory is 16 bytes per id.

    Of a billion ids, two different ones have the same digest in one of 40 inputs; the later row is then a bad row.
    """
    import numpy as np  # noqa: PLC0415 - takes a tenth of a second, and most commands read without it

    each = [np.unique(np.frombuffer(one, np.uint64)) for one in ids]
    every = np.concatenate(each) if each else np.empty(0, np.uint64)
    every.sort()
    several = np.unique(every[1:][every[1:] == every[:-1]])
    seen = np.zeros(len(several), bool)
    found: list[frozenset[int]] = []
    for one in each:
        at = np.flatnonzero(np.isin(several, one, assume_unique=True))
        found.append(frozenset(several[at[seen[at]]].tolist()))
        seen[at] = True
    return tuple(found)


def digest_anywhere(text: str) -> int:
    """Return a digest of 8 bytes, the same in every process and on every machine."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _checked(
    shard: Shard, columns: Mapping[str, str], notify: Callable[[str], None], *, answers: bool
) -> tuple[Iterator[RawRow | BadRow], Columns]:
    """Return the rows and their columns; raises BadInput for rows that are messages."""
    mine = SampleColumns.of(columns)
    first, rows = peeked(_rows(shard, mine.wanted, notify))
    if first is not None and is_trace(first.fields):  # of which other shards may have spans
        raise no_shards(shard.name)
    if mine.are_messages(first):
        raise BadInput(
            f"{shard.name} has one row per message, so that a conversation may be in several parts; write one "
            "conversation per line, or leave out --executor ray"
        )
    return spread_rows(rows, mine.fields, None) if answers else rows, mine.fields


def _rows(shard: Shard, wanted: Callable[[str], bool], notify: Callable[[str], None]) -> Iterator[RawRow | BadRow]:
    if shard.first is None:
        raise ValueError(f"the lines before {shard.name}, byte {shard.start} are not counted yet: call `numbered`")
    rows: Iterator[Any]
    if shard.groups:
        settings: Any = {"groups": shard.groups, "skip": shard.skip, "first": shard.first}
        rows = prefixed(read_parquet(shard.file.path, shard.name, wanted=wanted, **settings), shard.prefix)
    elif shard.end is not None:
        rows = prefixed(_between(shard, shard.end, shard.first), shard.prefix)
    else:
        rows = rows_of_file(shard.file, shard.format, wanted=wanted, notify=notify)
    return islice(rows, shard.rows)


def _between(shard: Shard, end: int, first: int) -> Iterator[RawRow | BadRow]:
    with opened_between(shard.path, shard.start, end) as stream:
        yield from read_lines(stream, shard.name, first)
