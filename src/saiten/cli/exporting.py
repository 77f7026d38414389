"""The export of a run, with its progress and its notes on standard error."""

import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from saiten.choices import ExportName
from saiten.cli.finding_runs import runs_within
from saiten.cli.output import escape_untrusted, notifier, print_path, stderr
from saiten.cli.progress import DrawnLine
from saiten.cli.show_summary import note_unfinished
from saiten.errors import BadInput
from saiten.exports.export import Export, ExportSettings, export_of_run
from saiten.exports.formats import format_for
from saiten.exports.writing import check_export, print_export, write_export
from saiten.results.verdict import higher_is_better
from saiten.runs import read_run
from saiten.runs.shards import errors_of
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
            drawn = replace(settings, progress=writing)
            if out is None:
                lacks = print_export(export, sys.stdout, form, drawn)
            else:
                lacks = write_export(export, out, form, drawn)
    for note in lacks:
        notes.print(f"[yellow]note:[/] {escape_untrusted(note)}")
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
