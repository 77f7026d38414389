"""One sample in full: question, answer, reference, contexts, and each score with its statements and verdicts."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from saiten.journal import sample_to_json, scored_to_json
from saiten.records import Sample, Score, Scored
from saiten.reports.tables import show_cell
from saiten.reports.visible import visible, visible_json

_SIGNS = {True: ("✓", "green"), False: ("✗", "red")}
_UNCLEAR = ("?", "yellow")


def print_sample(sample: Sample, scores: Sequence[Scored], out: Console) -> None:
    """Print for the terminal. Texts from outside are shown as they are: they cannot style the screen."""
    where = " · ".join(part for part in (sample.system, sample.group, sample.language) if part)
    out.print(Text.assemble((sample.id, "bold"), "  ", (where, "dim")))
    for title, text in (("question", sample.question), ("answer", sample.answer)):
        out.print(_block(title, text))
    for number, reference in enumerate(sample.references, 1):
        out.print(_block("reference" if number == 1 else f"reference {number}", reference))
    for name, texts in (("context", sample.contexts), ("evidence", sample.evidence)):
        for number, text in enumerate(texts or (), 1):
            out.print(_block(f"{name} {number}", text, style="dim"))
    for one in scores:
        _print_score(one.metric, one.score, out)


def _block(title: str, text: str | None, style: str = "") -> Panel:
    shown = Text("(not given)", "dim italic") if text is None else Text(text or "(empty)", style)
    return Panel(shown, title=title, title_align="left", border_style="dim")


def _print_score(metric: str, score: Score, out: Console) -> None:
    value = show_cell(score.value) if score.status == "ok" else score.status
    colour = "bold" if score.status == "ok" else "bold yellow"
    votes = f"  votes {', '.join(show_cell(vote) for vote in score.votes)}" if score.votes else ""
    out.print(Text.assemble((metric, "bold"), "  ", (value, colour), (votes, "dim")))
    if score.reason:
        out.print(Padding(Text(score.reason), (0, 0, 0, 2)))
    for line in _verdict_lines(score.details):
        out.print(Padding(line, (0, 0, 0, 2)))
    rest = {key: value for key, value in score.details.items() if key not in _SHOWN}
    if rest:
        out.print(Padding(Text(json.dumps(rest, ensure_ascii=False), "dim"), (0, 0, 0, 2)))
    out.print()


_SHOWN = frozenset({"statements", "questions", "verdicts", "answer", "reference", "answer_statements"}) | {
    "reference_statements"
}
"""Details that `_verdict_lines` shows."""


def _verdict_lines(details: Mapping[str, Any]) -> list[Text]:
    """One line a verdict with the statement or question it is about, and its reason below."""
    items = details.get("statements") or details.get("questions") or []
    lines = []
    for verdict in details.get("verdicts") or []:
        number = verdict.get("number", 0)
        sign, colour = _UNCLEAR if verdict.get("unclear") else _SIGNS[bool(verdict.get("verdict"))]
        about = items[number - 1] if 0 < number <= len(items) else f"{number}."
        lines.append(Text.assemble((sign, colour), " ", str(about)))
        if verdict.get("reason"):
            lines.append(Text(f"    {verdict['reason']}", "dim"))
    return lines


def sample_json(sample: Sample, scores: Sequence[Scored]) -> str:
    """The same as one JSON object."""
    value = {"sample": sample_to_json(sample), "scores": [scored_to_json(one) for one in scores]}
    return json.dumps(value, ensure_ascii=False, indent=2)
