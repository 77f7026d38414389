"""The steps of `saiten demo`: each runs a command in this process and prints the chosen part of its output.

The folder keeps a list of the steps that are done, so that a section shown later finds what earlier ones have made.
"""

import io
import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from saiten.cli.output import escape_untrusted
from saiten.demo.files import write_files
from saiten.demo.steps import SECTIONS, DemoSection, DemoStep, needed_first
from saiten.durable.whole_file import write_whole
from saiten.errors import BadInput, ConfigurationError
from saiten.options import without_default_file
from saiten.version import __version__
from saiten.views.strip_controls import strip_controls
from saiten.words import Message
from saiten.words.terminal import in_terminal_language, terminal_language

_MARK = "made-by-saiten-demo"
"""The file that marks a folder as written by a demo: a sentence, the version, and the commands that are done."""
_SAID = "The next `saiten demo` replaces this folder."
_OTHERWISE = "name another with --out"


_RULE = "───"
"""Below the headings of each part of a table."""
_WIDEST = 100
"""Columns of a paragraph, at most."""


def say(text: str, console: Console) -> None:
    """Print a paragraph; it has rich's markup."""
    console.print(text, width=min(console.width, _WIDEST))


@dataclass
class DemoFolder:
    """A demo's folder, with the commands of the steps that are done."""

    path: Path
    done: list[str] = field(default_factory=list)

    @classmethod
    def new(cls, path: Path) -> "DemoFolder":
        """Remove an earlier demo, leave anything else alone, and write the demo's files.

        Raises:
            BadInput: the folder holds something else.
            ConfigurationError: it cannot be written.
        """
        make_room(path)
        write_files(path)
        made = cls(path)
        made._keep()
        return made

    @classmethod
    def kept(cls, path: Path) -> "DemoFolder":
        """Take over an earlier demo of this version with what it made; begin anew otherwise; raises as `new`."""
        try:
            _, version, *done = (path / _MARK).read_text("utf-8").splitlines()
        except (OSError, ValueError):  # no demo, or one that was killed
            return cls.new(path)
        return cls(path, done) if version == __version__ else cls.new(path)

    def has(self, step: DemoStep) -> bool:
        """Return whether the step's command is done and what it made is there."""
        return step.command in self.done and self._place(step).exists()

    def start(self, step: DemoStep) -> None:
        """Remove what the step made before, so that its command begins anew."""
        if step.command in self.done:
            self.done.remove(step.command)
            self._keep()
        if step.makes:
            _remove(self._place(step))

    def end(self, step: DemoStep) -> None:
        """Keep that the step is done."""
        self.done.append(step.command)
        self._keep()

    def _place(self, step: DemoStep) -> Path:
        return self.path / step.makes.removeprefix("DEMO/")

    def _keep(self) -> None:
        write_whole(self.path / _MARK, "\n".join([_SAID, __version__, *self.done, ""]), otherwise=_OTHERWISE)


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
        write_whole(out / _MARK, f"{_SAID}\n", otherwise=_OTHERWISE)
        for path in there:
            if path.name != _MARK:
                _remove(path)
    except OSError as error:
        raise ConfigurationError(f"{out} cannot be made: {error.strerror}; name another folder with --out") from error


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def list_sections(console: Console) -> None:
    """Print number, name and title of each section."""
    for section in SECTIONS:
        title = in_terminal_language(section.title)
        console.print(Text(f"{section.number:>2}  {section.name:<10} {title}"))
    say("\nFor example: `saiten demo 4`, `saiten demo gist dialogues`, `saiten demo --all`", console)


def show_sections(chosen: Sequence[DemoSection], folder: DemoFolder, saiten: Any, console: Console) -> None:
    """Run the steps of these sections and show them; what they need of others is made first.

    Raises:
        typer.Exit: a command ended with another status than expected.
    """
    say(
        "Four made-up systems answered questions about an office handbook and a product manual, half in English, half "
        "in Japanese. The judge is [bold]offline-overlap[/]: no model, no key, no network. It compares words, numbers "
        "and names; it understands nothing. Each figure below is from the command above it; long output is cut.",
        console,
    )
    noted = set[str]()
    for section in chosen:
        console.print()
        console.rule(f"[bold]{section.number} · {in_terminal_language(section.title)}[/]", align="left")
        for step in needed_first(section):
            if not folder.has(step):
                _run_step(step, folder, saiten, console, None)
        for at, step in enumerate(section.steps):
            if at:
                console.print()
            if step.remark:
                say(step.remark, console)
            _run_step(step, folder, saiten, console, noted)


def _run_step(step: DemoStep, folder: DemoFolder, saiten: Any, console: Console, noted: set[str] | None) -> None:
    folder.start(step)
    run_step(step, step.words(folder.path, terminal_language()), saiten, console, noted)
    folder.end(step)


def run_step(step: DemoStep, words: Sequence[str], saiten: Any, console: Console, noted: set[str] | None) -> None:
    """Print the command, run it in this process, and print its output, or the chosen part of it.

    `noted`: the notes on standard error so far, which are not repeated; None to show neither output nor notes, for a
    step that only prepares another.

    Raises:
        typer.Exit: the command ended with another status than expected.
    """
    typed = f"saiten {shlex.join(map(strip_controls, words))}"
    if noted is None:
        console.print(f"[dim]needed first: {escape(typed)}[/]", soft_wrap=True)
    else:
        console.print(Text(f"$ {typed}", "bold cyan"), soft_wrap=True)
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
        expected = status == step.status or (step.optional and status == 0)
        title = in_terminal_language(Message("title", step.table)) if step.table else ""
        shown, left_out = excerpt(captured.getvalue(), () if noted is None else step.blocks, step.lines, title)
        if shown:
            sys.stdout.write(f"{shown}\n")
        if noted is not None or not expected:
            _write_notes(notes.getvalue(), set() if noted is None else noted, all_of_them=step.notes or not expected)
    if left_out and step.notes:
        console.print(f"[dim]… {left_out} more lines[/]")
    if not expected:
        raise typer.Exit(status or 1)
    if status and noted is not None:
        console.print(f"[dim]exit status {status}[/]")


def _write_notes(text: str, noted: set[str], *, all_of_them: bool) -> None:
    """Write the notes that were not written before."""
    new = [line for line in text.splitlines(keepends=True) if line not in noted] if all_of_them else []
    noted.update(new)
    sys.stderr.write("".join(new))


def excerpt(text: str, blocks: Sequence[int] | None, most: int, title: str = "") -> tuple[str, int]:
    """Return the chosen blocks, which blank lines separate, cut to `most` lines, and how many lines were cut off.

    `title`: that of a table, whose parts are then the only blocks.
    """
    found = [block.strip("\n") for block in text.split("\n\n") if block.strip()]
    if title:
        after = dropwhile(lambda block: Text.from_ansi(block).plain.strip() != title, found)
        found = list(takewhile(lambda block: _RULE in block, list(after)[1:]))
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
