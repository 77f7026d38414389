"""`saiten compare`: test whether the difference between runs is real."""

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
        list[Path], typer.Argument(help="Run folders, at least two; the first is the baseline.", metavar="RUN…")
    ],
    systems: Annotated[
        str | None,
        typer.Option(help="FIRST,SECOND: one system per run, compared by question instead of by sample."),
    ] = None,
    fail_if_worse: Annotated[
        list[str] | None,
        typer.Option(
            help="METRIC or METRIC=MARGIN: exit with status 5 if a later run is significantly worse, by more than the "
            "margin. Repeatable."
        ),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Compare runs on their common samples, or systems on their common questions, with paired tests.

    Samples are paired by id, or by question (and group) if they have no ids; the caption says how, and what has no
    counterpart.

    A difference is called real only if it is beyond the noise and 90 % of the samples were measured on both sides;
    scores that were not measured on both sides are excluded and counted. Runs of `saiten converse` are also compared
    per group, with a chart in --format html.

    Examples:
      saiten compare runs/before runs/after
      saiten compare runs/all runs/all --systems careful,hasty
      saiten compare runs/qa runs/mqa runs/other
      saiten compare runs/before runs/after --format html > difference.html
      saiten compare runs/main runs/change --fail-if-worse faithfulness --fail-if-worse correctness=0.1

    Exit status: 0 success, 2 invalid input, 5 worse or (with --fail-if-worse) not finished.
    """
    from saiten.cli.show_summary import note_unfinished
    from saiten.results.compare import compare_sides, sides_of
    from saiten.results.only_words import ONLY_WORDS, only_words
    from saiten.results.what_differs import what_differs
    from saiten.results.worse import read_margin, worsenings
    from saiten.runs import read_run
    from saiten.views.render import render
    from saiten.views.tables.comparison import comparison_tables
    from saiten.views.tables.gate import worse_table
    from saiten.words import Message

    if len(runs) < 2:
        raise BadInput("name at least two runs; to compare two systems of one run, name it twice with --systems")
    margins = [read_margin(text) for text in fail_if_worse or ()]
    notes = notifier(stderr())
    readers = [read_run(run, notify=notes) for run in runs]
    names = _systems(systems, len(readers))
    unfinished = note_unfinished(readers)
    if any(only_words(reader.manifest.signatures.values()) for reader in readers):
        stderr().print(ONLY_WORDS, style="bold")
    remarks = what_differs(readers)
    for remark in remarks:
        notes(remark)
    found = compare_sides(sides_of(readers, names))
    for one in found:
        for remark in one.remarks:
            notes(Message("screen", "remark_on", first=one.first, second=one.second, remark=remark))
    tables = comparison_tables(readers, names, found=found, remarks=remarks, glance=form == "table")
    first, *others = (reader.bad_rows() for reader in readers)
    lost = [min(first, other) for other in others]  # items lost on one side only were measured on the other
    worse = worsenings(found, margins, lost)
    if worse:
        tables.append(worse_table(worse))
    render(tables, form, stdout(), " · ".join(map(str, runs)) if len(tables) > 1 else "")
    failed = [each for each in worse if not each.passed]
    for each in failed:
        values = {"metric": each.metric, "first": each.first, "second": each.second, "why": each.why}
        stderr().print(f"[bold red]failed:[/] {escape_untrusted(Message('screen', 'worse', **values))}")
    if margins and unfinished:
        stderr().print("[bold red]failed:[/] a run is not finished, and may be worse where it is not measured yet")
    if failed or (margins and unfinished):
        raise typer.Exit(MISSED)


def _systems(text: str | None, runs: int) -> list[str | None]:
    if text is None:
        return [None] * runs
    names = [name.strip() for name in text.split(",")]
    if len(names) != runs or not all(names):
        raise BadInput(f"--systems expects {runs} names separated by commas, not {text!r}")
    return list(names)
