"""Haystack: answers of generators and readers, documents, messages."""

from collections.abc import Iterator
from typing import Any

from saiten.data.objects.answered import Answered
from saiten.data.objects.chat import message, text_of_parts
from saiten.data.objects.types import Readers


def _generated(value: Any) -> Answered:
    return Answered.of(value.data, value.documents, value.query)


def _extracted(value: Any) -> Answered:
    """Read the answer of a reader; without text, it found no answer, which is an empty one."""
    document = value.document if value.document is not None else value.context
    return Answered.of(value.data or "", None if document is None else [document], value.query)


def _document(value: Any) -> Any:
    if value.content is None:
        raise ValueError("a Haystack Document has no content, only a blob; convert it to text first")
    return value.content


def _message(value: Any) -> dict[str, str]:
    return message(value.role, text_of_parts(_parts(value), "\n"))


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    yield from (("text", text) for text in value.texts)
    yield from (("image", None) for _ in getattr(value, "images", ()))
    yield from (("file", None) for _ in getattr(value, "files", ()))
    yield from (("text", result.result) for result in value.tool_call_results)


def _row(value: Any) -> dict[str, Any]:
    meta = value.meta or {}
    own = {"id": meta["id"]} if meta.get("id") is not None else {}
    return {**own, "answer": value, "meta": meta}


VALUES: Readers = {
    ("haystack", "GeneratedAnswer"): _generated,
    ("haystack", "ExtractedAnswer"): _extracted,
    ("haystack", "Document"): _document,
    ("haystack", "ChatMessage"): _message,
}
ROWS: Readers = dict.fromkeys((("haystack", "GeneratedAnswer"), ("haystack", "ExtractedAnswer")), _row)
