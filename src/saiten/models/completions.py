"""Conversion of the JSON of `/chat/completions` to an answer, or to an error with the reason."""

from collections.abc import Mapping
from typing import Any

from saiten.errors import CallFailed
from saiten.models.endpoint import Endpoint
from saiten.models.wire import glimpse
from saiten.protocols import Completion
from saiten.records import Usage

_MOST_TOKENS = 2**24
"""More than any model reads or writes in one call."""


def read_completion(value: Mapping[str, Any], endpoint: Endpoint) -> Completion:
    """Return the answer. Think blocks stay in the text; reasoning in a separate field is dropped.

    Raises:
        CallFailed: there is no answer: a refusal, a filter, a tool call, no tokens left, or an unexpected format.
    """
    usage = read_usage(value)
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        shown = endpoint.excerpt(glimpse(value))
        fault = f"{endpoint.name} answered without choices[0].message; what came begins: {shown}"
        raise CallFailed(fault, usage, kind="unreadable", retryable=True)
    reason = choice.get("finish_reason")
    finish_reason = reason if isinstance(reason, str) else None
    text = read_content(message.get("content"))
    if not text.strip():
        raise CallFailed(f"{endpoint.name} {_why_empty(message, finish_reason, endpoint)}", usage)
    return Completion(text, usage, finish_reason)


def read_content(content: Any) -> str:
    """Return the text of a message, given as a string or a list of parts; parts without text are skipped."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part if isinstance(part, str) else _part(part) for part in parts)


def _part(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) and part.get("type") in (None, "text", "output_text") else None
    return text if isinstance(text, str) else ""


def read_usage(value: Mapping[str, Any]) -> Usage:
    """Return the usage of one call, with tokens if the server reports them; unpriced until `prices` adds the cost."""
    usage = value.get("usage")
    tokens = usage if isinstance(usage, dict) else {}
    return Usage(
        calls=1,
        prompt_tokens=_count(tokens.get("prompt_tokens")),
        completion_tokens=_count(tokens.get("completion_tokens")),
        unpriced=1,
    )


def _count(value: Any) -> int:
    """Return a token count; implausible ones count as missing, since they would stall --tpm for days."""
    return value if type(value) is int and 0 < value <= _MOST_TOKENS else 0


def _why_empty(message: Mapping[str, Any], finish_reason: str | None, endpoint: Endpoint) -> str:
    if message.get("refusal"):
        return f"refused to answer: {endpoint.excerpt(read_content(message['refusal']) or glimpse(message['refusal']))}"
    if finish_reason == "length":
        return "ran out of tokens before it wrote an answer; allow more (max_tokens), or less reasoning"
    if finish_reason == "content_filter":
        return "wrote an answer that the server's content filter withheld"
    if message.get("tool_calls") or message.get("function_call"):
        return "called a tool instead of answering"
    return f"gave an empty answer (finish_reason: {finish_reason})"
