"""The steps of `saiten demo`: each runs a command in this process and prints the chosen part of its output."""

import io
import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from saiten.cli.output import escape_untrusted
from saiten.demo.steps import DemoStep
from saiten.durable.whole_file import write_whole
from saiten.errors import BadInput, ConfigurationError
from saiten.options import without_default_file
from saiten.views.strip_controls import strip_controls

_MARK = "made-by-saiten-demo"
"""The file that marks a folder as written by a demo."""


def make_room(out: Path) -> None:
    """Remove an earlier demo; leave anything else alone.

    Raises:
        BadInput: the folder holds something else.
        ConfigurationError: it cannot be written.
    """
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


def run_step(step: DemoStep, words: Sequence[str], saiten: Any, console: Console, noted: set[str]) -> None:
    """Print the command, run it in this process, and print its output, or the chosen part of it.

    `noted`: the notes on standard error so far, which are not repeated.

    Raises:
        typer.Exit: the command ended with another status than expected.
    """
    console.print(Text(f"$ saiten {shlex.join(map(strip_controls, words))}", "bold cyan"), soft_wrap=True)
    captured, notes = _Captured(sys.stdout.isatty()), _Captured(sys.stderr.isatty())
    status = 0
    try:
        with redirect_stdout(captured), redirect_stderr(notes), without_default_file():
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


class _Captured(io.StringIO):
    """Output that is styled as it would be on the screen."""

    def __init__(self, on_screen: bool) -> None:
        super().__init__()
        self._on_screen = on_screen

    def isatty(self) -> bool:
        return self._on_screen
