"""`saiten testset worth`: what a test set covers, how difficult it is, and what differences it shows."""

import asyncio
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.shared_options import FormatOption
from saiten.errors import BadInput, ConfigurationError

if TYPE_CHECKING:
    from saiten.testsets.asked_about import StoredDocument


def worth(
    testset: Annotated[
        Path, typer.Argument(help="Test set: the folder of `saiten questions`, or a file of questions.", metavar="SET")
    ],
    runs: Annotated[
        list[Path] | None, typer.Argument(help="Scored runs of two or more systems on its questions.", metavar="RUN…")
    ] = None,
    metric: Annotated[
        str | None, typer.Option("--metric", "-m", help="Metric to use. Default: the first that all runs have.")
    ] = None,
    kb: Annotated[
        str | None, typer.Option(help="Knowledge base with the documents. Default: kb in the folder of the test set.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="HTML page to write, with pictures.")] = None,
    difference: Annotated[
        list[float] | None,
        typer.Option(help="Difference to detect. Repeatable. Default: 0.02, 0.05 and 0.1 of the metric's scale."),
    ] = None,
    power: Annotated[float, typer.Option(help="Probability of detecting a difference of that size.")] = 0.8,
    form: FormatOption = "table",
) -> None:
    """Show what a test set covers, how difficult it is, and which differences it can detect.

    Scored runs of two or more systems show which questions all systems answer well or badly, which questions separate
    no two systems, the smallest difference between two systems that these questions can detect, and how many questions
    a given difference takes. With a knowledge base, a picture shows which parts of the documents no question is about.
    Without runs, only the questions and their coverage are shown.

    Examples:
      saiten testset worth testset -o worth.html
      saiten testset worth testset runs/a runs/b -m correctness -o worth.html
      saiten testset worth questions.csv runs/pilot --kb kb --difference 0.03
      saiten testset worth testset runs/a runs/b --power 0.9 --format json

    Exit status: 0 success, 2 invalid input.
    """
    from saiten.cli.show_summary import note_unfinished
    from saiten.results.set_worth import SetWorth, measured
    from saiten.runs import read_run
    from saiten.testsets.asked_about import asked_about
    from saiten.testsets.reading import items_of
    from saiten.views.page.page import write_page
    from saiten.views.page.page_file import check_page_place, page_file
    from saiten.views.render import render
    from saiten.views.tables.set_worth import worth_tables
    from saiten.words.terminal import terminal_language

    wanted = difference or ()
    _check(power, wanted)
    if metric is not None and not runs:
        raise BadInput("--metric needs a run; name a scored run of the test set, or leave --metric out")
    if out is not None:
        check_page_place(out, "worth.html")
    notes = notifier(stderr())
    items = tuple(items_of(testset, notify=notes))
    documents = _documents(testset, kb)
    readers = [read_run(run, notify=notes) for run in runs or ()]
    note_unfinished(readers)
    base = None if documents is None else asked_about(items, documents)
    found = measured(items, readers, metric, wanted, power) if readers else None
    for remark in found.scores.remarks if found else ():
        notes(remark)
    made = SetWorth(items, base, found)
    render(worth_tables(made, glance=form == "table"), form, stdout(), str(testset))
    if out is not None:
        with page_file(out, "worth.html") as file:
            write_page(worth_tables(made), file, title=str(testset), language=terminal_language())
        notes(f"written to {out}")


def _check(power: float, differences: Sequence[float]) -> None:
    from saiten.stats.power import LEVEL

    if not LEVEL < power < 1:
        raise ConfigurationError(f"--power is {power}; expected a probability between {LEVEL} and 1, such as 0.8")
    for wrong in (each for each in differences if not (isfinite(each) and each > 0)):
        raise ConfigurationError(f"--difference is {wrong}; expected a number above 0, such as 0.05")


def _documents(testset: Path, kb: str | None) -> "list[StoredDocument] | None":
    """Return the documents of the knowledge base; None without one."""
    from saiten.testsets.reading import kb_next_to
    from saiten.wiring import documents_in

    place = kb or kb_next_to(testset)
    return None if place is None else asyncio.run(documents_in(place))
