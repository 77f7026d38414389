"""Message roles, and messages for models without a system role."""

from collections.abc import Mapping, Sequence
from typing import Any

from saiten.protocols import ChatMessage

SYSTEM_ROLE = "system role"
"""The name under which a refused system message is remembered, next to refused parameters."""


def without_system(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Move the system text into the first user message, and merge adjacent messages of one role."""
    plain: list[ChatMessage] = []
    for each in messages:
        role = "user" if each.role == "system" else each.role
        if plain and plain[-1].role == role:
            plain[-1] = ChatMessage(role, f"{plain[-1].content}\n\n{each.content}")
        else:
            plain.append(ChatMessage(role, each.content))
    return plain


def refusable(payload: Mapping[str, Any]) -> set[str]:
    """Return the parts of a request that a server may refuse separately: parameters and the system role."""
    parameters = payload.keys() - {"model", "messages", "input"}
    has_system = any(message["role"] == "system" for message in payload.get("messages", ()))
    return parameters | {SYSTEM_ROLE} if has_system else parameters
