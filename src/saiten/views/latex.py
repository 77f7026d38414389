"""Tables in LaTeX, with booktabs' rules."""

import re
from collections.abc import Sequence

from saiten.views.strip_controls import strip_controls
from saiten.views.table import Table, show_cell
from saiten.words.terminal import terminal_language


def as_latex(tables: Sequence[Table]) -> str:
    """Return one `table` each with booktabs' rules; Japanese needs LuaLaTeX or XeLaTeX and a Japanese font."""
    parts = ["% needs \\usepackage{booktabs}"]
    for table in (each.in_language(terminal_language()) for each in tables):
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
