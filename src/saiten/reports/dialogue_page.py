"""One dialogue for the terminal: what was asked and answered, what the agents made of it, the grades at the margin."""

import json
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from saiten.dialogue.dialogue import Dialogue, Step
from saiten.dialogue.lines import dialogue_to_json
from saiten.reports.tables import show_cell
from saiten.reports.visible import visible, visible_json

_GRADE_STYLES = ((4.5, "bold green"), (3.5, "green"), (2.5, "yellow"), (0.0, "bold red"))
"""From this grade on."""

_TITLES = {
    "T1": "system",
    "T2": "composed",
    "T3": "review",
    "T4": "questioner",
    "T5": "asks",
    "T6": "revised",
    "T7": "review",
}


def print_dialogue(dialogue: Dialogue, out: Console) -> None:
    """Print for the terminal. Texts from outside are shown as they are: they cannot style the screen."""
    where = " · ".join(part for part in (dialogue.system, dialogue.group or "", dialogue.language) if part)
    out.print(Text.assemble((visible(dialogue.id), "bold"), "  ", (visible(where), "dim")))
    out.print(_outcome(dialogue))
    out.print()
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right", width=6, no_wrap=True)
    grid.add_column(style="dim", no_wrap=True, width=10)
    grid.add_column(overflow="fold")
    grid.add_row("", "reference", Text(visible(dialogue.reference)))
    question = dialogue.question
    for turn in range(1, max((step.turn for step in dialogue.steps), default=1) + 1):
        grid.add_row("", "", "")
        grid.add_row(Text(f"turn {turn}", "dim"), "asks", Text(visible(question), "bold"))
        for step in (step for step in dialogue.steps if step.turn == turn):
            for row in _rows(step):
                grid.add_row(*row)
            if step.name == "T5" and step.text:
                question = step.text
    out.print(grid)
    out.print()
    for line in _remarks(dialogue):
        out.print(line)


def _outcome(dialogue: Dialogue) -> Text:
    scores = "  ".join(f"{name} {_short(value)}" for name, value in dialogue.scores.items())
    grades = ", ".join(_short(grade) for grade in dialogue.grades)
    colour = "bold red" if dialogue.ended == "failed" else "bold"
    return Text.assemble(f"σ = [{grades}]  {scores}  ended: ", (dialogue.ended, colour))


def _rows(step: Step) -> Iterator[tuple[Text, Text, Text]]:
    """A step in one row, and what the agent explained below it; a T5 is shown as the next turn's question."""
    margin = Text("")
    if step.grade is not None:
        style = next(style for least, style in _GRADE_STYLES if step.grade >= least)
        margin = Text(_short(step.grade), style)
    if step.text and step.name not in {"T4", "T5"}:
        seconds = "" if step.seconds is None else f"  ({step.seconds:.1f} s)"
        said = Text.assemble(visible(step.text), (seconds, "dim"))
        yield margin, Text(_TITLES[step.name]), said
    if step.explanation and step.name not in {"T2", "T6"}:
        yield Text(""), Text(_TITLES[step.name]), Text(visible(step.explanation), "dim italic")


def _remarks(dialogue: Dialogue) -> Iterator[Text]:
    if dialogue.reason:
        yield Text.assemble(("ended  ", "dim"), visible(dialogue.reason))
    leak = dialogue.leak
    if leak.share:
        words = ", ".join(leak.words)
        yield Text.assemble(
            (f"leak  {show_cell(leak.share)}", "yellow"),
            f" of the answer's content words stand in the reference and were never said: {visible(words)}",
        )
    if leak.questions:
        turns = ", ".join(map(str, leak.questions))
        yield Text.assemble(("leak  ", "yellow"), f"the question of turn {turns} states what only the reference says")
    for passage in dialogue.evidence.passages:
        yield Text.assemble(("evidence  ", "dim"), (visible(f"{passage.source}  {passage.text}"), "dim"))


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def dialogue_json(dialogue: Dialogue) -> str:
    """The same as one JSON object."""
    return visible_json(json.dumps(dialogue_to_json(dialogue), ensure_ascii=False, indent=2))
