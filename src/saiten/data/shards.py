"""Dividing the input into shards, each read by one worker, with the ids and places that it has in the whole.

A shard of JSON lines is a range of bytes, whose first line number is known once the lines before it are counted:

    shards = cut("s3://bucket/day/*.jsonl", None, 64 << 20)
    shards = numbered(shards, [count_rows(each) for each in shards])    # counted by several workers

A Parquet file is divided at its row groups, and within large ones; it needs no counting. Any other file is one shard.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from saiten.data.addresses import size_of
from saiten.data.arrow_rows import row_groups
from saiten.data.files import InputFile, files_of
from saiten.data.formats import check_format, format_of, rows_of_file
from saiten.data.json_rows import MAX_LINE, begins_document, count_lines
from saiten.data.opening import BOMS_UTF16, GZIP, as_utf8, opened, opened_between
from saiten.data.samples import SampleColumns
from saiten.data.set_names import is_hub
from saiten.errors import BadInput, ConfigurationError

_LITTLE = 1 << 18  # bytes requested at a boundary
_AT_ONCE = 16  # requests at the same time, since a store answers after tens of milliseconds
_PARTS = 32  # of a row group at most, since each part skips the rows before it


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the input that one worker reads."""

    path: str
    """A path or an address."""
    format: str
    """One of `formats.FORMATS`."""
    name: str
    """The file in messages."""
    prefix: str = ""
    """What generated ids begin with."""
    sheet: str = ""
    """Workbooks: the sheet, if one is named."""
    start: int = 0
    """JSON lines: the first byte."""
    end: int | None = None
    """JSON lines: the byte behind the last one; None for a whole file."""
    groups: tuple[int, ...] = ()
    """Parquet: the row groups."""
    skip: int = 0
    """Parquet: the rows of the group that belong to shards before."""
    first: int | None = 1
    """The number of its first line or row in the file; None until `numbered` sets it."""
    rows: int | None = None
    """The rows that it has, bad ones included; None if unknown."""

    @property
    def file(self) -> InputFile:
        """Return the file that it is a part of."""
        path = self.path if "://" in self.path else Path(self.path)
        return InputFile(path, self.name, self.prefix, sheet=self.sheet)


class RowCount(NamedTuple):
    """The size of a shard."""

    lines: int
    rows: int
    """Without blank lines; bad rows included."""


def cut(source: str | Path, file_format: str | None, size: int) -> tuple[Shard, ...]:
    """Divide the input into shards of about `size` bytes (of Parquet: uncompressed), in its order.

    Only metadata is read, and of JSON lines a little at each boundary: a line belongs to the shard in which it begins.
    Documents, UTF-16 and gzipped files are not divided. Empty files have no shard.

    Raises:
        BadInput: no such file or format; or it is standard input, or a data set of the Hugging Face Hub.
        ConfigurationError: an unknown format, no sensible size, or a package is missing.
    """
    check_format(file_format)
    if size < 1:
        raise ConfigurationError(f"a shard must have at least 1 byte, not {size}")
    if source == "-":
        raise BadInput("standard input cannot be divided; save it to a file, and name that")
    if is_hub(source):
        raise BadInput(
            f"{source} is not divided among workers: download it, for example with `hf download`, and name its files"
        )
    files = files_of(source)
    with ThreadPoolExecutor(_AT_ONCE) as of_files, ThreadPoolExecutor(_AT_ONCE) as of_boundaries:
        divide = partial(_shards_of, file_format=file_format, size=size, threads=of_boundaries)
        return tuple(shard for found in of_files.map(divide, files) for shard in found)


def count_rows(shard: Shard, columns: Mapping[str, str] = {}) -> RowCount:
    """Return the lines and rows of a shard; only of CSV, workbooks and JSON documents are rows parsed.

    `columns`: as for `read_samples`; the header of a sheet is found by them.
    """
    if shard.format == "parquet" and shard.rows is not None:
        return RowCount(shard.rows, shard.rows)
    if shard.end is not None:
        with opened_between(shard.path, shard.start, shard.end) as stream:
            return RowCount(*count_lines(stream, shard.name, 1 if shard.start == 0 else 2))
    if shard.format == "jsonl":
        with opened(shard.file.path, shard.name) as stream:
            return RowCount(*count_lines(as_utf8(stream), shard.name))
    wanted = SampleColumns.of(columns).wanted if shard.format == "xlsx" else _nothing
    found = sum(1 for _ in rows_of_file(shard.file, shard.format, wanted=wanted, notify=_ignore))
    return RowCount(found, found)


def numbered(shards: Sequence[Shard], counts: Sequence[RowCount], limit: int | None = None) -> tuple[Shard, ...]:
    """Return the shards with their first line numbers and rows; those without rows drop out.

    With a limit, these are the shards of the first `limit` rows, the last of them shortened; counts may end there.

    Raises:
        ValueError: there are fewer counts than shards, and the limit is not reached.
    """
    found: list[Shard] = []
    rows = 0
    for _, group in groupby(zip(shards, counts, strict=False), lambda pair: pair[0].path):
        line = 1
        for shard, count in group:
            taken = count.rows if limit is None else min(count.rows, limit - rows)
            if taken:
                found.append(replace(shard, first=line if shard.format == "jsonl" else shard.first, rows=taken))
            line += count.lines
            rows += taken
    if len(counts) < len(shards) and (limit is None or rows < limit):
        raise ValueError(f"{len(shards)} shards, but only {len(counts)} counts with {rows} rows")
    return tuple(found)


def _shards_of(file: InputFile, file_format: str | None, size: int, threads: ThreadPoolExecutor) -> list[Shard]:
    kind = format_of(file, file_format)
    path = file.path if isinstance(file.path, str) else str(file.path.absolute())  # workers may be in other folders
    whole = Shard(path, kind, file.name, file.prefix, file.sheet)
    if kind == "parquet":
        return list(_parts_of_parquet(whole, row_groups(file.path, file.name), size))
    if kind != "jsonl":
        return [whole]
    return list(_parts_of_lines(whole, file, size, threads))


def _parts_of_lines(whole: Shard, file: InputFile, size: int, threads: ThreadPoolExecutor) -> Iterator[Shard]:
    total = _bytes_of(file)
    if not total:
        return
    if total <= size or not _is_divisible(whole.path, total):
        yield whole
        return
    step = -(-total // -(-total // size))
    begins = threads.map(partial(_line_start, whole.path, total), range(step, total, step))
    starts = sorted({0, *begins} - {total})
    for start, end in zip(starts, [*starts[1:], total], strict=True):
        yield replace(whole, start=start, end=end, first=1 if start == 0 else None)


def _bytes_of(file: InputFile) -> int:
    if file.size is not None:
        return file.size
    if isinstance(file.path, str):
        return size_of(file.path)
    try:
        return file.path.stat().st_size
    except FileNotFoundError as error:
        raise BadInput(f"there is no file {file.path}") from error
    except OSError as error:
        raise BadInput(f"{file.name} cannot be read: {error}") from error


def _is_divisible(path: str, total: int) -> bool:
    with opened_between(path, 0, total, ahead=_LITTLE) as stream:
        begins = stream.peek(2)[:2]
        return begins not in (GZIP, *BOMS_UTF16) and not begins_document(stream.readline(MAX_LINE + 1))


def _line_start(path: str, total: int, at: int) -> int:
    """Return where the first line begins that begins at a byte or behind it; `total` if none does within 32 MiB."""
    begin = at - 1  # a line may begin at the byte itself: the one before ends a line then
    with opened_between(path, begin, total, ahead=_LITTLE) as stream:
        while begin - at < MAX_LINE and (part := stream.readline(_LITTLE)):
            begin += len(part)
            if part.endswith(b"\n"):
                return begin
    return total


def _parts_of_parquet(whole: Shard, groups: Sequence[tuple[int, int]], size: int) -> Iterator[Shard]:
    """Yield small row groups together, and large ones in parts."""
    first, at = 1, 0
    while at < len(groups):
        end, rows, data = at + 1, *groups[at]
        while end < len(groups) and data + groups[end][1] <= size:
            rows, data, end = rows + groups[end][0], data + groups[end][1], end + 1
        parts = min(_PARTS, -(-data // size), rows)
        for part in range(parts):
            skip, stop = rows * part // parts, rows * (part + 1) // parts
            yield replace(whole, groups=tuple(range(at, end)), skip=skip, first=first + skip, rows=stop - skip)
        first, at = first + rows, end


def _nothing(_: str) -> bool:
    return False


def _ignore(_: str) -> None:
    """Nobody is interested in notes while rows are counted."""
