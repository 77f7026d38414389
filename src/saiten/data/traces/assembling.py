"""One row of the spans of a trace: question, contexts, answer, latency and tokens.

The *outermost* spans are those whose parent is not in the data. A span is *outer* if it is a step of the application:
not a call of a model, a retriever, a tool, an embedder or a check.

- question: of the outermost outer span that has one, the earliest of several; else of the first call of a model; else
  of the first retriever
- answer: of the outermost outer span that has one, the last of several; else of the last call of a model
- contexts: of the rerankers; else of the retrievers; else of the tools that return documents; else those in an outer
  output. Of spans inside each other, the outer one counts; of several, all do, in order of their start
- tokens: of the spans that have some and contain no other that does
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saiten.data.rows import BadRow, RawRow, bad_row
from saiten.data.traces.span import SpanKind, TraceSpan
from saiten.data.traces.times import as_text

_LATE = 1 << 63
"""The start of a span whose start is unknown: after all others."""


@dataclass(frozen=True, slots=True)
class SpanTree:
    """The spans of one trace, each once, with their nesting."""

    spans: tuple[TraceSpan, ...]
    """Outermost first; those at one depth by start."""
    depths: Mapping[str, int]
    """Span → the number of spans around it."""
    parents: Mapping[str, str | None]
    """Span → the one around it, if it is in the data."""

    @classmethod
    def of(cls, spans: Iterable[TraceSpan]) -> "SpanTree":
        """Arrange spans, whatever their order; of several with one id, the first in the files counts."""
        by_id: dict[str, TraceSpan] = {}
        for span in sorted(spans, key=lambda each: (each.number, each.where)):
            by_id.setdefault(span.id, span)
        parents = {span.id: span.parent if span.parent in by_id else None for span in by_id.values()}
        depths = {identity: _depth(identity, parents) for identity in by_id}
        order = sorted(by_id.values(), key=lambda span: (depths[span.id], _start(span), span.id))
        return cls(tuple(order), depths, parents)

    @property
    def outermost(self) -> tuple[TraceSpan, ...]:
        """The spans that no other one in the data contains."""
        return tuple(span for span in self.spans if self.depths[span.id] == 0)

    def around(self, span: TraceSpan) -> Iterable[str]:
        """Yield the ids of the spans that contain a span, the closest first."""
        seen = {span.id}
        above = self.parents[span.id]
        while above is not None and above not in seen:
            yield above
            seen.add(above)
            above = self.parents[above]

    def of_kinds(self, *kinds: SpanKind) -> list[TraceSpan]:
        """Return the spans of these kinds by start."""
        return sorted((span for span in self.spans if span.facts.kind in kinds), key=_start)


def row_of_trace(spans: Sequence[TraceSpan]) -> RawRow | BadRow | None:
    """Return the row of a trace; a bad row if it lacks a question or an answer, None if it is about neither.

    A trace without an answer is usable if it has documents, and no model was called: a search.
    """
    tree = SpanTree.of(spans)
    if not any(span.facts.any for span in tree.spans):
        return None
    top = tree.outermost[0]
    question, answer, contexts = _question(tree), _answer(tree), _contexts(tree)
    searched = contexts is not None and not tree.of_kinds("model")
    if question is None or (answer is None and not searched):
        seen = {"trace": top.trace, "spans": [span.name for span in tree.spans[:20]]}
        return bad_row(top.where, _lack(tree, question, answer), seen)
    systems = [span.facts.system for span in tree.spans if span.facts.system]
    agents = [span.facts.agent for span in tree.spans if span.facts.agent]
    fields = {
        "id": top.trace,
        "question": question,
        "answer": answer,
        "contexts": None if contexts is None else list(contexts),
        "system": next(iter(systems), next(iter(agents), None)),
        "trace": _trace(tree),
    }
    return RawRow(top.number, fields, top.where)


def _trace(tree: SpanTree) -> dict[str, Any]:
    top = tree.outermost[0]
    starts = [span.start for span in tree.outermost if span.start is not None]
    ends = [span.end for span in tree.outermost if span.end is not None]
    whole = len(starts) == len(ends) == len(tree.outermost)
    prompt, completion = _tokens(tree)
    return {
        "id": top.trace,
        "span": None if top.id == top.trace else top.id,
        "start": as_text(min(starts, default=None)),
        "seconds": max(0.0, (max(ends) - min(starts)) / 1e9) if whole else None,
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "session": next((span.facts.session for span in tree.spans if span.facts.session), None),
    }


def _question(tree: SpanTree) -> str | None:
    asked = [span for span in tree.spans if _is_outer(span)]
    for span in (*asked, *tree.of_kinds("model"), *tree.of_kinds("retriever", "reranker")):
        if span.facts.question is not None:
            return span.facts.question
    return None


def _answer(tree: SpanTree) -> str | None:
    outer = [span for span in tree.spans if _is_outer(span) and span.facts.answer is not None]
    if outer:
        least = min(tree.depths[span.id] for span in outer)
        return max((span for span in outer if tree.depths[span.id] == least), key=_end).facts.answer
    checks = {span.id for span in tree.of_kinds("check")}
    said = [
        span
        for span in tree.of_kinds("model")
        if span.facts.answer is not None and checks.isdisjoint(tree.around(span))
    ]
    return max(said, key=_end).facts.answer if said else None


def _contexts(tree: SpanTree) -> tuple[str, ...] | None:
    for kind in ("reranker", "retriever", "tool"):
        found = _documents(tree, tree.of_kinds(kind))
        if found is not None:
            return found
    return next((span.facts.documents for span in tree.spans if _is_outer(span) and span.facts.documents), None)


def _documents(tree: SpanTree, spans: Sequence[TraceSpan]) -> tuple[str, ...] | None:
    """Return the documents of the outermost of these spans, each text once; None if none reports documents."""
    reporting = {span.id: span for span in spans if span.facts.documents is not None}
    chosen = [span for span in reporting.values() if reporting.keys().isdisjoint(tree.around(span))]
    if not chosen:
        return None
    return tuple(dict.fromkeys(text for span in chosen for text in span.facts.documents or ()))


def _tokens(tree: SpanTree) -> tuple[int | None, int | None]:
    counted = [span for span in tree.spans if span.facts.kind != "embedding" and _has_tokens(span)]
    containing = {above for span in counted for above in tree.around(span)}
    calls = [span.facts for span in counted if span.id not in containing]
    prompt = [facts.prompt_tokens for facts in calls if facts.prompt_tokens is not None]
    completion = [facts.completion_tokens for facts in calls if facts.completion_tokens is not None]
    return (sum(prompt) if prompt else None), (sum(completion) if completion else None)


def _lack(tree: SpanTree, question: str | None, answer: str | None) -> str:
    """Return the reason why a trace cannot be used."""
    top = tree.outermost[0]
    lacking = [name for name, value in (("question", question), ("answer", answer)) if value is None]
    fault = next((f"{span.name} failed: {span.fault[:200]}" for span in reversed(tree.spans) if span.fault), "")
    found = f"neither {' nor '.join(lacking)}" if len(lacking) > 1 else f"no {lacking[0]}"
    reasons = fault or "the recording of inputs and outputs may be turned off, or their names unknown"
    return f"trace {top.trace} ({top.name or 'unnamed'}, {len(tree.spans)} spans): {found} in its spans; {reasons}"


def _has_tokens(span: TraceSpan) -> bool:
    return span.facts.prompt_tokens is not None or span.facts.completion_tokens is not None


def _is_outer(span: TraceSpan) -> bool:
    return span.facts.kind in (None, "chain")


def _start(span: TraceSpan) -> int:
    return _LATE if span.start is None else span.start


def _end(span: TraceSpan) -> tuple[int, int, str]:
    return (_LATE if span.end is None else span.end), -_start(span), span.id


def _depth(identity: str, parents: Mapping[str, str | None]) -> int:
    """Return the number of spans around one; spans that contain each other have 0."""
    depth, above, seen = 0, parents[identity], {identity}
    while above is not None:
        if above in seen:
            return 0
        seen.add(above)
        depth, above = depth + 1, parents[above]
    return depth
