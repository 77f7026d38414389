"""The formats of exports: to add one, write a function of this shape, and name it here and in `choices.ExportName`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from saiten.choices import ExportName
from saiten.errors import ConfigurationError
from saiten.exports.answer_workbook import is_workbook_export, write_answer_workbook
from saiten.exports.delimited import is_delimited_export, write_delimited
from saiten.exports.export import Export, ExportSettings
from saiten.exports.feedback import is_feedback, write_feedback
from saiten.exports.json_lines import is_json_export, write_json_lines
from saiten.exports.parquet import is_parquet_export, write_parquet
from saiten.exports.writing import FileToWrite, check_file

Writer = Callable[[Export, IO[bytes], ExportSettings], Sequence[str]]
"""Writes `export.graded(settings)`, the answers with their scores, and returns notes on what the file lacks."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format."""

    suffixes: tuple[str, ...]
    """The suffixes of files that are written in it by default."""
    write: Writer
    is_export: Callable[[Path], bool]
    """Whether a file that is not empty was written by `write`, so that it may be replaced."""
    is_text: bool = True
    """Whether it can be printed in a terminal."""
    is_table: bool = True
    """Whether it has layouts."""
    takes_bom: bool = False


_KEYS: Mapping[ExportName, Sequence[str]] = {
    "otlp": ("resourceLogs",),
    "langfuse": ("traceId", "dataType"),
    "phoenix": ("annotator_kind", "result"),
    "mlflow": ("assessment_name", "feedback"),
}
"""Tools that take the scores of traces, and the keys of the lines that are written for them."""


def _feedback(tool: ExportName, keys: Sequence[str]) -> ExportFormat:
    return ExportFormat((), partial(write_feedback, tool=tool), partial(is_feedback, keys=keys), is_table=False)


FORMATS: Mapping[ExportName, ExportFormat] = {
    "xlsx": ExportFormat((".xlsx",), write_answer_workbook, is_workbook_export, is_text=False),
    "csv": ExportFormat(
        (".csv",),
        partial(write_delimited, delimiter=","),
        partial(is_delimited_export, delimiter=","),
        takes_bom=True,
    ),
    "tsv": ExportFormat(
        (".tsv", ".tab"),
        partial(write_delimited, delimiter="\t"),
        partial(is_delimited_export, delimiter="\t"),
        takes_bom=True,
    ),
    "jsonl": ExportFormat((".jsonl", ".ndjson"), write_json_lines, is_json_export, is_table=False),
    "parquet": ExportFormat((".parquet", ".pq"), write_parquet, is_parquet_export, is_text=False),
    **{tool: _feedback(tool, keys) for tool, keys in _KEYS.items()},
}


def format_for(path: Path | None, name: ExportName | None = None) -> ExportName:
    """Return the format: the one named, else that of the file's suffix, else JSON lines for no file.

    Raises:
        ConfigurationError: The suffix is none of a format, or there is no such format.
    """
    if name is not None and name not in FORMATS:
        raise ConfigurationError(f"there is no format {name!r} of exports; there are {', '.join(FORMATS)}")
    if name is not None or path is None:
        return name or "jsonl"
    for found, each in FORMATS.items():
        if path.suffix.lower() in each.suffixes:
            return found
    suffixes = ", ".join(suffix for each in FORMATS.values() for suffix in each.suffixes)
    raise ConfigurationError(
        f"the format of {path.name} is not clear; expected one of {suffixes}, or a format with --as, for example "
        "--as csv"
    )


def check_settings(name: ExportName, settings: ExportSettings) -> None:
    """Raise ConfigurationError for a setting that the format does not have."""
    if settings.layout != "wide" and not FORMATS[name].is_table:
        tables = ", ".join(each for each, made in FORMATS.items() if made.is_table)
        raise ConfigurationError(f"{name} has one object per answer; the long layout is for {tables}")
    if settings.bom and not FORMATS[name].takes_bom:
        marked = " and ".join(each for each, made in FORMATS.items() if made.takes_bom)
        raise ConfigurationError(f"--bom is for {marked}, not for {name}")


def check_export(path: Path, name: ExportName, settings: ExportSettings) -> None:
    """Check before the work whether the export can be written there.

    Raises:
        BadInput: The path is a folder, or a file that is not an export in this format.
        ConfigurationError: There is no folder for it, or the format lacks a setting.
    """
    check_settings(name, settings)
    check_file(path, _example(name), FORMATS[name].is_export)


def file_of(export: Export, name: ExportName, settings: ExportSettings) -> FileToWrite:
    """Return the export as a file to write.

    Raises:
        ConfigurationError: The format lacks a setting.
    """
    check_settings(name, settings)
    form = FORMATS[name]
    return FileToWrite(
        name, _example(name), lambda stream: form.write(export, stream, settings), form.is_export, form.is_text
    )


def _example(name: ExportName) -> str:
    return f"scores.{name}"
