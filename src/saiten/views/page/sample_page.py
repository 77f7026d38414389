"""One sample in full: question, answer, reference, contexts, and each score with its statements and verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from saiten.metrics.judged.gist_profiles import gist_metric
from saiten.records import Sample, Scored
from saiten.runs import sample_to_json, scored_to_json
from saiten.views.gist.screen import print_gist
from saiten.views.gist.view import gist_views
from saiten.views.page.sample_details import DetailLine, detail_lines
from saiten.views.reasons import reason_of
from saiten.views.strip_controls import json_text, strip_controls
from saiten.views.table import show_cell
from saiten.words import Message, in_language
from saiten.words.terminal import in_terminal_language, screen_words, terminal_language

_SIGNS: Mapping[str, tuple[str, str]] = {"yes": ("✓", "green"), "no": ("✗", "red"), "unclear": ("?", "yellow")}


def print_sample(sample: Sample, scores: Sequence[Scored], out: Console) -> None:
    """Print for the terminal. Texts from outside are printed verbatim and cannot style the screen.

    If `gist` was scored, reference and answer are printed side by side with their units.
    """
    where = " · ".join(part for part in (sample.system, sample.group, sample.language, *_of_trace(sample)) if part)
    out.print(Text.assemble((strip_controls(sample.id), "bold"), "  ", (strip_controls(where), "dim")))
    views = [view for view in gist_views(sample, scores) if view.profile is not None]
    for number, turn in enumerate(sample.history, 1):
        asked = screen_words("user", text=turn.question) if turn.question else ""
        said = (asked, screen_words("assistant", text=turn.answer))
        out.print(_block(screen_words("turn_before", n=number), "\n".join(filter(None, said)), style="dim"))
    out.print(_block(screen_words("question"), sample.question))
    for view in views:
        print_gist(view, out)
    if not views:
        out.print(_block(screen_words("answer"), sample.answer))
    for number, reference in enumerate(sample.references, 1):
        if number > 1 or not views:
            out.print(_block(screen_words("reference" if number == 1 else "reference_n", n=number), reference))
    for name, texts in (("context", sample.contexts), ("evidence_n", sample.evidence)):
        for number, text in enumerate(texts or (), 1):
            out.print(_block(screen_words(name, n=number), text, style="dim"))
    for one in scores:
        shown = any(view.metric == gist_metric(one.metric) for view in views)
        _print_score(one, {} if shown else one.score.details, out)


def _of_trace(sample: Sample) -> Iterator[str]:
    """Yield when the trace of a sample began, how long it took, its tokens and its conversation, as far as known."""
    trace = sample.trace
    if trace is None:
        return
    tokens = trace.prompt_tokens, trace.completion_tokens
    yield trace.start or ""
    yield "" if trace.seconds is None else f"{trace.seconds:.2f} s"
    yield "" if None in tokens else screen_words("tokens", prompt=tokens[0], completion=tokens[1])
    yield "" if trace.session is None else screen_words("session", name=trace.session)


def _block(title: str, text: str | None, style: str = "") -> Panel:
    if text is None:
        shown = Text(screen_words("not_given"), "dim italic")
    else:
        shown = Text(strip_controls(text) or screen_words("empty"), style)
    return Panel(shown, title=title, title_align="left", border_style="dim")


def _print_score(one: Scored, details: Mapping[str, Any], out: Console) -> None:
    metric, score = one.metric, one.score
    value = show_cell(score.value) if score.status == "ok" else in_terminal_language(Message("status", score.status))
    color = "bold" if score.status == "ok" else "bold yellow"
    votes = f"  {screen_words('votes', values=', '.join(map(show_cell, score.votes)))}" if score.votes else ""
    expected = "" if score.expected is None else f"  {screen_words('expected', value=show_cell(score.expected))}"
    out.print(Text.assemble((strip_controls(metric), "bold"), "  ", (value, color), (expected + votes, "dim")))
    if reason := in_language(reason_of(one), terminal_language()):
        out.print(Padding(Text(strip_controls(reason)), (0, 0, 0, 2)))
    for line in detail_lines(details):
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
        yield Text(f"{screen_words('evidence')}  {text}" if line.kind == "evidence" else text, "dim")


def sample_json(sample: Sample, scores: Sequence[Scored]) -> str:
    """Return the sample and its scores as one JSON object."""
    return json_text({"sample": sample_to_json(sample), "scores": [scored_to_json(one) for one in scores]})
