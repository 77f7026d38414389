"""Tables in six forms: terminal, JSON, CSV, Markdown, LaTeX, and a page for the browser."""

import csv
import io
import json
import re
from collections.abc import Sequence

from rich.console import Console

from saiten.choices import Format
from saiten.views.strip_controls import strip_controls, strip_controls_json
from saiten.views.table import Table, WordedTable, show_cell
from saiten.views.terminal import print_tables


def as_json(tables: Sequence[Table]) -> str:
    """Return `{title: [{column: cell}]}`, one object per row; repeated titles are numbered, so that none is lost."""
    english = _english(tables)
    value = {
        title: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        for title, table in zip(_titles(english), english, strict=True)
    }
    return strip_controls_json(json.dumps(value, ensure_ascii=False, indent=2))


def as_csv(tables: Sequence[Table]) -> str:
    """Return all tables one below the other, with the title as first column if there are several."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    english = _english(tables)
    for title, table in zip(_titles(english), english, strict=True):
        for first, row in (("table", table.columns), *((title, row) for row in table.rows)):
            cells = (first, *row) if len(tables) > 1 else row
            writer.writerow(
                ["" if c is None else _no_formula(strip_controls(c)) if isinstance(c, str) else c for c in cells]
            )
    return out.getvalue()


def _english(tables: Sequence[Table]) -> Sequence[WordedTable]:
    return [table.in_language("en") for table in tables]


def _titles(tables: Sequence[WordedTable]) -> list[str]:
    """Return each table's title, made unique: titles contain names from outside, which may be equal."""
    found: list[str] = []
    for table in tables:
        title, number = table.title, 2
        while title in found:
            title, number = f"{table.title} ({number})", number + 1
        found.append(title)
    return found


_FORMULA = re.compile(r"[=+@\t-](?!\d+(?:\.\d+)?\Z)")


def _no_formula(text: str) -> str:
    """Prefix an apostrophe if a spreadsheet would run the text as a formula; answers come from anywhere."""
    return f"'{text}" if _FORMULA.match(text) else text


def as_markdown(tables: Sequence[Table]) -> str:
    """Return GitHub's Markdown tables."""
    parts = []
    for table in _english(tables):
        lines = [f"### {_flat(table.title)}", "", _line(table.columns), _line(["---"] * len(table.columns))]
        lines += [_line([show_cell(cell) for cell in row]) for row in table.rows]
        if table.caption:
            lines += ["", _flat(table.caption)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def as_latex(tables: Sequence[Table]) -> str:
    """Return one `table` each with booktabs' rules; Japanese needs LuaLaTeX or XeLaTeX and a Japanese font."""
    parts = ["% needs \\usepackage{booktabs}"]
    for table in _english(tables):
        numeric = [any(isinstance(row[i], int | float) for row in table.rows) for i in range(len(table.columns))]
        parts.append(
            "\n".join(
                [
                    "\\begin{table}",
                    "\\centering",
                    f"\\caption{{{_latex('. '.join(text for text in (table.title, table.caption) if text))}}}",
                    f"\\begin{{tabular}}{{{''.join('r' if one else 'l' for one in numeric)}}}",
                    "\\toprule",
                    _latex_line(table.columns),
                    "\\midrule",
                    *(_latex_line([show_cell(cell) for cell in row]) for row in table.rows),
                    "\\bottomrule",
                    "\\end{tabular}",
                    "\\end{table}",
                ]
            )
        )
    return "\n\n".join(parts) + "\n"


def render(tables: Sequence[Table], form: Format, console: Console, title: str = "") -> None:
    """Print the tables in one of the six forms; `title` is the page's subject if the form is a page."""
    if form == "table":
        print_tables(tables, console)
        return
    if form == "html":
        from saiten.views.page.page import write_page  # noqa: PLC0415 - jinja2 is loaded for those who ask for a page

        write_page(tables, console.file, title=title)
        return
    text = {"json": as_json, "csv": as_csv, "md": as_markdown, "latex": as_latex}[form](tables)
    # Not console.print: wrapping and markup would change the input of other programs.
    console.file.write(text if text.endswith("\n") else text + "\n")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_flat(cell) for cell in cells) + " |"


def _flat(text: str) -> str:
    """Escape Markdown and HTML, and join lines."""
    return re.sub(r"([\\|<`])", r"\\\1", " ".join(strip_controls(text).split()))


def _latex_line(cells: Sequence[str]) -> str:
    # The empty group prevents a leading bracket from being read as an argument of the previous line break.
    line = " & ".join(_latex(cell) for cell in cells)
    return ("{}" if line.startswith(("[", "*")) else "") + line + r" \\"


def _latex(text: str) -> str:
    """Escape LaTeX, join lines, and prevent ligatures: `--` would become a dash, two apostrophes a quote."""
    plain = " ".join(strip_controls(text).split())
    escaped = re.sub(r"[\\{}$&#^_~%<>|\"`]", lambda found: _LATEX[found.group()], plain)
    return re.sub(r"([-',])(?=\1)", r"\1{}", escaped)


_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
} | {sign: "\\" + sign for sign in "{}$&#_%"}
