"""One sample in full: question, answer, reference, contexts, and each score with its statements and verdicts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from saiten.journal import sample_to_json, scored_to_json
from saiten.metrics.judged.gist_profiles import gist_metric
from saiten.records import Sample, Score, Scored
from saiten.reports.gist_view import gist_views
from saiten.reports.gist_view_screen import print_gist
from saiten.reports.tables import show_cell
from saiten.reports.visible import visible, visible_json

_SIGNS = {True: ("✓", "green"), False: ("✗", "red")}
_UNCLEAR = ("?", "yellow")
_ITEMS = ("statements", "questions")
"""Details that list what is judged, one by one."""
_EVIDENCE = 200
"""Characters of a retrieved passage that are shown: enough to know it by."""


def print_sample(sample: Sample, scores: Sequence[Scored], out: Console) -> None:
    """Print for the terminal. Texts from outside are shown as they are: they cannot style the screen.

    Where `gist` was scored, reference and answer stand side by side with their units.
    """
    where = " · ".join(part for part in (sample.system, sample.group, sample.language) if part)
    out.print(Text.assemble((visible(sample.id), "bold"), "  ", (visible(where), "dim")))
    views = [view for view in gist_views(sample, scores) if view.profile is not None]
    out.print(_block("question", sample.question))
    for view in views:
        print_gist(view, out)
    if not views:
        out.print(_block("answer", sample.answer))
    for number, reference in enumerate(sample.references, 1):
        if number > 1 or not views:
            out.print(_block("reference" if number == 1 else f"reference {number}", reference))
    for name, texts in (("context", sample.contexts), ("evidence", sample.evidence)):
        for number, text in enumerate(texts or (), 1):
            out.print(_block(f"{name} {number}", text, style="dim"))
    for one in scores:
        shown = any(view.metric == gist_metric(one.metric) for view in views)
        _print_score(one.metric, replace(one.score, details={}) if shown else one.score, out)


def _block(title: str, text: str | None, style: str = "") -> Panel:
    shown = Text("(not given)", "dim italic") if text is None else Text(visible(text) or "(empty)", style)
    return Panel(shown, title=title, title_align="left", border_style="dim")


def _print_score(metric: str, score: Score, out: Console) -> None:
    value = show_cell(score.value) if score.status == "ok" else score.status
    colour = "bold" if score.status == "ok" else "bold yellow"
    votes = f"  votes {', '.join(show_cell(vote) for vote in score.votes)}" if score.votes else ""
    out.print(Text.assemble((visible(metric), "bold"), "  ", (value, colour), (votes, "dim")))
    if score.reason:
        out.print(Padding(Text(visible(score.reason)), (0, 0, 0, 2)))
    for depth, line in _detail_lines(score.details, 1):
        out.print(Padding(line, (0, 0, 0, 2 * depth)))
    out.print()


def _detail_lines(details: Mapping[str, Any], depth: int) -> Iterator[tuple[int, Text]]:
    """What was judged with its verdicts, then what has a part of its own (answer, reference), then the rest."""
    named, items = next(((key, details[key]) for key in _ITEMS if isinstance(details.get(key), list)), ("", []))
    verdicts = details.get("verdicts")
    shown = {named}
    if isinstance(verdicts, list) and all(isinstance(verdict, Mapping) for verdict in verdicts):
        shown.add("verdicts")
        yield from ((depth, line) for verdict in verdicts for line in _verdict_lines(verdict, items))
    else:
        yield from ((depth, Text(f"· {visible(str(item))}")) for item in items)
    for key, part in details.items():
        if isinstance(part, Mapping) and any(isinstance(part.get(name), list) for name in _ITEMS):
            shown.add(key)
            yield depth, Text(visible(key), "dim")
            yield from _detail_lines(part, depth + 1)
    passages = _passages(details.get("evidence"))
    if passages:
        shown.add("evidence")
        yield from ((depth, line) for line in passages)
    rest = {key: value for key, value in details.items() if key not in shown}
    if rest:
        yield depth, Text(visible(json.dumps(rest, ensure_ascii=False, default=str)), "dim")


def _passages(evidence: Any) -> list[Text]:
    """What the grader was given to see, a line a passage; none where the details are of another shape."""
    found = evidence.get("passages") if isinstance(evidence, Mapping) else None
    if not isinstance(found, list) or not all(isinstance(each, Mapping) and "text" in each for each in found):
        return []
    lines = []
    for each in found:
        text = " ".join(str(each["text"]).split())
        begins = text if len(text) <= _EVIDENCE else f"{text[:_EVIDENCE]} …"
        lines.append(Text(visible(f"evidence  {each.get('source') or '–'}  {begins}"), "dim"))
    return lines


def _verdict_lines(verdict: Mapping[str, Any], items: Sequence[Any]) -> Iterator[Text]:
    """One line for a verdict with the statement, question or context that it is about, and its reason below."""
    number = verdict.get("number")
    said = verdict.get("verdict", verdict.get("useful"))
    sign, colour = _UNCLEAR if verdict.get("unclear") or said is None else _SIGNS[bool(said)]
    about = f"context {verdict['context']}" if "context" in verdict else str(number)
    if isinstance(number, int) and 0 < number <= len(items):
        about = str(items[number - 1])
    yield Text.assemble((sign, colour), " ", visible(about))
    if verdict.get("reason"):
        yield Text(f"    {visible(str(verdict['reason']))}", "dim")


def sample_json(sample: Sample, scores: Sequence[Scored]) -> str:
    """The same as one JSON object."""
    value = {"sample": sample_to_json(sample), "scores": [scored_to_json(one) for one in scores]}
    return visible_json(json.dumps(value, ensure_ascii=False, indent=2))
