"""`saiten compare`: is the difference between two runs real?"""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli import MISSED
from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.shared_options import FormatOption
from saiten.errors import BadInput

app = typer.Typer(add_completion=False)


@app.command()
def compare(
    runs: Annotated[
        list[Path], typer.Argument(help="The folders of two runs or more; the first is the yardstick.", metavar="RUN…")
    ],
    systems: Annotated[
        str | None,
        typer.Option(help="FIRST,SECOND: compare systems by question instead of runs by sample; one name a run."),
    ] = None,
    fail_if_worse: Annotated[
        list[str] | None,
        typer.Option(
            help="METRIC or METRIC=MARGIN: exit status 5 where a later run is worse, by the test and by more than the "
            "margin. Repeatable."
        ),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Compare runs on the samples they share, or systems on the questions they share.

    Samples are paired by id, without ids by question (and group); the caption says how, and what has no counterpart.

    A difference is called only if it is outside the noise and 90 % were measured on both sides; scores that either side
    could not measure are left out and counted. Runs of `saiten converse` are also compared per group, with a figure in
    --format html.

    Examples:
      saiten compare runs/before runs/after
      saiten compare runs/all runs/all --systems careful,hasty
      saiten compare runs/qa runs/mqa runs/other
      saiten compare runs/before runs/after --format html > difference.html
      saiten compare runs/main runs/change --fail-if-worse faithfulness --fail-if-worse correctness=0.1

    Exit status: 0 done, 2 wrong input, 5 worse, or not finished.
    """
    from saiten.cli.unfinished import note_unfinished
    from saiten.results.comparison import compare_sides, sides_of, what_differs
    from saiten.results.only_words import ONLY_WORDS, only_words
    from saiten.results.worse import read_margin, worsenings
    from saiten.runs import read_run
    from saiten.views.render import render
    from saiten.views.tables.comparison import comparison_tables
    from saiten.views.tables.gate import worse_table

    if len(runs) < 2:
        raise BadInput("two runs are compared, or more; for two systems of one run, name it twice and say --systems")
    margins = [read_margin(text) for text in fail_if_worse or ()]
    notes = notifier(stderr())
    readers = [read_run(run, notify=notes) for run in runs]
    names = _systems(systems, len(readers))
    unfinished = note_unfinished(readers, stderr())
    if any(only_words(reader.manifest.signatures.values()) for reader in readers):
        stderr().print(f"[bold]{ONLY_WORDS}[/]")
    remarks = what_differs(readers)
    for remark in remarks:
        notes(str(remark))
    found = compare_sides(sides_of(readers, names))
    for one in found:
        for remark in one.remarks:
            notes(f"{one.first}, {one.second}: {remark}")
    tables = comparison_tables(readers, names, found=found, remarks=remarks, glance=form == "table")
    first, *others = (reader.bad_rows() for reader in readers)
    lost = [min(first, other) for other in others]  # items lost on one side only were measured on the other
    worse = worsenings(found, margins, lost)
    if worse:
        tables.append(worse_table(worse))
    render(tables, form, stdout(), " · ".join(map(str, runs)) if len(tables) > 1 else "")
    failed = [each for each in worse if not each.passed]
    for each in failed:
        named = f"{each.metric}, {each.first} → {each.second}: {each.why}"
        stderr().print(f"[bold red]failed:[/] {escape_untrusted(named)}")
    if margins and unfinished:
        stderr().print("[bold red]failed:[/] what a run has not measured yet may be worse")
    if failed or (margins and unfinished):
        raise typer.Exit(MISSED)


def _systems(text: str | None, runs: int) -> list[str | None]:
    if text is None:
        return [None] * runs
    names = [name.strip() for name in text.split(",")]
    if len(names) != runs or not all(names):
        expected = "two names with a comma between them" if runs == 2 else f"{runs} names with commas between them"
        raise BadInput(f"--systems expects {expected}, not {text!r}")
    return list(names)
