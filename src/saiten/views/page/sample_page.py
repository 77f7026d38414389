"""One sample in full: question, answer, reference, contexts, and each score with its statements and verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from saiten.metrics.judged.gist_profiles import gist_metric
from saiten.records import Sample, Score, Scored
from saiten.runs import sample_to_json, scored_to_json
from saiten.views.gist.screen import print_gist
from saiten.views.gist.view import gist_views
from saiten.views.page.sample_details import DetailLine, detail_lines
from saiten.views.strip_controls import json_text, strip_controls
from saiten.views.table import show_cell

_SIGNS: Mapping[str, tuple[str, str]] = {"yes": ("✓", "green"), "no": ("✗", "red"), "unclear": ("?", "yellow")}


def print_sample(sample: Sample, scores: Sequence[Scored], out: Console) -> None:
    """Print for the terminal. Texts from outside are printed verbatim and cannot style the screen.

    If `gist` was scored, reference and answer are printed side by side with their units.
    """
    where = " · ".join(part for part in (sample.system, sample.group, sample.language, *_of_trace(sample)) if part)
    out.print(Text.assemble((strip_controls(sample.id), "bold"), "  ", (strip_controls(where), "dim")))
    views = [view for view in gist_views(sample, scores) if view.profile is not None]
    for number, turn in enumerate(sample.history, 1):
        said = (f"user: {turn.question}" if turn.question else "", f"assistant: {turn.answer}")
        out.print(_block(f"turn {number}, before the question", "\n".join(filter(None, said)), style="dim"))
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


def _of_trace(sample: Sample) -> Iterator[str]:
    """Yield when the trace of a sample began, how long it took, its tokens and its conversation, as far as known."""
    trace = sample.trace
    if trace is None:
        return
    tokens = trace.prompt_tokens, trace.completion_tokens
    yield trace.start or ""
    yield "" if trace.seconds is None else f"{trace.seconds:.2f} s"
    yield "" if None in tokens else f"{tokens[0]} + {tokens[1]} tokens"
    yield "" if trace.session is None else f"session {trace.session}"


def _block(title: str, text: str | None, style: str = "") -> Panel:
    shown = Text("(not given)", "dim italic") if text is None else Text(strip_controls(text) or "(empty)", style)
    return Panel(shown, title=title, title_align="left", border_style="dim")


def _print_score(metric: str, score: Score, out: Console) -> None:
    value = show_cell(score.value) if score.status == "ok" else score.status
    color = "bold" if score.status == "ok" else "bold yellow"
    votes = f"  votes {', '.join(show_cell(vote) for vote in score.votes)}" if score.votes else ""
    expected = "" if score.expected is None else f"  expected {show_cell(score.expected)}"
    out.print(Text.assemble((strip_controls(metric), "bold"), "  ", (value, color), (expected + votes, "dim")))
    if score.reason:
        out.print(Padding(Text(strip_controls(score.reason)), (0, 0, 0, 2)))
    for line in detail_lines(score.details):
        for text in _drawn(line):
            out.print(Padding(text, (0, 0, 0, 2 * line.depth)))
    out.print()


def _drawn(line: DetailLine) -> Iterator[Text]:
    """Yield a line for the terminal, and the reason of a verdict below it."""
    text = strip_controls(line.text)
    if line.kind in _SIGNS:
        yield Text.assemble(_SIGNS[line.kind], " ", text)
        if line.reason:
            yield Text(f"    {strip_controls(line.reason)}", "dim")
    elif line.kind == "item":
        yield Text(f"· {text}")
    else:
        yield Text(f"evidence  {text}" if line.kind == "evidence" else text, "dim")


def sample_json(sample: Sample, scores: Sequence[Scored]) -> str:
    """Return the sample and its scores as one JSON object."""
    return json_text({"sample": sample_to_json(sample), "scores": [scored_to_json(one) for one in scores]})
