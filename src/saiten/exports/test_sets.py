"""Test sets as files for other tools and for people: to add a format, name it here and in `choices.SetExportName`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from saiten.choices import SetExportName
from saiten.errors import BadInput, ConfigurationError
from saiten.exports.answer_workbook import is_workbook_export
from saiten.exports.decisions import decision_on
from saiten.exports.deepeval_set import deepeval_lacks, golden_of, is_deepeval_export
from saiten.exports.ragas_set import is_ragas_export, ragas_lacks, ragas_row
from saiten.exports.set_table import write_set_csv, write_set_workbook
from saiten.exports.writing import FileToWrite
from saiten.records import Language
from saiten.runs.lines import to_line
from saiten.testsets.items import SetItem, item_to_json


@dataclass(frozen=True, slots=True)
class SetSettings:
    """How a test set is exported."""

    follow_ups: bool = False
    """For RAGAS and DeepEval: the follow-up questions, as conversations, instead of the others."""
    bom: bool = False
    """For CSV: begin with a byte order mark, and prefix an apostrophe to formulas, for Excel."""
    language: Language | None = None
    """The language of a workbook's headings; by default that of most questions."""
    as_lines: bool = False
    """For DeepEval: one golden per line, instead of a list."""


@dataclass(frozen=True, slots=True)
class _SetFormat:
    write: Callable[[Sequence[SetItem], IO[bytes], SetSettings], Sequence[str]]
    is_export: Callable[[Path], bool]
    suffix: str
    is_of_a_tool: bool = False
    is_text: bool = True


def _never(_: Path) -> bool:
    """Refuse to replace a file that people edit, or that is a test set: nobody can tell that it has no work in it."""
    return False


def _ragas(items: Sequence[SetItem], stream: IO[bytes], _: SetSettings) -> Sequence[str]:
    stream.writelines(to_line(ragas_row(item)) for item in items)
    return ragas_lacks(items)


def _deepeval(items: Sequence[SetItem], stream: IO[bytes], settings: SetSettings) -> Sequence[str]:
    lines = [to_line(golden_of(item)) for item in items]
    stream.write(b"".join(lines) if settings.as_lines else b"[\n" + b",\n".join(map(bytes.rstrip, lines)) + b"\n]\n")
    return deepeval_lacks(items)


def _lines(items: Sequence[SetItem], stream: IO[bytes], _: SetSettings) -> Sequence[str]:
    stream.writelines(to_line(item_to_json(item)) for item in items)
    return ()


SET_FORMATS: Mapping[SetExportName, _SetFormat] = {
    "ragas": _SetFormat(_ragas, is_ragas_export, ".jsonl", is_of_a_tool=True),
    "deepeval": _SetFormat(_deepeval, is_deepeval_export, ".json", is_of_a_tool=True),
    "csv": _SetFormat(lambda items, stream, how: write_set_csv(items, stream, bom=how.bom), _never, ".csv"),
    "xlsx": _SetFormat(
        lambda items, stream, how: write_set_workbook(items, stream, how.language),
        is_workbook_export,
        ".xlsx",
        is_text=False,
    ),
    "jsonl": _SetFormat(_lines, _never, ".jsonl"),
}


def set_format_for(path: Path | None, name: SetExportName | None, settings: SetSettings) -> SetExportName:
    """Return the format: the one named, else that of the file's suffix, else JSON lines for no file.

    Raises:
        ConfigurationError: The suffix is none of a format, or the format lacks a setting.
    """
    suffixes: Mapping[str, SetExportName] = {".csv": "csv", ".xlsx": "xlsx", ".jsonl": "jsonl"}
    if name is None and path is not None and path.suffix.lower() not in suffixes:
        raise ConfigurationError(
            f"the format of {path.name} is not clear; expected one of {', '.join(suffixes)}, or a format with --as, "
            "for example --as deepeval"
        )
    found = name or ("jsonl" if path is None else suffixes[path.suffix.lower()])
    if settings.follow_ups and not SET_FORMATS[found].is_of_a_tool:
        raise ConfigurationError(f"--follow-ups is for ragas and deepeval; {found} has all questions in one file")
    if settings.bom and found != "csv":
        raise ConfigurationError(f"--bom is for csv, not for {found}")
    return found


def set_file_of(items: Sequence[SetItem], name: SetExportName, settings: SetSettings) -> tuple[FileToWrite, list[str]]:
    """Return the test set as a file to write, and notes on the questions that are not in it.

    The forms of other tools have the questions that nobody rejected: either single questions or conversations.

    Raises:
        BadInput: No question is left.
    """
    form, notes = SET_FORMATS[name], list[str]()
    if form.is_of_a_tool:
        items, notes = _chosen(items, settings)
    return FileToWrite(
        name, example_of(name), lambda stream: form.write(items, stream, settings), form.is_export, form.is_text
    ), notes


def example_of(name: SetExportName) -> str:
    """Return a name for such a file."""
    return f"questions{SET_FORMATS[name].suffix}"


def is_set_export(name: SetExportName) -> Callable[[Path], bool]:
    """Return whether a file may be replaced by an export in this format."""
    return SET_FORMATS[name].is_export


def _chosen(items: Sequence[SetItem], settings: SetSettings) -> tuple[list[SetItem], list[str]]:
    """Return the items for another tool, with notes on the others."""
    decisions = [(item, decision_on(item)) for item in items]
    kept = [item for item, decision in decisions if decision is None or decision.verdict != "rejected"]
    notes = []
    if rejected := len(items) - len(kept):
        notes.append(f"questions that people rejected: {rejected}; they are left out")
    if undecided := sum(decision is None for _, decision in decisions):
        notes.append(f"questions that nobody has decided on: {undecided} of {len(items)}")
    talks, single = [item for item in kept if item.history], [item for item in kept if not item.history]
    if settings.follow_ups or not single:
        if not talks:
            raise BadInput("there is no follow-up question to export" if kept else "people rejected all questions")
        if single:
            notes.append(f"single questions: {len(single)}; they are left out; export them without --follow-ups")
        return talks, notes
    if talks:
        notes.append(
            f"follow-up questions: {len(talks)}; they are left out, since a data set of this tool has either single "
            "questions or conversations; export them into a file of their own, with --follow-ups"
        )
    return single, notes
