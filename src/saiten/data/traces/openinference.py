"""The OpenInference conventions, which Phoenix and its instrumentations write."""

from collections.abc import Mapping
from typing import Any

from saiten.data.traces.genai import number_in, text_in
from saiten.data.traces.span import NOTHING, Facts, SpanKind
from saiten.data.traces.texts import answer_in, documents_in, listed, question_in

_KINDS: Mapping[str, SpanKind] = {
    "LLM": "model", "RETRIEVER": "retriever", "RERANKER": "reranker", "TOOL": "tool", "EMBEDDING": "embedding",
    "GUARDRAIL": "check", "EVALUATOR": "check", "CHAIN": "chain", "AGENT": "chain", "PROMPT": "chain",
}  # fmt: skip


def read_openinference(attributes: Mapping[str, Any]) -> Facts:
    """Return what a span says in these conventions; nothing if it follows others."""
    named = text_in(attributes, "openinference.span.kind")
    if named is None and "input.value" not in attributes and "output.value" not in attributes:
        return NOTHING
    kind = _KINDS.get((named or "").upper(), "chain")
    documents, textless = _documents(attributes, kind)
    answers = kind in ("model", "chain")
    return Facts(
        kind,
        _question(attributes),
        _answer(attributes) if answers else None,
        documents,
        textless,
        number_in(attributes, "llm.token_count.prompt"),
        number_in(attributes, "llm.token_count.completion"),
        text_in(attributes, "session.id"),
        agent=text_in(attributes, "agent.name", "graph.node.name"),
    )


def _question(attributes: Mapping[str, Any]) -> str | None:
    found = question_in(listed(attributes, "llm.input_messages"))
    return question_in(attributes.get("input.value")) if found is None else found


def _answer(attributes: Mapping[str, Any]) -> str | None:
    found = answer_in(listed(attributes, "llm.output_messages"))
    return answer_in(attributes.get("output.value")) if found is None else found


def _documents(attributes: Mapping[str, Any], kind: SpanKind) -> tuple[tuple[str, ...] | None, int]:
    name = "reranker.output_documents" if kind == "reranker" else "retrieval.documents"
    given = listed(attributes, name)
    if given is not None:
        return documents_in(given)
    if kind == "retriever":
        return documents_in(attributes.get("output.value"))
    return documents_in(attributes.get("output.value"), plain=False)[0] if kind in ("tool", "chain") else None, 0
