"""LlamaIndex: responses of query and chat engines, nodes and documents, messages."""

import json
from collections.abc import Iterator
from typing import Any

from saiten.data.objects.answered import Answered
from saiten.data.objects.chat import message, text_of_parts
from saiten.data.objects.types import Readers, declared_fields, found_for, type_name

_IMAGES = dict.fromkeys((("llama_index", "ImageNode"), ("llama_index", "ImageDocument")), True)


def _response(value: Any) -> Answered | None:
    """Read a response; no source nodes mean that its engine found nothing."""
    text = value.response
    if text is None:
        return None
    if not isinstance(text, str):  # a `PydanticResponse`
        text = json.dumps(text, ensure_ascii=False, default=_fields)
    return Answered.of(text, value.source_nodes)


def _fields(value: Any) -> dict[str, Any]:
    fields = declared_fields(value)
    if fields is None:
        raise ValueError(f"a LlamaIndex PydanticResponse holds {type_name(value)}; pass its text")
    return fields


def _agents_response(value: Any) -> Answered:
    """Read the response of a chat engine, which may have answered without looking for anything."""
    return Answered.of(value.response, value.source_nodes or None)


def _stream(value: Any) -> Answered:
    if value.response_txt is None:
        raise ValueError(
            f"the stream of a LlamaIndex {type(value).__name__} has not been read; pass what its get_response() returns"
        )
    return Answered.of(value.response_txt, value.source_nodes)


def _node(value: Any) -> Any:
    fields = declared_fields(value) or {}
    text = fields["text"] if "text" in fields else getattr(fields.get("text_resource"), "text", None)
    if text is None or (not text and found_for(value, _IMAGES)):
        raise ValueError(f"a LlamaIndex {type(value).__name__} has no text")
    return text


def _message(value: Any) -> dict[str, str]:
    return message(value.role, text_of_parts(_parts(value.blocks), "\n"))


def _parts(blocks: Any) -> Iterator[tuple[str, Any]]:
    for block in blocks:
        yield str(getattr(block, "block_type", type(block).__name__)), getattr(block, "text", None)


VALUES: Readers = {
    **dict.fromkeys((("llama_index", "Response"), ("llama_index", "PydanticResponse")), _response),
    **dict.fromkeys((("llama_index", "StreamingResponse"), ("llama_index", "AsyncStreamingResponse")), _stream),
    ("llama_index", "AgentChatResponse"): _agents_response,
    ("llama_index", "CompletionResponse"): lambda value: value.text,
    ("llama_index", "ChatResponse"): lambda value: value.message,
    ("llama_index", "ChatMessage"): _message,
    ("llama_index", "NodeWithScore"): lambda value: value.node,
    ("llama_index", "BaseNode"): _node,
    ("llama_index", "QueryBundle"): lambda value: value.query_str,
}
