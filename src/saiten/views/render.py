"""Tables in six forms: terminal, JSON, CSV, Markdown, LaTeX, and a page for the browser."""

import csv
import io
import re
from collections.abc import Sequence

from rich.console import Console

from saiten.choices import Format
from saiten.views.latex import as_latex
from saiten.views.strip_controls import json_text, strip_controls
from saiten.views.table import Table, WordedTable, show_cell
from saiten.views.terminal import print_tables

_FORMULA = re.compile(r"[=+@\t-](?!\d+(?:\.\d+)?\Z)")


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
                ["" if c is None else _no_formula(strip_controls(c)) if isinstance(c, str) else c for c in cells]
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


def _no_formula(text: str) -> str:
    """Prefix an apostrophe if a spreadsheet would run the text as a formula; answers come from anywhere."""
    return f"'{text}" if _FORMULA.match(text) else text


def as_markdown(tables: Sequence[Table]) -> str:
    """Return GitHub's Markdown tables."""
    parts = []
    for table in (each.in_language("en") for each in tables):
        lines = [f"### {_flat(table.title)}", "", _line(table.columns), _line(["---"] * len(table.columns))]
        lines += [_line([show_cell(cell) for cell in row]) for row in table.rows]
        if table.caption:
            lines += ["", _flat(table.caption)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def render(tables: Sequence[Table], form: Format, console: Console, title: str = "") -> None:
    """Print the tables in one of the six forms; `title` is the page's subject if the form is a page."""
    if form == "table":
        print_tables(tables, console)
    elif form == "html":
        from saiten.views.page.page import write_page  # noqa: PLC0415 - jinja2 is loaded for those who ask for a page

        write_page(tables, console.file, title=title)
    else:
        text = {"json": as_json, "csv": as_csv, "md": as_markdown, "latex": as_latex}[form](tables)
        # Not console.print: wrapping and markup would change the input of other programs.
        console.file.write(text.removesuffix("\n") + "\n")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_flat(cell) for cell in cells) + " |"


def _flat(text: str) -> str:
    """Escape Markdown and HTML, and join lines."""
    return re.sub(r"([\\|<`])", r"\\\1", " ".join(strip_controls(text).split()))
