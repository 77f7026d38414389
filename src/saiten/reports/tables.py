"""A table as data, and its four forms: terminal, JSON, CSV, Markdown."""

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from saiten.reports.visible import visible, visible_json

Cell = str | int | float | bool | None
Format = Literal["table", "json", "csv", "md"]

_LONGEST_NAME = 40
"""Characters in a first column that are kept on one line."""


@dataclass(frozen=True)
class Table:
    """Rows of cells under column names. Numbers stay numbers until the table is rendered."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    """What a reader must know to believe the figures."""


def show_cell(cell: Cell) -> str:
    """A cell for people: floats with three decimals, a dash for nothing, a sign for a control character."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.3f}"
    return visible(str(cell))


def print_tables(tables: Sequence[Table], console: Console) -> None:
    """Print for the terminal; text from outside is shown as it is and cannot style the screen."""
    for table in tables:
        drawn = RichTable(
            title=Text(visible(table.title)),
            title_justify="left",
            title_style="bold",
            header_style="bold",
            box=SIMPLE_HEAD,
        )
        for index, column in enumerate(table.columns):
            cells = [row[index] for row in table.rows]
            numeric = any(isinstance(cell, int | float) for cell in cells)
            # A name is not broken; what is too long for that (a signature, some ids) is, rather than cut off.
            name = index == 0 and all(len(show_cell(cell)) <= _LONGEST_NAME for cell in cells)
            drawn.add_column(
                Text(visible(column)), justify="right" if numeric else "left", overflow="fold", no_wrap=name
            )
        for row in table.rows:
            drawn.add_row(*(Text(show_cell(cell)) for cell in row))
        console.print(drawn)
        if table.caption:
            console.print(Text(visible(table.caption), "dim"))
        console.print()


def as_json(tables: Sequence[Table]) -> str:
    """`{title: [{column: cell}]}`, one object per row."""
    value = {table.title: [dict(zip(table.columns, row, strict=True)) for row in table.rows] for table in tables}
    return visible_json(json.dumps(value, ensure_ascii=False, indent=2))


def as_csv(tables: Sequence[Table]) -> str:
    """All tables below each other, with the title as first column where there are several."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for table in tables:
        for first, row in (("table", table.columns), *((table.title, row) for row in table.rows)):
            cells = (first, *row) if len(tables) > 1 else row
            writer.writerow(["" if c is None else visible(c) if isinstance(c, str) else c for c in cells])
    return out.getvalue()


def as_markdown(tables: Sequence[Table]) -> str:
    """GitHub's Markdown tables."""
    parts = []
    for table in tables:
        lines = [f"### {_flat(table.title)}", "", _line(table.columns), _line(["---"] * len(table.columns))]
        lines += [_line([show_cell(cell) for cell in row]) for row in table.rows]
        if table.caption:
            lines += ["", _flat(table.caption)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def render(tables: Sequence[Table], form: Format, console: Console) -> None:
    """Print the tables in one of the four forms."""
    if form == "table":
        print_tables(tables, console)
        return
    text = {"json": as_json, "csv": as_csv, "md": as_markdown}[form](tables)
    # Not console.print: wrapping and markup would change what other programs read.
    console.file.write(text if text.endswith("\n") else text + "\n")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_flat(cell) for cell in cells) + " |"


def _flat(text: str) -> str:
    """On one line, and without what Markdown or HTML would take for its own."""
    return re.sub(r"([\\|<`])", r"\\\1", " ".join(visible(text).split()))
