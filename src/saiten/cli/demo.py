"""`saiten demo`: a tour of built-in samples with known defects; no key, no network."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from saiten.cli.output import escape_untrusted, stdout

app = typer.Typer(add_completion=False)

_WIDEST = 100
"""Columns of a paragraph, at most."""


@app.command()
def demo(
    context: typer.Context,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the runs; an earlier demo is replaced.")] = Path(
        "runs/demo"
    ),
) -> None:
    """Take a tour of built-in answers, documents and questions in Japanese and English, with the offline judge.

    192 answers of four made-up systems are graded. Each has a known defect, so that metrics and judge can be compared
    with the truth. The tour continues with missing and extra information, aspects, evidence, dialogues with the
    built-in RAG, its chains, the annotation page, and the exit status for a CI system. Every step is a saiten command,
    printed as you would type it. An HTML report, report.html, has the figures and every answer.

    Examples:
      saiten demo
      saiten demo -o runs/tour
    """
    from saiten.cli.touring import make_room, run_step
    from saiten.demo.files import write_files
    from saiten.demo.steps import STEPS

    console = stdout()
    make_room(out)
    write_files(out)
    console.rule("[bold]saiten · 採点[/]", align="left")
    _say(
        "Four made-up systems answered questions about an office handbook and a product manual, half in English, half "
        "in Japanese. The judge is [bold]offline-overlap[/]: no model, no key, no network. It compares words, numbers "
        "and names; it understands nothing. Each figure below is from the command above it; long output is cut.",
        console,
    )
    saiten = context.find_root().command
    section, noted = 0, set[str]()
    for step in STEPS:
        console.print()
        if step.title:
            section += 1
            console.rule(f"[bold]{section} · {step.title}[/]", align="left")
        if step.remark:
            _say(step.remark, console)
        run_step(step, step.words(out), saiten, console, noted)
    _say_what_next(out / "report.html", console)


def _say(text: str, console: Console) -> None:
    console.print(text, width=min(console.width, _WIDEST))


def _say_what_next(report: Path, console: Console) -> None:
    console.print("\nYour own answers, without a model, and what a model would cost:\n")
    console.print("  saiten score my.csv -m overlap -m faithfulness", style="dim", soft_wrap=True)
    console.print(
        "  saiten score my.csv -m ragas --judge openai:gpt-4o --dry-run", style="dim", markup=False, soft_wrap=True
    )
    if called := how_to_call(Path(sys.executable).parent):
        console.print()
        _say(called, console)
    console.print(f"\nThe report, for your browser: [bold]{escape_untrusted(report)}[/]", soft_wrap=True)


def how_to_call(folder: Path) -> str | None:
    """Return advice if a shell would not find the `saiten` in this folder of programs."""
    program = shutil.which("saiten", path=str(folder))
    found = shutil.which("saiten")
    if program is None or (found is not None and Path(found).samefile(program)):
        return None
    here = Path(os.path.relpath(program))
    shown = escape_untrusted(program if here.parts[0] == os.pardir else here)
    activate = folder / "activate"
    first = (
        f"run [bold]source {escape_untrusted(Path(shown).parent / activate.name)}[/] once per shell, or "
        if activate.exists()
        else ""
    )
    return f"`saiten` is not on your PATH here: {first}type [bold]{shown}[/] instead of saiten."
