"""`saiten demo`: a tour of built-in samples with known defects; no key, no network."""

import io
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from saiten.cli.output import escape_untrusted, stdout
from saiten.errors import BadInput, ConfigurationError

if TYPE_CHECKING:
    from saiten.demo.steps import DemoStep

app = typer.Typer(add_completion=False)

_MARK = "made-by-saiten-demo"
"""The file that marks a folder as written by a demo."""
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


def run_step(step: "DemoStep", words: Sequence[str], saiten: Any, console: Console, noted: set[str]) -> None:
    """Print the command, run it in this process, and print its output, or the chosen part of it.

    `noted`: the notes on standard error so far, which are not repeated.

    Raises:
        typer.Exit: the command ended with another status than expected.
    """
    from saiten.views.strip_controls import strip_controls

    console.print(Text(f"$ saiten {shlex.join(map(strip_controls, words))}", "bold cyan"), soft_wrap=True)
    captured, notes = _Captured(sys.stdout.isatty()), _Captured(sys.stderr.isatty())
    status = 0
    try:
        with redirect_stdout(captured), redirect_stderr(notes):
            status = saiten.main(list(words), prog_name="saiten", standalone_mode=False) or 0
    except ConfigurationError as error:
        if not step.optional:
            raise
        console.print(f"  {escape_untrusted(error)}", style="dim", soft_wrap=True)
    finally:
        shown, left_out = excerpt(captured.getvalue(), step.blocks, step.lines)
        if shown:
            sys.stdout.write(f"{shown}\n")
        new = [line for line in notes.getvalue().splitlines(keepends=True) if line not in noted]
        noted.update(new)
        sys.stderr.write("".join(new))
    if left_out:
        console.print(f"[dim]… {left_out} more lines[/]")
    if status != step.status and not (step.optional and status == 0):
        raise typer.Exit(status or 1)
    if status:
        console.print(f"[dim]exit status {status}[/]")


def excerpt(text: str, blocks: Sequence[int] | None, most: int) -> tuple[str, int]:
    """Return the chosen blocks, which blank lines separate, cut to `most` lines, and how many lines were cut off."""
    found = [block.strip("\n") for block in text.split("\n\n") if block.strip()]
    inside = range(-len(found), len(found))
    places = range(len(found)) if blocks is None else sorted({at % len(found) for at in blocks if at in inside})
    lines = "\n\n".join(found[place] for place in places).splitlines()
    return "\n".join(lines[:most]), len(lines[most:])


def make_room(out: Path) -> None:
    """Remove an earlier demo; leave anything else alone.

    Raises:
        BadInput: the folder holds something else.
        ConfigurationError: it cannot be written.
    """
    from saiten.durable.whole_file import write_whole

    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is not a folder; name another with --out")
    there = list(out.iterdir()) if out.exists() else []
    if there and not (out / _MARK).is_file():
        raise BadInput(f"{out} contains something other than a demo; name another folder with --out")
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


class _Captured(io.StringIO):
    """Output that is styled as it would be on the screen."""

    def __init__(self, on_screen: bool) -> None:
        super().__init__()
        self._on_screen = on_screen

    def isatty(self) -> bool:
        return self._on_screen


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
