"""LangChain: documents and messages."""

from collections.abc import Iterator, Mapping
from typing import Any

from saiten.data.objects.chat import message, text_of_parts
from saiten.data.objects.types import Readers


def _document(value: Any) -> Any:
    return value.page_content


def _message(value: Any) -> dict[str, str]:
    role = getattr(value, "role", None) or value.type  # only a `ChatMessage` has a role of its own
    return message(role, text_of_parts(_parts(value.content), ""))


def _parts(content: Any) -> Iterator[tuple[str, Any]]:
    for part in [content] if isinstance(content, str) else content:
        if isinstance(part, Mapping):
            yield str(part.get("type")), part.get("text")
        else:
            yield "text", part


VALUES: Readers = {
    ("langchain_core", "Document"): _document,
    ("langchain_core", "BaseMessage"): _message,
}
