"""The message of a failed assertion: the value, the limit, and the evidence needed to review the verdict."""

from collections.abc import Iterator, Sequence

from saiten.records import Sample, Score
from saiten.results.threshold import Threshold
from saiten.views.page.sample_details import DetailLine, detail_lines
from saiten.views.strip_controls import strip_controls

_LONGEST = 400
"""Maximum characters per text."""
_CONTEXTS = 5
"""Maximum contexts shown."""
_LINES = 30
"""Maximum statements, verdicts and the like."""
_SIGNS = {"yes": "✓ ", "no": "✗ ", "unclear": "? ", "item": "· ", "evidence": "evidence  "}


def failure_text(sample: Sample, score: Score, missed: Sequence[Threshold], signature: str) -> str:
    """Return the message; untrusted texts are escaped and cut."""
    metric = missed[0].metric
    wanted = " and ".join(f"{'at least' if one.side == 'under' else 'at most'} {one.limit:g}" for one in missed)
    if score.value is None:
        first = f"{metric} has no value ({score.status}), {wanted} was asked for"
    else:
        first = f"{metric} is {score.value:.6g}, {wanted} was asked for"
    named = [(name, text) for name, text in _texts(sample, score) if text]
    width = max((len(name) for name, _ in named), default=0)
    shown = [f"  {name:<{width}}  {_short(text)}" for name, text in named]
    judged = [text for line in detail_lines(score.details) if line.kind != "rest" for text in _drawn(line)]
    more = [f"  … {len(judged) - _LINES} lines more"] if len(judged) > _LINES else []
    return "\n".join([strip_controls(first), *shown, *judged[:_LINES], *more, f"  made by  {_short(signature)}"])


def _texts(sample: Sample, score: Score) -> Iterator[tuple[str, str | None]]:
    if sample.history:
        yield (
            "said before",
            " / ".join(text for turn in sample.history for text in (turn.question, turn.answer) if text),
        )
    yield "question", sample.question
    yield "answer", "(empty)" if sample.answer == "" else sample.answer
    for number, reference in enumerate(sample.references, 1):
        yield "reference" if number == 1 else f"reference {number}", reference
    contexts = sample.contexts or ()
    for number, text in enumerate(contexts[:_CONTEXTS], 1):
        yield f"context {number}", text
    if len(contexts) > _CONTEXTS:
        yield "contexts", f"{len(contexts) - _CONTEXTS} more"
    yield "reason", score.reason


def _drawn(line: DetailLine) -> Iterator[str]:
    begin = "  " * line.depth
    yield f"{begin}{_SIGNS.get(line.kind, '')}{_short(line.text)}"
    if line.reason:
        yield f"{begin}    {_short(line.reason)}"


def _short(text: str) -> str:
    """Return the text on one line, cut to the maximum length."""
    one = " ".join(strip_controls(text).split())
    return one if len(one) <= _LONGEST else f"{one[: _LONGEST - 2]} …"
