"""The small request with which a judge tries its model before a run."""

from collections.abc import Mapping
from typing import Any

from saiten.protocols import ChatMessage, ChatRequest

_OK = ChatMessage("user", 'Reply in JSON: {"ok": true}')
_MESSAGES = (ChatMessage("system", "Do as asked."), _OK, ChatMessage("assistant", '{"ok": true}'), _OK)
"""The roles of a rendered prompt."""
_SCHEMA: Mapping[str, Any] = {
    "title": "preflight",
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}


def first_request(
    temperature: float | None,
    seed: int | None,
    max_tokens: int | None,
    logprobs: int | None,
    options: Mapping[str, Any],
) -> ChatRequest:
    """Return a request in the form of later ones: a system message, a worked example, a schema, these parameters."""
    return ChatRequest(_MESSAGES, _SCHEMA, temperature, seed, max_tokens, logprobs, options)
