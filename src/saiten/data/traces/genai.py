"""OpenTelemetry's GenAI conventions, the current and the earlier ones, and those of OpenLLMetry (`traceloop.*`).

Current: `gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.retrieval.documents`, `gen_ai.retrieval.query.text`,
`gen_ai.tool.call.result`. Earlier: `gen_ai.prompt` and `gen_ai.completion`, as JSON or as `gen_ai.prompt.0.content`,
and one event per message (`gen_ai.user.message`, `gen_ai.choice`).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from saiten.data.traces.span import NOTHING, Facts, SpanKind
from saiten.data.traces.texts import answer_in, documents_in, listed, parsed, question_in

_KINDS: Mapping[str, SpanKind] = {
    "chat": "model", "text_completion": "model", "generate_content": "model", "completion": "model",
    "retrieval": "retriever", "search_memory": "retriever", "execute_tool": "tool", "embeddings": "embedding",
    "invoke_agent": "chain", "invoke_workflow": "chain", "create_agent": "chain", "plan": "chain",
}  # fmt: skip
_TRACELOOP: Mapping[str, SpanKind] = {"workflow": "chain", "task": "chain", "agent": "chain", "tool": "tool"}
_REQUESTS: Mapping[str, SpanKind] = {
    "chat": "model",
    "completion": "model",
    "embedding": "embedding",
    "rerank": "reranker",
}


def read_genai(attributes: Mapping[str, Any]) -> Facts:
    """Return what a span says in these conventions; nothing if it follows others."""
    if not any(key.startswith(("gen_ai.", "traceloop.", "llm.request.type", "db.query.result")) for key in attributes):
        return NOTHING
    kind = _kind(attributes)
    documents, textless = _documents(attributes, kind)
    return Facts(
        kind,
        _question(attributes),
        _answer(attributes, kind),
        documents,
        textless,
        number_in(attributes, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
        number_in(attributes, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
        text_in(attributes, "gen_ai.conversation.id"),
        agent=text_in(attributes, "gen_ai.agent.name", "traceloop.workflow.name"),
    )


def text_in(attributes: Mapping[str, Any], *names: str) -> str | None:
    """Return the first attribute with a value, as text."""
    return next((str(attributes[name]) for name in names if attributes.get(name) not in (None, "")), None)


def number_in(attributes: Mapping[str, Any], *names: str) -> int | None:
    """Return the first attribute that is a count; numbers written as text count too."""
    for name in names:
        value = attributes.get(name)
        if value is None or isinstance(value, bool):
            continue
        try:
            number = float(value)
        except (TypeError, ValueError):
            continue
        if number >= 0 and number.is_integer():
            return int(number)
    return None


def with_events(attributes: Mapping[str, Any], events: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the attributes with what the span's events say about messages and documents, as attributes."""
    found = dict(attributes)
    asked: list[Any] = []
    said: list[Any] = []
    results: list[Any] = []
    for name, given in events:
        if name == "gen_ai.choice":
            said.append({"role": "assistant", **_message(given)})
        elif name.startswith("gen_ai.") and name.endswith(".message"):
            asked.append({**_message(given), "role": name.removeprefix("gen_ai.").removesuffix(".message")})
        elif name == "db.query.result":
            results.append({"text": given.get("db.query.result.document")})
        else:
            found = {key: value for key, value in given.items() if key.startswith("gen_ai.")} | found
    for key, items in (
        ("gen_ai.input.messages", asked),
        ("gen_ai.output.messages", said),
        ("db.query.result", results),
    ):
        if items:
            found.setdefault(key, items)
    return found


def _message(event: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = parsed(event.get("message"))
    return inner if isinstance(inner, Mapping) else event


def _kind(attributes: Mapping[str, Any]) -> SpanKind | None:
    operation = text_in(attributes, "gen_ai.operation.name")
    if operation is not None:
        return _KINDS.get(operation.lower(), "chain")
    request = text_in(attributes, "llm.request.type")
    if request is not None and request in _REQUESTS:
        return _REQUESTS[request]
    if "db.query.result" in attributes:
        return "retriever"
    if any(key.startswith(("gen_ai.request.model", "gen_ai.prompt", "gen_ai.completion")) for key in attributes):
        return "model"
    return _TRACELOOP.get(text_in(attributes, "traceloop.span.kind") or "")


def _question(attributes: Mapping[str, Any]) -> str | None:
    for name in ("gen_ai.input.messages", "gen_ai.prompt"):
        if (found := question_in(listed(attributes, name) or attributes.get(name))) is not None:
            return found
    given = attributes.get("gen_ai.retrieval.query.text", attributes.get("traceloop.entity.input"))
    return question_in(given)


def _answer(attributes: Mapping[str, Any], kind: SpanKind | None) -> str | None:
    for name in ("gen_ai.output.messages", "gen_ai.completion"):
        if (found := answer_in(listed(attributes, name) or attributes.get(name))) is not None:
            return found
    return None if kind == "tool" else answer_in(attributes.get("traceloop.entity.output"))


def _documents(attributes: Mapping[str, Any], kind: SpanKind | None) -> tuple[tuple[str, ...] | None, int]:
    for name in ("gen_ai.retrieval.documents", "db.query.result"):
        if (given := listed(attributes, name)) is not None:
            return documents_in(given)
    if kind == "tool":
        result = attributes.get("gen_ai.tool.call.result", attributes.get("traceloop.entity.output"))
        return documents_in(result, plain=False)[0], 0
    if kind == "chain":
        return documents_in(attributes.get("traceloop.entity.output"), plain=False)[0], 0
    return None, 0
