"""Parquet files and folders written by Hugging Face's `save_to_disk`, read in batches, only the columns needed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from saiten.data.addresses import AHEAD, StoredBytes, located
from saiten.data.json_rows import parse_json
from saiten.data.rows import BadRow, RawRow, bad_row, place, repeated
from saiten.data.traces.reading import is_trace
from saiten.errors import BadInput, ConfigurationError

_BATCH = 64  # rows converted to Python values at once; a row may have many long contexts
_BUFFER = 1 << 20  # bytes read ahead per column
_HELD = 64 << 20
"""Bytes of a batch, as far as its rows can be made fewer, and of a column's part that is packed as only a bomb is."""
_PACKED = 1_000
"""Uncompressed bytes per compressed one that no text has."""
_END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
"""The end of an Arrow stream, checked since PyArrow accepts a stream truncated between two batches."""


def read_parquet(
    path: Path | str,
    name: str,
    *,
    wanted: Callable[[str], bool],
    groups: Sequence[int] | None = None,
    skip: int = 0,
    first: int = 1,
) -> Iterator[RawRow | BadRow]:
    """Yield one row per record. Unwanted columns are None, since embeddings are expensive to read.

    Raises BadInput for another format or a column name that occurs twice, and ConfigurationError without pyarrow.

    Args:
        path: A path or an address.
        name: The name in messages.
        wanted: Whether a column is needed.
        groups: The row groups to read; None for all.
        skip: Rows of them to skip.
        first: The number of the first row that is not skipped.
    """
    numbers = count(first)
    with _parquet(path, name) as file:
        names = _distinct(file.schema_arrow.names, name)
        needed = names if is_trace(dict.fromkeys(names)) else [each for each in names if wanted(each)]
        for group in range(file.num_row_groups) if groups is None else groups:
            size = _rows_at_once(path, file, group, needed, name)
            for batch in file.iter_batches(batch_size=size, row_groups=[group], columns=needed):
                if skip < batch.num_rows:
                    yield from _rows(batch.slice(skip), names, name, numbers)
                skip = max(0, skip - batch.num_rows)


def row_groups(path: Path | str, name: str) -> list[tuple[int, int]]:
    """Return the rows and the uncompressed bytes of each row group of a Parquet file."""
    with _parquet(path, name) as file:
        groups = map(file.metadata.row_group, range(file.num_row_groups))
        return [(group.num_rows, group.total_byte_size) for group in groups]


def _rows_at_once(path: Path | str, file: Any, group: int, needed: Sequence[str], name: str) -> int:
    """Return how many rows of a group to convert at once: fewer if a text that many of them share is long.

    Raises BadInput for a column that is packed as only a bomb is.
    """
    longest = 0
    found = file.metadata.row_group(group)
    for column in map(found.column, range(found.num_columns)):
        size, where = column.total_uncompressed_size, column.path_in_schema
        if where.partition(".")[0] not in needed or size * _BATCH <= _HELD:
            continue
        if column.dictionary_page_offset is not None:
            longest = max(longest, _longest(path, group, where, name))
        elif size > max(4 * _HELD, _PACKED * column.total_compressed_size):
            raise BadInput(
                f"{name}: column {where} has {size >> 20} MiB, packed more than {_PACKED} times, too much to read; "
                f"write the file again with texts of at most {_HELD >> 20} MiB"
            )
    if longest > _HELD:
        raise BadInput(f"{name} has a text of {longest >> 20} MiB, and at most {_HELD >> 20} are read")
    return max(1, min(_BATCH, _HELD // max(1, longest)))


def _longest(path: Path | str, group: int, column: str, name: str) -> int:
    """Return the bytes of the longest text in a column's dictionary, which each row may repeat."""
    with _parquet(path, name, read_dictionary=[column]) as file:
        batch = next(file.iter_batches(batch_size=1, row_groups=[group], columns=[column]), None)
    values: Any = None if batch is None else batch.column(0)
    while hasattr(values, "offsets"):  # lists
        values = values.flatten()
    if not hasattr(values, "dictionary"):
        return 0
    offsets = values.dictionary.cast(_pyarrow()[0].large_binary()).buffers()[1]
    return int(np.diff(np.frombuffer(offsets, np.int64)).max(initial=0))


@contextmanager
def _parquet(path: Path | str, name: str, **options: Any) -> Iterator[Any]:
    pa, parquet = _pyarrow()
    where = located(path)
    try:
        # the buffer avoids holding a whole row group, often the whole file
        source = where if isinstance(where, Path) else StoredBytes(where)
        buffer = _BUFFER if source is where else AHEAD
        with parquet.ParquetFile(source, buffer_size=buffer, pre_buffer=False, **options) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"{name} cannot be read as Parquet: {error}") from error


def is_saved(folder: Path) -> bool:
    """Return whether `save_to_disk` wrote the folder."""
    return (folder / "state.json").is_file() or (folder / "dataset_dict.json").is_file()


def read_dataset(folder: Path, split: str | None, *, wanted: Callable[[str], bool]) -> Iterator[RawRow | BadRow]:
    """Yield one row per record of a folder saved by `datasets.Dataset.save_to_disk`, counted from 1 across its files.

    Raises BadInput for a damaged one, or unless one of several splits is chosen; ConfigurationError without pyarrow.
    """
    folder = _split(folder, split)
    files = _data_files(folder)
    pa, _ = _pyarrow()
    numbers = count(1)
    for file in files:
        try:
            with pa.memory_map(str(file)) as source, pa.ipc.open_stream(source) as reader:
                names = _distinct(reader.schema.names, folder.name)
                needed = [name for name in names if wanted(name)]
                for stored in reader:
                    batch = stored.select(needed)
                    for start in range(0, batch.num_rows, _BATCH):
                        yield from _rows(batch.slice(start, _BATCH), names, folder.name, numbers)
                whole = source.size() >= len(_END) and source.read_at(len(_END), source.size() - len(_END)) == _END
        except (pa.ArrowException, OSError) as error:
            raise BadInput(f"{file} cannot be read as a Hugging Face data file: {error}") from error
        if not whole:
            raise BadInput(f"{file} cannot be read as a Hugging Face data file: it is cut off; save it anew")


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - optional package
        import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402 - optional package
    except ImportError as error:
        raise ConfigurationError(
            'Parquet files and Hugging Face datasets need pyarrow; install it with pip install "saiten[data]"'
        ) from error
    return pa, parquet


def _distinct(names: Sequence[str], name: str) -> Sequence[str]:
    if (twice := repeated(names)) is not None:
        raise BadInput(f"{name} has two columns {twice!r}; rename one")
    return names


def _rows(batch: Any, names: Sequence[str], name: str, numbers: Iterator[int]) -> Iterator[RawRow | BadRow]:
    empty = dict.fromkeys(names)
    try:
        values = batch.to_pylist()
    except (ValueError, OverflowError):  # a single bad value, such as text that is not UTF-8, fails the whole batch
        values = None
    for at, number in zip(range(batch.num_rows), numbers, strict=False):
        try:
            fields = values[at] if values is not None else batch.slice(at, 1).to_pylist()[0]
        except (ValueError, OverflowError) as error:
            yield bad_row(place(name, number), f"a value cannot be read: {error}")
        else:
            yield RawRow(number, empty | fields, place(name, number))


def _split(folder: Path, split: str | None) -> Path:
    listed = folder / "dataset_dict.json"
    if not listed.is_file():
        if split is not None:
            raise BadInput(f"{folder} has no splits: it was saved from one; leave out :{split}")
        return folder
    splits = [str(name) for name in _json(listed).get("splits") or []]
    if split in splits:
        return folder / split
    if split is not None:
        raise BadInput(f"{folder} has no split {split}; there are {', '.join(splits)}")
    if len(splits) == 1:
        return folder / splits[0]
    raise BadInput(f"{folder} has several splits ({', '.join(splits)}); name one, for example {folder}:test")


def _data_files(folder: Path) -> list[Path]:
    content = _json(folder / "state.json")
    if content.get("_indices_data_files"):
        raise BadInput(f"{folder} was saved with an index of rows by an old version of datasets; load and save it anew")
    files = [folder / str(entry.get("filename")) for entry in content.get("_data_files") or []]
    missing = [file for file in files if not file.is_file()]
    if missing:
        raise BadInput(f"{folder} is incomplete: {missing[0].name} is missing")
    return files


def _json(path: Path) -> dict[str, Any]:
    try:
        content = parse_json(path.read_bytes())
    except (ValueError, OSError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    return content if isinstance(content, dict) else {}
