"""The export of a run or a test set, with its progress and its notes on standard error."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from saiten.choices import ExportName, SetExportName
from saiten.cli.finding_runs import runs_within
from saiten.cli.output import escape_untrusted, notifier, print_path, stderr
from saiten.cli.progress import DrawnLine
from saiten.cli.show_summary import note_unfinished
from saiten.errors import BadInput
from saiten.exports.export import Export, ExportSettings, export_of_run
from saiten.exports.formats import check_export, file_of, format_for
from saiten.exports.test_sets import SetSettings, example_of, is_set_export, set_file_of, set_format_for
from saiten.exports.writing import FileToWrite, check_file, print_file, write_file
from saiten.results.verdict import higher_is_better
from saiten.runs import read_run
from saiten.runs.shards import errors_of
from saiten.testsets.reading import items_of
from saiten.words import Message


class ExportProgress(DrawnLine):
    """A line that is drawn when it is called with a count."""

    def __call__(self, done: int) -> None:
        self.draw(done, lambda: Message("progress", "rate", rate=done / max(self.seconds(), 1e-9)))


def export_run(
    run: Path, out: Path | None, name: ExportName | None, settings: ExportSettings, *, quiet: bool = False
) -> None:
    """Export the run into a file, or to standard output if there is none.

    Raises:
        BadInput: there is no run, it has no answers, or the file is something else.
        ConfigurationError: the format is unclear or lacks a setting, or the file cannot be written.
    """
    notes, form = stderr(), format_for(out, name)
    if runs := runs_within(run):
        raise BadInput(f"{run} is not a run, but contains some; name the run to export: {runs}")
    reader = read_run(run, notify=notifier(notes))
    if out is not None:
        check_export(out, form, settings)
    with ExitStack() as opened:
        with ExportProgress(notes, Message("progress", "lines_read"), None, quiet=quiet) as reading:
            export = opened.enter_context(export_of_run(reader, reading))
        note_unfinished([reader])
        _note(notes, export, settings)
        with ExportProgress(notes, Message("progress", "answers"), len(export.answers), quiet=quiet) as writing:
            lacks = write_or_print(file_of(export, form, replace(settings, progress=writing)), out)
    print_end(lacks, out)


def export_set(testset: Path, out: Path | None, name: SetExportName | None, settings: SetSettings) -> None:
    """Export a test set into a file, or to standard output if there is none.

    Raises:
        BadInput: there is no test set, no question to export, or the file is something else.
        ConfigurationError: the format is unclear or lacks a setting, or the file cannot be written.
    """
    form, notify = set_format_for(out, name, settings), notifier(stderr())
    if out is not None:
        check_file(out, example_of(form), is_set_export(form))
    file, notes = set_file_of(items_of(testset, notify=notify), form, settings)
    print_end([*notes, *write_or_print(file, out)], out)


def write_or_print(file: FileToWrite, out: Path | None) -> Sequence[str]:
    """Write the file, or print it on standard output if there is no path; return notes on what it lacks."""
    return print_file(file, sys.stdout) if out is None else write_file(file, out)


def print_end(lacks: Sequence[str], out: Path | None) -> None:
    """Print what a file lacks, and its path."""
    notify = notifier(stderr())
    for note in lacks:
        notify(note)
    if out is not None:
        print_path(out)


def _note(notes: Console, export: Export, settings: ExportSettings) -> None:
    """Print what the rows do not show."""
    if export.answers.missing:
        notes.print(f"[yellow]note:[/] {export.answers.missing} scores do not exist yet, so the export lacks them")
    if export.bad_rows:
        where = escape_untrusted(errors_of(Path(export.name)))
        notes.print(f"[yellow]note:[/] {export.bad_rows} rows of the data could not be used; see {where}")
    metrics = export.answers.metrics
    if settings.order == "worst" and all(higher_is_better(each, export.signatures) is None for each in metrics):
        notes.print("[yellow]note:[/] no metric has a better direction, so the answers are in the order of the data")
    for note in export.notes:
        notes.print(f"[yellow]note:[/] {escape_untrusted(note)}")
