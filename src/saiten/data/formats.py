"""Formats: detection by suffix or content, and the rows of any source."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeGuard

from saiten.data.arrow_rows import read_dataset, read_parquet
from saiten.data.csv_rows import read_csv
from saiten.data.files import is_address
from saiten.data.json_rows import read_json, read_json_lines
from saiten.data.opening import File, Source, name_of, opened
from saiten.data.rows import BadRow, RawRow, place, row_of
from saiten.errors import BadInput, ConfigurationError

FORMATS = ("jsonl", "json", "csv", "tsv", "parquet", "dataset")

_ENDINGS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_NO_WORKBOOKS = "Excel workbooks are not read; save the sheet as CSV (UTF-8)"


def read_rows(
    source: Source,
    file_format: str | None,
    *,
    wanted: Callable[[str], bool],
    notify: Callable[[str], None],
    name: str | None = None,
) -> Iterator[RawRow | BadRow]:
    """Stream the rows of a source in any of the formats.

    Args:
        source: A path or an address, `-` for standard input, an open file, or rows in memory.
        file_format: One of `FORMATS`, or None to detect it.
        wanted: Whether a column is needed; others may be None.
        notify: Receives notes for the user, for example on a rare encoding.
        name: What messages call the source; by default its last part.

    Raises:
        BadInput: the source is missing, unreadable, or in no known format.
        ConfigurationError: the requested format does not exist, or pyarrow is missing.
    """
    check_format(file_format)
    name = name or name_of(source)
    if not _is_file(source):
        return _in_memory(source, name)
    path = source if isinstance(source, str | Path) and source != "-" else None
    file_format = file_format or format_by_ending(path)
    if file_format in ("parquet", "dataset"):
        if path is None:
            raise BadInput(f"{file_format} cannot be read from a stream; name the file")
        if file_format == "parquet":
            return read_parquet(path, name, wanted=wanted)
        if is_address(path):
            raise BadInput(f"{name}: a folder by Hugging Face's save_to_disk is read from this machine; copy it here")
        return read_dataset(Path(path), wanted=wanted)
    return _streamed(source, file_format, wanted, notify, name)


def check_format(file_format: str | None) -> None:
    """Raise ConfigurationError for a format that does not exist."""
    if file_format is not None and file_format not in FORMATS:
        raise ConfigurationError(f"unknown format {file_format!r}; there are {', '.join(FORMATS)}")


def _is_file(source: Source) -> TypeGuard[File]:
    return isinstance(source, str | Path) or hasattr(source, "read")


def _in_memory(rows: Any, name: str) -> Iterator[RawRow | BadRow]:
    for number, row in enumerate(rows, 1):
        yield row_of(row, number, place(name, number), row, expected="a mapping of column to value")


def _streamed(
    source: File, file_format: str | None, wanted: Callable[[str], bool], notify: Callable[[str], None], name: str
) -> Iterator[RawRow | BadRow]:
    with opened(source) as stream:
        file_format = file_format or ("jsonl" if source == "-" else format_by_content(stream, name))
        if file_format == "parquet":
            yield from read_rows(source, file_format, wanted=wanted, notify=notify, name=name)
        elif file_format == "jsonl":
            yield from read_json_lines(stream, name)
        elif file_format == "json":
            yield from read_json(stream, name)
        else:
            yield from read_csv(stream, name, delimiter="\t" if file_format == "tsv" else None, notify=notify)


def format_by_ending(path: Path | str | None) -> str | None:
    """Return the format that the ending of a path or an address shows, or None."""
    if path is None:
        return None
    if not is_address(path) and Path(path).is_dir():
        return "dataset"
    endings = [ending.lower() for ending in Path(path).suffixes]
    if endings and endings[-1] == ".gz":
        endings.pop()
    return _ENDINGS.get(endings[-1]) if endings else None


def format_by_content(stream: io.BufferedReader, name: str) -> str:
    """Return the format that the first bytes show; raises BadInput if they do not."""
    start = stream.peek(4096)[:4096]
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        return "json"
    if start.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise BadInput(f"{name} looks like an Excel workbook; {_NO_WORKBOOKS}")
    first = start.split(b"\n", 1)[0]
    if b"," in first or b"\t" in first or b";" in first:
        return "csv"
    if name.lower().endswith(_WORKBOOKS):
        raise BadInput(f"{name}: {_NO_WORKBOOKS}")
    raise BadInput(f"{name}: neither its extension nor its content shows the format; name one of {', '.join(FORMATS)}")
