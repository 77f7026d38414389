"""`saiten demo`: a tour of built-in samples with known defects; no key, no network."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from saiten.cli.output import escape_untrusted, stdout

app = typer.Typer(add_completion=False)

_ACTIVATE = {"fish": ".fish", "csh": ".csh", "tcsh": ".csh"}
"""Shell → the ending of its script; the others share one."""
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
    lines = [
        "saiten init my.csv  # what can be measured with your own answers; writes saiten.toml",
        "saiten score my.csv -m overlap -m faithfulness",
        "saiten score my.csv -m ragas --judge openai:gpt-4o --dry-run  # what a model would cost",
    ]
    if program := not_found(Path(sys.executable).parent):
        activate = activation(program.parent, os.environ)
        first = f"{activate}  # once per shell: `saiten` is not on your PATH" if activate else ""
        lines = [first, *lines] if first else [line.replace("saiten", shown(program), 1) for line in lines]
    console.print("\nNext:\n")
    for line in lines:
        console.print(f"  {line}", style="dim", markup=False, soft_wrap=True)
    console.print(f"\nThe report, for your browser: [bold]{escape_untrusted(report)}[/]", soft_wrap=True)


def not_found(folder: Path) -> Path | None:
    """Return the `saiten` in this folder of programs if a shell would not find it; None if it would."""
    program = shutil.which("saiten", path=str(folder))
    found = shutil.which("saiten")
    if program is None or (found is not None and Path(found).samefile(program)):
        return None
    return Path(program)


def activation(folder: Path, environ: Mapping[str, str]) -> str | None:
    """Return the command of the user's shell that activates the environment with this folder; None if it has none."""
    if (folder / "activate.bat").exists():
        return shown(folder / "activate")
    ending = _ACTIVATE.get(Path(environ.get("SHELL", "")).name, "")
    script = folder / f"activate{ending}"
    return f"source {shown(script)}" if script.exists() else None


def shown(path: Path) -> str:
    """Return the path as one types it here."""
    from saiten.views.strip_controls import strip_controls

    here = Path(os.path.relpath(path))
    return shlex.quote(strip_controls(str(path if here.parts[0] == os.pardir else here)))
