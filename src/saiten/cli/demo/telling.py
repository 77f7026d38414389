"""How the demo tells: a heading, a sentence or two, one table, and the commands that do the same."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from saiten.views.strip_controls import strip_controls
from saiten.views.table import Cell, show_cell

_WIDEST = 100
"""Columns that lines of text are read in with pleasure."""
_MARGIN = 11
_NUMBER = re.compile(r"[-±]?[\d.,]+|–|")


def heading(title: str, console: Console) -> None:
    """The line above a section."""
    console.print()
    console.rule(f"[bold]{title}[/]", align="left")


def say(text: str, console: Console) -> None:
    """A sentence or two, with markup of our own."""
    console.print(text, width=min(console.width, _WIDEST))


def add(text: str, console: Console) -> None:
    """The same below a table."""
    console.print()
    say(text, console)


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]], console: Console) -> None:
    """A small table without a title, numbers to the right; the bracket of a metric below its name."""
    drawn = Table(header_style="bold", box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    shown = [[show_cell(cell) for cell in row] for row in rows]
    for name, column in zip(columns, zip(*shown, strict=True), strict=True):
        heads = Text(name.replace("[", "\n[", 1) if name.endswith("]") and " " not in name else name)
        drawn.add_column(heads, justify="right" if all(map(_NUMBER.fullmatch, column)) else "left", overflow="fold")
    for cells in shown:
        drawn.add_row(*map(Text, cells))
    console.print()
    console.print(drawn)


def line(name: str, text: str, console: Console, *, most: int | None = None) -> None:
    """A name in the margin and a text beside it: as much of it as stands in `most` columns, or all."""
    shown = Text(strip_controls(" ".join(text.split())))
    if most is not None:
        shown.truncate(min(console.width - _MARGIN - 2, most), overflow="ellipsis")
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=_MARGIN, no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    grid.add_row(name, shown)
    console.print(grid, width=min(console.width, _WIDEST))


def commands(console: Console, *each: Sequence[str | Path]) -> None:
    """Commands to be copied, below a section: never broken, and quoted where a shell needs it."""
    console.print()
    for words in each:
        typed = " ".join(shlex.quote(strip_controls(str(word))) for word in words)
        console.print(Text(f"  saiten {typed}", "dim"), soft_wrap=True)


def interval(value: float | None, low: float | None, high: float | None) -> str:
    """`0.52 [0.47, 0.57]`, or as much of it as there is."""
    if value is None:
        return "–"
    return f"{value:.2f}" if low is None or high is None else f"{value:.2f} [{low:.2f}, {high:.2f}]"


def short(value: float | None) -> str:
    """`0.52`, or a dash."""
    return interval(value, None, None)
