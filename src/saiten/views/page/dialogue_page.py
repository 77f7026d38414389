"""One dialogue for the terminal: questions and answers, the agents' thoughts, the grades in the margin."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.lines import dialogue_to_json
from saiten.views.strip_controls import json_text, strip_controls
from saiten.views.tables.dialogue_rows import Kind, Row, dialogue_rows
from saiten.words import Message, in_language
from saiten.words.terminal import in_terminal_language, screen_words, terminal_language

_GRADE_STYLES = ((4.5, "bold green"), (3.5, "green"), (2.5, "yellow"), (0.0, "bold red"))
"""Lowest grade of each style."""

_WIDEST = 110
"""Maximum columns of text, for legibility."""
_STYLES: Mapping[Kind, str] = {"said": "", "question": "bold", "thought": "dim italic", "passage": "dim"}


def print_dialogue(dialogue: Dialogue, out: Console) -> None:
    """Print for the terminal. Texts from outside are printed verbatim and cannot style the screen."""
    where = " · ".join(part for part in (dialogue.system, dialogue.group or "", dialogue.language) if part)
    width = min(out.width, _WIDEST)
    out.print(Text.assemble((strip_controls(dialogue.id), "bold"), "  ", (strip_controls(where), "dim")), width=width)
    out.print(_grades(dialogue), width=width)
    out.print(_ended(dialogue), width=width)
    out.print()
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right", min_width=6, no_wrap=True)
    grid.add_column(style="dim", no_wrap=True, min_width=9)
    grid.add_column(overflow="fold")
    before: Row | None = None
    for row in dialogue_rows(dialogue):
        if before is not None and (row.title == "asks" or (not row.turn and before.turn)):
            grid.add_row("", "", "")
        grid.add_row(_margin(row), Text(screen_words(row.title), "yellow" if row.title == "leak" else ""), _text(row))
        before = row
    out.print(grid, width=width)


def _grades(dialogue: Dialogue) -> Text:
    grades = ", ".join(_short(grade) for grade in dialogue.grades)
    return Text("   ".join([f"σ = [{grades}]", *(f"{name} {_short(one)}" for name, one in dialogue.scores.items())]))


def _ended(dialogue: Dialogue) -> Text:
    reason = f"  {strip_controls(in_terminal_language(dialogue.reason))}" if dialogue.reason else ""
    failed = dialogue.ended == "failed"
    how = Message("status", "failed") if failed else Message("ended", dialogue.ended.replace(" ", "_"))
    style = "bold red" if failed else "bold"
    return Text.assemble(screen_words("ended"), (in_terminal_language(how), style), reason)


def _text(row: Row) -> Text:
    text = Text(strip_controls(in_language(row.text, terminal_language())), _STYLES[row.kind])
    if row.seconds is not None:
        text.append(f"  ({row.seconds:.1f} s)", "dim")
    return text


def _margin(row: Row) -> Text:
    """Return the grade; for a question, the turn that it opens."""
    if row.title == "asks":
        return Text(screen_words("turn", n=row.turn), "dim")
    if row.grade is None:
        return Text("")
    grade = row.grade
    return Text(_short(grade), next(style for least, style in _GRADE_STYLES if grade >= least))


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def dialogue_json(dialogue: Dialogue) -> str:
    """Return the dialogue as one JSON object."""
    return json_text(dialogue_to_json(dialogue))
