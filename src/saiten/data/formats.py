"""Formats: detection by suffix or content, and the rows of any source."""

import io
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeGuard

from saiten.data.arrow_rows import read_parquet
from saiten.data.csv_rows import read_csv
from saiten.data.files import InputFile, files_of, name_of_file
from saiten.data.hugging_face import read_set
from saiten.data.json_rows import read_json, read_json_lines
from saiten.data.objects.rows import is_known, rows_in_memory
from saiten.data.opening import File, Source, name_of, opened
from saiten.data.rows import BadRow, RawRow, prefixed
from saiten.data.set_names import SetName, is_hub, named_set
from saiten.data.traces.reading import TRACE_FORMATS, is_trace
from saiten.data.workbook_rows import read_workbook
from saiten.errors import BadInput, ConfigurationError

FORMATS = ("jsonl", "json", "csv", "tsv", "xlsx", "parquet", "dataset")

ENDINGS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".xlsx": "xlsx", ".xlsm": "xlsx", ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_OTHER_WORKBOOKS = (".xls", ".xlsb", ".ods", ".numbers")
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
"""The first bytes of an .xlsx workbook, and of an older one or one with a password."""


def read_rows(
    source: Source, file_format: str | None, *, wanted: Callable[[str], bool], notify: Callable[[str], None]
) -> Iterator[RawRow | BadRow]:
    """Stream the rows of a source in any of the formats.

    Args:
        source: A path, a pattern or an address of files, `-` for standard input, an open file, or rows in memory: see
            `objects/rows.py`.
        file_format: One of `FORMATS`, or None to detect it.
        wanted: Whether a column is needed; others may be None.
        notify: Receives notes for the user, for example on a rare encoding.

    Raises:
        BadInput: the source is missing, unreadable, or in no known format.
        ConfigurationError: the requested format does not exist, or pyarrow is missing.
    """
    check_format(file_format)
    if not _is_file(source):
        return rows_in_memory(source, name_of(source), wanted=wanted, notify=notify)
    if isinstance(source, str | Path) and source != "-":
        return _of_files(source, file_format, wanted, notify)
    if file_format in ("parquet", "dataset"):
        raise _no_stream(file_format)
    return _streamed(source, name_of(source), file_format, wanted=wanted, notify=notify)


def check_format(file_format: str | None) -> None:
    """Raise ConfigurationError for an unknown format."""
    known = (*FORMATS, *TRACE_FORMATS)
    if file_format is not None and file_format not in known:
        raise ConfigurationError(f"unknown format {file_format!r}; there are {', '.join(known)}")


def rows_of_file(
    file: InputFile, file_format: str | None, *, wanted: Callable[[str], bool], notify: Callable[[str], None]
) -> Iterator[RawRow | BadRow]:
    """Stream the rows of one file, as `read_rows` does."""
    file_format = file_format or _by_ending(file.path)
    if file_format == "parquet":
        rows = read_parquet(file.path, file.name, wanted=wanted)
    elif file_format == "dataset":
        rows = read_set(_set(file), file.name, wanted=wanted)
    else:
        rows = _streamed(file.path, file.name, file_format, wanted=wanted, notify=notify, sheet=file.sheet)
    return prefixed(rows, file.prefix) if file.prefix else rows


def format_of(file: InputFile, file_format: str | None) -> str:
    """Return the format of a file: as given, by its suffix, or by its content; raises BadInput if none shows it."""
    known = file_format or _by_ending(file.path)
    if known is not None:
        return known
    with opened(file.path, file.name) as stream:
        return _by_content(stream, file.name)


def has_traces(file: InputFile, file_format: str | None) -> bool:
    """Return whether the first usable row of a file has spans; False if the file cannot be read."""
    try:
        rows = rows_of_file(file, file_format, wanted=lambda _: True, notify=lambda _: None)
        first = next((row for row in islice(rows, 20) if isinstance(row, RawRow)), None)
    except (BadInput, ConfigurationError):
        return False
    return first is not None and is_trace(first.fields)


def _of_files(
    source: str | Path, file_format: str | None, wanted: Callable[[str], bool], notify: Callable[[str], None]
) -> Iterator[RawRow | BadRow]:
    for file in files_of(source):
        yield from rows_of_file(file, file_format, wanted=wanted, notify=notify)


def _set(file: InputFile) -> SetName:
    if isinstance(file.path, str) and not is_hub(file.path):
        raise BadInput(f"{file.name}: a Hugging Face dataset is read from a folder on this machine; download it first")
    found = named_set(file.path)
    if found is None:
        raise BadInput(f"{file.name} is not a Hugging Face dataset, which is a folder; name its format, or none")
    return found


def _is_file(source: Source) -> TypeGuard[File]:
    return isinstance(source, str | Path) or (not is_known(source) and hasattr(source, "read"))


def _streamed(
    source: File,
    name: str,
    file_format: str | None,
    *,
    wanted: Callable[[str], bool],
    notify: Callable[[str], None],
    sheet: str = "",
) -> Iterator[RawRow | BadRow]:
    with opened(source, name) as stream:
        file_format = file_format or ("jsonl" if source == "-" else _by_content(stream, name))
        if file_format == "parquet":
            if not isinstance(source, str | Path):
                raise _no_stream(file_format)
            yield from read_parquet(source, name, wanted=wanted)
        elif file_format == "jsonl":
            yield from read_json_lines(stream, name)
        elif file_format == "json":
            yield from read_json(stream, name)
        elif file_format == "xlsx":
            _check_workbook(stream, name)
            yield from read_workbook(stream, name, sheet, wanted=wanted, notify=notify)
        else:
            yield from read_csv(stream, name, delimiter="\t" if file_format == "tsv" else None, notify=notify)


def _no_stream(file_format: str) -> BadInput:
    return BadInput(f"{file_format} cannot be read from a stream; name the file")


def _by_ending(path: Path | str) -> str | None:
    if is_hub(path) or (isinstance(path, Path) and named_set(path) is not None):
        return "dataset"
    endings = [ending.lower() for ending in Path(name_of_file(path)).suffixes]
    if endings and endings[-1] == ".gz":
        endings.pop()
    return ENDINGS.get(endings[-1]) if endings else None


def _by_content(stream: io.BufferedReader, name: str) -> str:
    start = stream.peek(4096)[:4096]
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        return "json"
    if start.startswith(_ZIP) and (b"xl/" in start or b"[Content_Types].xml" in start):
        return "xlsx"
    if start.startswith(_OLE):
        _check_workbook(stream, name)
    if name.lower().endswith(_OTHER_WORKBOOKS):
        raise BadInput(f"{name}: only .xlsx and .xlsm workbooks are read; save it as one (Excel Workbook, .xlsx)")
    first = start.split(b"\n", 1)[0]
    if b"," in first or b"\t" in first or b";" in first:
        return "csv"
    raise BadInput(f"{name}: neither its extension nor its content shows the format; name one of {', '.join(FORMATS)}")


def _check_workbook(stream: io.BufferedReader, name: str) -> None:
    start = stream.peek(4)[:4]
    if start.startswith(_OLE):
        raise BadInput(
            f"{name} is a workbook in Excel's old format (.xls) or with a password; save it as .xlsx without a password"
        )
    if not start.startswith(_ZIP):
        raise BadInput(f"{name} is not an Excel workbook; if it is text that Excel opens, name it .csv or .tsv")
