"""Inputs in shards: parts that are read separately, with the same rows, ids and places as in one reading.

JSON lines are divided at line ends, Parquet files into row groups or parts of one; all others are read as a whole.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO

from saiten.data.arrow_rows import RowGroups, read_parquet, row_groups
from saiten.data.columns import SAMPLE_COLUMNS, Columns
from saiten.data.files import DataFile, files_at, open_file, open_range, size_of
from saiten.data.formats import check_format, format_by_content, format_by_ending, read_rows
from saiten.data.json_rows import MAX_LINE, read_json_lines
from saiten.data.opening import opened
from saiten.data.rows import BadRow, RawRow, converted
from saiten.data.samples import before_ids, repeated_id, sample_of
from saiten.digests import Digests
from saiten.records import Language, Sample

_DIVISIONS = 32
"""Parts of one row group at most: each part skips the rows before it, which are decoded all the same."""
_PACKED = (b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff", b"[")
"""How files begin that are no JSON lines in UTF-8: gzip, UTF-16, a list."""
_A_LINE = 64 << 10
"""Bytes that are fetched to find the end of a line."""
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of an input, which one worker reads."""

    path: str
    """A path or an address."""
    name: str
    """What messages call the file."""
    before_ids: str
    """What generated ids begin with."""
    format: str | None
    """The format of a file that is read as a whole, as it was asked for."""
    start: int = 0
    """JSON lines: the first byte."""
    end: int | None = None
    """JSON lines: the byte after the last one; None for other formats."""
    groups: tuple[int, int] | None = None
    """Parquet: the first and the last row group."""
    skip: int = 0
    """Parquet: rows of these groups that come before."""
    first: int = 1
    """The number of the first line or row in the file."""
    rows: int | None = None
    """The number of rows, unusable ones included, if known."""

    @property
    def where(self) -> str:
        """The place, for messages."""
        if self.end is None and self.groups is None:
            return self.name
        return f"{self.name} from row {self.first}"


@dataclass(frozen=True, slots=True)
class Counted:
    """What is in a shard."""

    lines: int
    rows: int


def cut(source: Path | str, file_format: str | None, size: int) -> tuple[Shard, ...]:
    """Return the shards of an input, each of about `size` bytes; reads little more than where they begin.

    Raises:
        BadInput: a file is missing or unreadable.
        ConfigurationError: the format does not exist, or a package is missing.
    """
    check_format(file_format)
    return tuple(shard for file in files_at(source) for shard in _cut_file(file, file_format, max(size, 1)))


def _cut_file(file: DataFile, file_format: str | None, size: int) -> Iterator[Shard]:
    whole = Shard(file.path, file.name, file.before_ids, file_format)
    found = file_format or format_by_ending(file.path)
    if found is None:
        with opened(file.path) as stream:
            found = format_by_content(stream, file.name)
    if found == "parquet":
        yield from _cut_groups(replace(whole, format="parquet"), size)
    elif found == "jsonl":
        total = size_of(file.path)
        with open_file(file.path, ahead=_A_LINE) as lines:
            if lines.read(2).removeprefix(_BOM[:2])[:2].startswith(_PACKED) or not total:
                yield whole
            else:
                yield from _cut_lines(replace(whole, format="jsonl"), lines, total, size)
    else:
        yield whole


def _cut_lines(whole: Shard, file: IO[bytes], total: int, size: int) -> Iterator[Shard]:
    start = 0
    while start < total:
        end = total
        if start + size < total:
            file.seek(start + size - 1)
            end = _after_line(file, start + size - 1)
        yield replace(whole, start=start, end=end)
        start = end


def _after_line(file: IO[bytes], at: int) -> int:
    """Return the position after the line that the file is in."""
    while part := file.readline(1 << 20):
        at += len(part)
        if part.endswith(b"\n"):
            break
    return at


def _cut_groups(whole: Shard, size: int) -> Iterator[Shard]:
    number, begun, rows, bytes_ = 1, 0, 0, 0
    sizes = row_groups(whole.path, whole.name)
    for group, (group_rows, group_bytes) in enumerate(sizes):
        if rows and bytes_ + group_bytes > size:
            yield replace(whole, groups=(begun, group - 1), first=number, rows=rows)
            number, begun, rows, bytes_ = number + rows, group, 0, 0
        parts = min(_DIVISIONS, -(-group_bytes // size), group_rows)
        if not rows and parts > 1:
            for part in range(parts):
                skip, end = group_rows * part // parts, group_rows * (part + 1) // parts
                yield replace(whole, groups=(group, group), skip=skip, first=number + skip, rows=end - skip)
            number, begun = number + group_rows, group + 1
            continue
        rows, bytes_ = rows + group_rows, bytes_ + group_bytes
    if rows:
        yield replace(whole, groups=(begun, len(sizes) - 1), first=number, rows=rows)


def count_rows(shard: Shard) -> Counted | None:
    """Return the lines of a shard of JSON lines, and how many are not blank; None for a shard that is a whole file."""
    if shard.rows is not None:
        return Counted(shard.rows, shard.rows)
    if shard.end is None:
        return None
    lines = rows = 0
    with open_range(shard.path, shard.start, shard.end) as stream:
        for line in iter(lambda: stream.readline(MAX_LINE + 1), b""):
            part = line
            while not part.endswith(b"\n") and len(part) > MAX_LINE:
                part = stream.readline(MAX_LINE + 1)
            text = line.removeprefix(_BOM) if not shard.start and not lines else line
            lines += 1
            rows += bool(text.strip())
    return Counted(lines, rows)


def numbered(shards: Sequence[Shard], counts: Sequence[Counted | None], limit: int | None) -> tuple[Shard, ...]:
    """Return the shards with the numbers of their first lines and of their rows, and no more than `limit` rows.

    A whole file whose rows are unknown ends the counting: with a limit, each one after it may give that many.
    """
    made = []
    lines, path = 0, ""
    for shard, counted in zip(shards, counts, strict=True):
        if limit == 0:
            break
        lines = lines if shard.path == path else 0
        path = shard.path
        rows = limit if counted is None else counted.rows if limit is None else min(limit, counted.rows)
        made.append(replace(shard, first=shard.first if shard.end is None else lines + 1, rows=rows))
        if counted is not None:
            lines += counted.lines
            limit = None if limit is None or rows is None else limit - rows
    return tuple(made)


def read_shard(
    shard: Shard,
    *,
    columns: Mapping[str, str],
    detect_language: Callable[..., Language],
    language: Language | None,
    notify: Callable[[str], None],
    refused: frozenset[int] = frozenset(),
) -> Iterator[Sample | BadRow]:
    """Yield the shard's samples and unusable rows, as `read_samples` over the whole input does.

    Args:
        shard: From `numbered`.
        columns: As for `read_samples`.
        detect_language: As for `read_samples`.
        language: As for `read_samples`.
        notify: Receives notes for the user.
        refused: From `repeated`: the ids that an earlier shard has.
    """
    fields = Columns(SAMPLE_COLUMNS, columns)
    ids = Digests()

    def made(row: RawRow) -> Sample:
        sample = sample_of(row, fields, detect_language, language, ids)
        if refused and stable_digest(sample.id) in refused:
            raise repeated_id(sample)
        return sample

    rows = before_ids(_raw(shard, fields, notify), DataFile(shard.path, shard.name, shard.before_ids))
    return islice(converted(rows, made), shard.rows)


def _raw(shard: Shard, fields: Columns, notify: Callable[[str], None]) -> Iterator[RawRow | BadRow]:
    if shard.groups is not None:
        part = RowGroups(*shard.groups, shard.skip, shard.rows, shard.first)
        yield from read_parquet(shard.path, shard.name, wanted=fields.wanted, part=part)
    elif shard.end is not None:
        with open_range(shard.path, shard.start, shard.end) as lines:
            yield from read_json_lines(lines, shard.name, shard.first)
    else:
        yield from read_rows(shard.path, shard.format, wanted=fields.wanted, notify=notify, name=shard.name)


def stable_digest(identity: str) -> int:
    """Return a digest of 8 bytes, the same in every process."""
    return int.from_bytes(blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def ids_of(shard: Shard, columns: Mapping[str, str], language: Language | None) -> "array[int]":
    """Return the digest of the id of each usable row."""
    rows = read_shard(shard, columns=columns, detect_language=_any_language, language=language, notify=lambda _: None)
    return array("Q", (stable_digest(row.id) for row in rows if isinstance(row, Sample)))


def _any_language(*texts: str) -> Language:
    return "en"


def repeated(ids: Sequence["array[int]"]) -> tuple[frozenset[int], ...]:
    """Return for each shard, in the input's order, the ids in it that an earlier one has; 24 bytes per id meanwhile."""
    import numpy as np  # noqa: PLC0415 - loaded only for runs in shards

    every = np.concatenate([np.frombuffer(each, np.uint64) for each in ids]) if ids else np.empty(0, np.uint64)
    shard = np.repeat(np.arange(len(ids), dtype=np.int32), [len(each) for each in ids])
    order = np.argsort(every, kind="stable")  # within equal ids, in the order of the shards
    every, shard = every[order], shard[order]
    begins = np.r_[True, every[1:] != every[:-1]][: len(every)]
    first = np.maximum.accumulate(np.where(begins, np.arange(len(every)), 0))
    again = shard != shard[first]
    found: list[set[int]] = [set() for _ in ids]
    for digest, number in zip(every[again].tolist(), shard[again].tolist(), strict=True):
        found[number].add(digest)
    return tuple(map(frozenset, found))
