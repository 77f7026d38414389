"""Roles of messages, and what to send to a model that knows no system role."""

from collections.abc import Mapping, Sequence
from typing import Any

from saiten.protocols import Message

SYSTEM_ROLE = "system role"
"""The name under which a refused system message is remembered, as other refusals are by their parameter."""


def without_system(messages: Sequence[Message]) -> list[Message]:
    """The messages without a system role: its text opens the first user message. Neighbors of one role become one."""
    plain: list[Message] = []
    for each in messages:
        role = "user" if each.role == "system" else each.role
        if plain and plain[-1].role == role:
            plain[-1] = Message(role, f"{plain[-1].content}\n\n{each.content}")
        else:
            plain.append(Message(role, each.content))
    return plain


def refusable(payload: Mapping[str, Any]) -> set[str]:
    """Everything in a request that a server may refuse while it would take the rest: parameters, the system role."""
    parameters = payload.keys() - {"model", "messages", "input"}
    has_system = any(message["role"] == "system" for message in payload.get("messages", ()))
    return parameters | {SYSTEM_ROLE} if has_system else parameters
