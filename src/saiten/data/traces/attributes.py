"""The facts in a span's attributes, in any of the conventions; a span may follow several."""

from collections.abc import Iterable, Mapping
from typing import Any

from saiten.data.traces.genai import number_in, read_genai, text_in, with_events
from saiten.data.traces.openinference import read_openinference
from saiten.data.traces.span import NOTHING, Facts, SpanKind
from saiten.data.traces.texts import answer_in, documents_in, parsed, question_in

KINDS: Mapping[str, SpanKind] = {
    "generation": "model", "llm": "model", "chat_model": "model", "retriever": "retriever", "reranker": "reranker",
    "tool": "tool", "embedding": "embedding", "evaluator": "check", "guardrail": "check",
}  # fmt: skip
"""The kinds of Langfuse and MLflow, in lower case; all others are steps of the application."""


def facts_of(attributes: Mapping[str, Any], events: Iterable[tuple[str, Mapping[str, Any]]] = ()) -> Facts:
    """Return what the attributes and the events of a span say."""
    given = with_events(attributes, events)
    found = _mlflow(given) | _langfuse(given) | read_openinference(given) | read_genai(given)
    session = text_in(given, "session.id", "gen_ai.conversation.id") if found.session is None else None
    return found if session is None else found | Facts(session=session)


def facts_of_io(kind: SpanKind, asked: Any, said: Any, usage: Any = None, **more: Any) -> Facts:
    """Return the facts of a span with one input and one output, and its usage by name."""
    documents, textless = _documents(kind, said)
    tokens = parsed(usage)
    counts = tokens if isinstance(tokens, Mapping) else {}
    return Facts(
        kind,
        question_in(asked),
        answer_in(said) if kind in ("model", "chain") else None,
        documents,
        textless,
        number_in(counts, "input_tokens", "prompt_tokens", "input", "promptTokens", "prompt"),
        number_in(counts, "output_tokens", "completion_tokens", "output", "completionTokens", "completion"),
        **more,
    )


def _documents(kind: SpanKind, said: Any) -> tuple[tuple[str, ...] | None, int]:
    if kind in ("retriever", "reranker"):
        return documents_in(said)
    return documents_in(said, plain=False)[0] if kind in ("tool", "chain") else None, 0


def _mlflow(attributes: Mapping[str, Any]) -> Facts:
    kind = parsed(attributes.get("mlflow.spanType"))
    if kind is None and "mlflow.spanInputs" not in attributes:
        return NOTHING
    return facts_of_io(
        KINDS.get(str(kind).lower(), "chain"),
        attributes.get("mlflow.spanInputs"),
        attributes.get("mlflow.spanOutputs"),
        attributes.get("mlflow.chat.tokenUsage"),
    )


def _langfuse(attributes: Mapping[str, Any]) -> Facts:
    kind = attributes.get("langfuse.observation.type")
    if kind is None and "langfuse.observation.input" not in attributes:
        return NOTHING
    return facts_of_io(
        KINDS.get(str(kind).lower(), "chain"),
        attributes.get("langfuse.observation.input", attributes.get("langfuse.trace.input")),
        attributes.get("langfuse.observation.output", attributes.get("langfuse.trace.output")),
        attributes.get("langfuse.observation.usage_details"),
        system=text_in(attributes, "langfuse.trace.name"),
    )
