"""Messages as chat APIs write them, made of those of several tools."""

from collections.abc import Iterable
from typing import Any

_ROLES = {"human": "user", "HumanMessageChunk": "user", "ai": "assistant", "AIMessageChunk": "assistant"}
_SILENT = frozenset(
    ("reasoning", "thinking", "redacted_thinking", "tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call",
     "server_tool_call", "server_tool_call_chunk", "server_tool_result", "function_call", "cache")
)  # fmt: skip
"""Parts of a message that nobody reads as its text."""


def message(role: Any, content: str) -> dict[str, str]:
    """Return a message of OpenAI's form; the roles of LangChain are translated."""
    name = str(getattr(role, "value", role))
    return {"role": _ROLES.get(name, name), "content": content}


def text_of_parts(parts: Iterable[tuple[str, Any]], between: str) -> str:
    """Join the texts of a message; each part is a kind and its text.

    Raises:
        ValueError: a part is an image, a sound or a file, without which the message means something else.
    """
    texts = []
    for kind, text in parts:
        if kind == "text":
            texts.append(str(text or ""))
        elif kind not in _SILENT:
            raise ValueError(f"a message has a part of type {kind}; only text is read")
    return between.join(texts)
