"""Passages in a system's or a retriever's reply: texts, objects, and the documents of other frameworks.

LangChain's `Document`, LlamaIndex's `NodeWithScore` and nodes, and Haystack's `Document` are recognized by their
documented attributes, so that none of these packages is loaded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from saiten.rag.systems.plain_values import count_of, kind_of, names_in, number_of, text_of
from saiten.records import Passage

_TEXT = ("text", "content", "page_content")
_SOURCES = ("source", "file_path", "file_name", "url", "title")
"""Metadata that name a document, the most usual first."""


def read_passages(value: Any, name: str = "contexts") -> tuple[Passage, ...] | None:
    """Read the passages of a list; None stays None.

    Raises:
        ValueError: it is no list of texts, objects with a text, or documents; the message says which and what came.
    """
    if value is None:
        return None
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        raise ValueError(f"`{name}` must be a list, got {kind_of(value)}")  # noqa: TRY004 - the input is at fault
    return tuple(_passage(item, f"{name}[{number}]") for number, item in enumerate(value))


def is_document(value: Any) -> bool:
    """Return whether it is a document of LangChain, LlamaIndex or Haystack."""
    return _attributes_of(value) is not None


def _passage(item: Any, place: str) -> Passage:
    if isinstance(item, str):
        return Passage(text_of(item, place))
    if isinstance(item, Passage):
        text, source = text_of(item.text, place), text_of(item.source, place)
        return replace(item, text=text, source=source, score=number_of(item.score))
    item = _attributes_of(item) or item
    if not isinstance(item, Mapping):
        raise ValueError(f"`{place}` must be a text or an object with `text`, got {kind_of(item)}")  # noqa: TRY004
    name = next((name for name in _TEXT if name in item), None)
    if name is None:
        raise ValueError(f"`{place}` is an object with {names_in(item)}; expected `text` in it")
    metadata = item.get("metadata", item.get("meta"))
    source = item.get("source", _source_in(metadata) if isinstance(metadata, Mapping) else None)
    return Passage(
        text_of(item[name], f"{place}.{name}"),
        "" if source is None else text_of(source if isinstance(source, str) else str(source), f"{place}.source"),
        number_of(item.get("score")),
        count_of(item.get("start")),
        count_of(item.get("end")),
    )


def _attributes_of(value: Any) -> Mapping[str, Any] | None:
    """Return a document's text, metadata, score and place; None if it is no document."""
    if isinstance(value, str | Mapping):
        return None
    if hasattr(value, "page_content"):  # LangChain's
        return {"text": value.page_content, "metadata": getattr(value, "metadata", None)}
    if hasattr(value, "node") and hasattr(value, "score"):  # LlamaIndex's, with the score around the node
        node = _attributes_of(value.node)
        return None if node is None else {**node, "score": value.score}
    if hasattr(value, "content") and hasattr(value, "meta") and hasattr(value, "score"):  # Haystack's
        return {"text": value.content, "metadata": value.meta, "score": value.score}
    if hasattr(value, "node_id") and hasattr(value, "metadata"):
        resource = getattr(value, "text_resource", None)
        text = getattr(value, "text", None) if resource is None else getattr(resource, "text", None)
        start, end = getattr(value, "start_char_idx", None), getattr(value, "end_char_idx", None)
        return {"text": text, "metadata": value.metadata, "start": start, "end": end}
    return None


def _source_in(metadata: Mapping[Any, Any]) -> Any:
    return next((metadata[name] for name in _SOURCES if metadata.get(name)), None)
