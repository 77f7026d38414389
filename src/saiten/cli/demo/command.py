"""`saiten demo`: the tour on built-in samples whose defects are known; no key, no network."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.demo import (
    answers,
    aspects,
    behind,
    believing,
    builds,
    chains,
    dialogues,
    evidence,
    few_labels,
    gist,
    page,
    people,
    probing,
)
from saiten.cli.demo.beside import beside
from saiten.cli.demo.data import DATA, lay_out
from saiten.cli.demo.own_rag import our_rag
from saiten.cli.demo.telling import say
from saiten.cli.output import stderr, stdout
from saiten.demo import load_demo
from saiten.durable.whole_file import write_whole
from saiten.errors import BadInput, ConfigurationError
from saiten.runs import read_run

app = typer.Typer(add_completion=False)

_MARK = "made-by-saiten-demo"
"""The file by which a later demo knows the folder for its own."""


@app.command()
def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Where the runs are kept; an earlier demo is replaced.")
    ] = Path("runs/demo"),
) -> None:
    """The tour: built-in answers, documents and questions in Japanese and English, and the offline judge.

    192 answers of four made-up systems are graded. Each has a defect that is known by construction, so that the metrics
    and the judge are held against what is known. Then what answers lack and add, aspects, evidence, dialogues with our
    own RAG, its chains, the page where people grade, and what a CI system would say; and under each section the
    commands that do the same. A page for the browser, report.html, holds the figures and every answer.

    Examples:
      saiten demo
      saiten demo -o runs/tour
    """
    console, notes = stdout(), stderr()
    samples = load_demo()
    make_room(out)
    lay_out(out, samples)
    console.rule("[bold]saiten · 採点[/]", align="left")
    say(
        f"{len(samples)} answers of four made-up systems to questions about an office handbook and a product manual, "
        "half English, half Japanese. Judge: [bold]offline-overlap[/]: no model, no key, no network. It compares "
        "words, numbers and names; it understands nothing. [dim]The dim lines are the commands that do the same.[/]",
        console,
    )
    with beside(our_rag, out) as wait:
        answers.tell_means(out, samples, console, notes)
        answers.tell_defects(out, samples, console)
        behind.tell(out, samples, console)
        believing.tell(out, samples, console, notes)
        probing.tell(console, notes)
        few_labels.tell(out, samples, console, notes)
        gist.tell(out, console, notes)
        aspects.tell(out, samples, console, notes)
        with notes.status("our RAG is still answering"):
            wait()
    dialogues.demo_dialogues(out / "dialogues", notes)
    evidence.tell(out, samples, console)
    dialogues.tell(out, console, notes)
    chains.tell(out, console, notes)
    people.tell(out, samples, console, notes)
    builds.tell(out, samples, console, notes)
    page.tell(out, samples, console, notes)


def make_room(out: Path) -> None:
    """What an earlier demo left there is removed; anything else is left alone.

    Raises:
        BadInput: the folder holds something else.
        ConfigurationError: it cannot be written.
    """
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is no folder; name another with --out")
    there = list(out.iterdir()) if out.exists() else []
    if there and not _is_ours(out):
        raise BadInput(f"{out} holds something else than a demo; name another folder with --out")
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_whole(out / _MARK, "The next `saiten demo` replaces this folder.\n", otherwise="name another with --out")
        for path in there:
            if path.name == _MARK:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    except OSError as error:
        raise ConfigurationError(f"{out} cannot be made: {error.strerror}; name another folder with --out") from error


def _is_ours(out: Path) -> bool:
    """By the mark; or, of an earlier version, by what its run was made of."""
    run = out / "answers"
    return (out / _MARK).is_file() or (
        (run / "manifest.json").is_file() and read_run(run).manifest.settings.get("data") == DATA
    )
