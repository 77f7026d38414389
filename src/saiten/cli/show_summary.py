"""The summary of a run on standard output, with its thresholds if there are any."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from saiten.choices import Format
from saiten.cli import MISSED, NOTHING
from saiten.cli.gate import Gate
from saiten.cli.output import escape_untrusted, notifier, stderr
from saiten.cli.reading import read_some_labels
from saiten.dialogue.reading import has_dialogues
from saiten.results.only_words import ONLY_WORDS, only_words
from saiten.runs import RunReader, read_run
from saiten.views.render import render
from saiten.views.tables.gate import threshold_table
from saiten.views.tables.run import currency_of, people_of, run_tables, summary_of
from saiten.views.tables.summary import usage_text


def show_summary(run: Path, form: Format, out: Console, gate: Gate | None = None, labels: Path | None = None) -> int:
    """Print the summary of the run in this folder.

    Returns:
        The exit status: 0, that of a threshold that it misses, or that of a run without a single value.
    """
    reader = read_run(run, notify=notifier(stderr()))
    people = () if labels is None else list(people_of(reader, read_some_labels(labels)))
    summary = summary_of(reader, people, of_labels="" if labels is None else labels.name)
    note_unfinished([reader])
    if not summary.figures:
        stderr().print("the run has no scores yet")
        if gate is None:
            return NOTHING
    if only_words(summary.signatures.values()):
        stderr().print(ONLY_WORDS, style="bold")
    tables = run_tables(reader, summary, glance=form == "table") if summary.figures else []
    outcomes = () if gate is None else gate.hold(reader, summary)
    if gate is not None:
        tables.append(threshold_table(outcomes, gate.each, glance=form == "table"))
    render(tables, form, out, str(run))
    if form == "table" and summary.figures:
        spent = usage_text(summary.usage, currency_of(reader))
        one = "dialogue" if has_dialogues(reader) else "sample"
        out.print(f"{escape_untrusted(spent)} · one {one} in full: saiten show {escape_untrusted(run)} --{one} ID")
        for quote in reader.prices():
            out.print(escape_untrusted(quote.sentence()))
    if any(outcome.missed for outcome in outcomes):
        return MISSED
    if not summary.measured:
        stderr().print("[bold red]nothing was measured:[/] no score has a value; see the reasons in the summary")
        return NOTHING
    return 0


def note_unfinished(readers: Sequence[RunReader]) -> bool:
    """Print a note for each unfinished run, whose figures are not final; return whether there is one."""
    unfinished = [reader for reader in readers if reader.unfinished]
    for reader in unfinished:
        stderr().print(
            f"[yellow]not finished:[/] {escape_untrusted(reader.folder)}; some of its data was not read or some of its "
            "scores are missing. Re-run the command that started it to resume"
        )
    return bool(unfinished)
