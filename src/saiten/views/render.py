"""Tables in seven forms: terminal, JSON, CSV, Markdown, LaTeX, a page for the browser, and a workbook."""

import csv
import io
import re
from collections.abc import Sequence

from rich.console import Console

from saiten.choices import Format
from saiten.views.formulas import no_formula
from saiten.views.latex import as_latex
from saiten.views.strip_controls import json_text, strip_controls
from saiten.views.table import Table, WordedTable, show_cell
from saiten.views.terminal import print_tables
from saiten.words.terminal import terminal_language


def as_json(tables: Sequence[Table]) -> str:
    """Return `{title: [{column: cell}]}`, one object per row; repeated titles are numbered, so that none is lost."""
    value = {
        title: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        for title, table in _by_title(tables).items()
    }
    return json_text(value)


def as_csv(tables: Sequence[Table]) -> str:
    """Return all tables one below the other, with the title as first column if there are several."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for title, table in _by_title(tables).items():
        for first, row in (("table", table.columns), *((title, row) for row in table.rows)):
            cells = (first, *row) if len(tables) > 1 else row
            writer.writerow(
                ["" if c is None else no_formula(strip_controls(c)) if isinstance(c, str) else c for c in cells]
            )
    return out.getvalue()


def _by_title(tables: Sequence[Table]) -> dict[str, WordedTable]:
    """Return the English tables by title, numbered if equal: titles contain names from outside."""
    found: dict[str, WordedTable] = {}
    for table in (each.in_language("en") for each in tables):
        title, number = table.title, 2
        while title in found:
            title, number = f"{table.title} ({number})", number + 1
        found[title] = table
    return found


def as_markdown(tables: Sequence[Table]) -> str:
    """Return GitHub's Markdown tables."""
    parts = []
    for table in (each.in_language(terminal_language()) for each in tables):
        lines = [f"### {_flat(table.title)}", "", _line(table.columns), _line(["---"] * len(table.columns))]
        lines += [_line([show_cell(cell) for cell in row]) for row in table.rows]
        if table.caption:
            lines += ["", _flat(table.caption)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def render(tables: Sequence[Table], form: Format, console: Console, title: str = "") -> None:
    """Print the tables in one of the seven forms; `title` is the subject of a page or a workbook.

    Forms for people are in the language of the terminal; JSON and CSV, which programs read, are in English.

    Raises:
        ConfigurationError: A workbook is to be printed on a terminal.
    """
    if form == "table":
        print_tables(tables, console)
    elif form == "html":
        from saiten.views.page.page import write_page  # noqa: PLC0415 - jinja2 is loaded for those who ask for a page

        write_page(tables, console.file, title=title, language=terminal_language())
    elif form == "xlsx":
        from saiten.views.sheets import to_stdout  # noqa: PLC0415 - the same for a workbook

        to_stdout(tables, console.file, title, terminal_language())
    else:
        text = {"json": as_json, "csv": as_csv, "md": as_markdown, "latex": as_latex}[form](tables)
        # Not console.print: wrapping and markup would change the input of other programs.
        console.file.write(text.removesuffix("\n") + "\n")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_flat(cell) for cell in cells) + " |"


def _flat(text: str) -> str:
    """Escape Markdown and HTML, and join lines."""
    return re.sub(r"([\\|<`])", r"\\\1", " ".join(strip_controls(text).split()))
