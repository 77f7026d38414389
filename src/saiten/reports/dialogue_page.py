"""One dialogue for the terminal: what was asked and answered, what the agents made of it, the grades at the margin."""

import json
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from saiten.dialogue.dialogue import Dialogue, Step
from saiten.dialogue.lines import dialogue_to_json
from saiten.reports.tables import show_cell
from saiten.reports.visible import visible, visible_json

_GRADE_STYLES = ((4.5, "bold green"), (3.5, "green"), (2.5, "yellow"), (0.0, "bold red"))
"""From this grade on."""

_WIDEST = 110
"""Columns that lines of text are read in with pleasure."""
_EVIDENCE = 200
"""Characters of a passage that are shown: enough to know it by."""
_SHORTEST_SHOWN = 0.05
"""Seconds; below it a latency says nothing."""

_TITLES = {
    "T1": "system",
    "T2": "composed",
    "T3": "review",
    "T4": "decides",
    "T5": "aim",
    "T6": "revised",
    "T7": "review",
}


def print_dialogue(dialogue: Dialogue, out: Console) -> None:
    """Print for the terminal. Texts from outside are shown as they are: they cannot style the screen."""
    where = " · ".join(part for part in (dialogue.system, dialogue.group or "", dialogue.language) if part)
    width = min(out.width, _WIDEST)
    out.print(Text.assemble((visible(dialogue.id), "bold"), "  ", (visible(where), "dim")), width=width)
    out.print(_grades(dialogue), width=width)
    out.print(_ended(dialogue), width=width)
    out.print()
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right", width=6, no_wrap=True)
    grid.add_column(style="dim", no_wrap=True, width=9)
    grid.add_column(overflow="fold")
    grid.add_row("", "reference", Text(visible(dialogue.reference)))
    for turn, question in enumerate(_questions(dialogue), start=1):
        grid.add_row("", "", "")
        grid.add_row(Text(f"turn {turn}", "dim"), "asks", Text(visible(question), "bold"))
        for row in _rows_of_turn([step for step in dialogue.steps if step.turn == turn]):
            grid.add_row(*row)
    for number, (title, remark) in enumerate(_remarks(dialogue)):
        if number == 0:
            grid.add_row("", "", "")
        grid.add_row("", title, remark)
    out.print(grid, width=width)


def _questions(dialogue: Dialogue) -> list[str]:
    """The question of each turn, the one that was put and not answered among them."""
    return [dialogue.question, *(step.text for step in dialogue.steps if step.name == "T5" and step.text)]


def _grades(dialogue: Dialogue) -> Text:
    grades = ", ".join(_short(grade) for grade in dialogue.grades)
    return Text("   ".join([f"σ = [{grades}]", *(f"{name} {_short(one)}" for name, one in dialogue.scores.items())]))


def _ended(dialogue: Dialogue) -> Text:
    reason = f"  {visible(dialogue.reason)}" if dialogue.reason else ""
    return Text.assemble("ended: ", (dialogue.ended, "bold red" if dialogue.ended == "failed" else "bold"), reason)


def _rows_of_turn(steps: Sequence[Step]) -> Iterator[tuple[Text, Text, Text]]:
    """A step in one row; a T5 that was not refused stands as the next turn's question, and here with its aim alone."""
    said = ""
    for step in steps:
        title, text = _TITLES[step.name], Text(visible(step.text))
        if step.agent == "system":
            said = step.text
            if step.seconds is not None and step.seconds >= _SHORTEST_SHOWN:
                text.append(f"  ({step.seconds:.1f} s)", "dim")
        elif step.agent == "questioner":
            title = "refused" if step.name == "T5" and not step.text else title
            text = Text(visible(step.explanation), "dim italic")
        elif step.name == "T2" and step.text == said:
            text = Text("the same", "dim italic")
        yield _margin(step.grade), Text(title), text


def _margin(grade: float | None) -> Text:
    if grade is None:
        return Text("")
    return Text(_short(grade), next(style for least, style in _GRADE_STYLES if grade >= least))


def _remarks(dialogue: Dialogue) -> Iterator[tuple[Text, Text]]:
    leak = dialogue.leak
    if leak.share:
        share, words = show_cell(leak.share), visible(", ".join(leak.words))
        said = f"{share} of the answer's content words stand in the reference and were never said: {words}"
        yield Text("leak", "yellow"), Text(said)
    for turn in leak.questions:
        yield Text("leak", "yellow"), Text(f"the question of turn {turn} states what only the reference says")
    for passage in dialogue.evidence.passages:
        begins = " ".join(passage.text.split())
        shown = begins if len(begins) <= _EVIDENCE else f"{begins[:_EVIDENCE]} …"
        yield Text("evidence"), Text(visible(f"{passage.source}  {shown}"), "dim")


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def dialogue_json(dialogue: Dialogue) -> str:
    """The same as one JSON object."""
    return visible_json(json.dumps(dialogue_to_json(dialogue), ensure_ascii=False, indent=2))
