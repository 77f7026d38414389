"""Questions, answers and documents in the inputs and outputs of spans, whatever the application has put there.

An input may be a text, an object (`{"question": …}`), a chat, or any of these as JSON text. Known keys are tried
first; an object with a single text is that text. Of a chat, the question is the last message of a user, and the answer
the last one of the assistant.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from saiten.data.json_rows import parse_json
from saiten.data.values import is_list, is_nothing

_QUESTION = (
    "question", "query", "user_input", "input", "prompt", "user_message", "message", "messages", "user_query", "q",
    "inputs", "request", "kwargs", "args", "input_value", "query_str", "chat_input", "contents", "content", "text",
    "value",
)  # fmt: skip
_ANSWER = (
    "answer", "response", "output", "result", "completion", "choices", "generations", "message", "messages", "reply",
    "replies", "outputs", "output_text", "content", "contents", "text", "candidates", "value", "parts", "kwargs",
)  # fmt: skip
_DOCUMENT = (
    "page_content",
    "content",
    "text",
    "document.content",
    "document",
    "chunk",
    "passage",
    "snippet",
    "node",
    "kwargs",
)
_CONTEXTS = ("contexts", "retrieved_contexts", "context", "passages", "chunks")
"""Keys whose lists of texts are documents."""
_DOCUMENTS = (
    "documents", "source_documents", "retrieved_documents", "context_documents", "nodes", "source_nodes", "results",
    "matches", "hits",
)  # fmt: skip
"""Keys whose lists are documents if their items are objects with a text."""
_USER, _ASSISTANT = ("user", "human"), ("assistant", "ai", "model", "bot")
_DEEPEST = 12
"""Levels of nesting; deeper objects say nothing about the question."""


def question_in(value: Any) -> str | None:
    """Return the question in an input; None if there is none, or several texts and none has a known name."""
    found = _text(value, _QUESTION, _USER, _DEEPEST)
    return found if found and found.strip() else None


def answer_in(value: Any) -> str | None:
    """Return the answer in an output; None if there is none, or several texts and none has a known name."""
    return _text(value, _ANSWER, _ASSISTANT, _DEEPEST)


def documents_in(value: Any, *, plain: bool = True) -> tuple[tuple[str, ...] | None, int]:
    """Return the texts of the documents in a value, None if it has none, and the number of those without a text.

    `plain`: whether a list of texts is a list of documents.
    """
    value = parsed(value)
    if isinstance(value, Mapping):
        inside = next((key for key in (*_DOCUMENTS, *_CONTEXTS) if is_list(parsed(value.get(key)))), None)
        return (None, 0) if inside is None else documents_in(value[inside], plain=plain or inside in _CONTEXTS)
    if not is_list(value):
        return None, 0
    items = list(value)
    if not plain and not all(isinstance(item, Mapping) and _document(item) is not None for item in items):
        return None, 0
    texts = [text for item in items if (text := _document(item)) is not None]
    return (None if items and not texts else tuple(texts)), len(items) - len(texts)


def parsed(value: Any) -> Any:
    """Return the value of JSON text that holds an object, a list or a text; anything else unchanged.

    Lists and objects as Python writes them are understood too: CSV files of pandas have them.
    """
    if (
        not isinstance(value, str)
        or value.lstrip()[:1] not in ("{", "[", '"')
        or value.rstrip()[-1:] not in ("}", "]", '"')
    ):
        return value
    try:
        return parse_json(value.encode("utf-8", "surrogatepass"))
    except ValueError:
        return _python(value)


def _python(text: str) -> Any:
    if not text.lstrip().startswith(("[{", "{'")):
        return text
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def listed(attributes: Mapping[str, Any], name: str) -> Sequence[Any] | None:
    """Return a list of attributes: as one value, or spread over `name.0.…`, `name.1.…`; None if there is neither.

    The items of the second form are objects with the rest of the names, which may be dotted.
    """
    whole = parsed(attributes.get(name))
    if is_list(whole):
        return list(whole)
    items: dict[int, dict[str, Any]] = {}
    start = f"{name}."
    for key, value in attributes.items():
        number, _, rest = key.removeprefix(start).partition(".") if key.startswith(start) else ("", "", "")
        if number.isdecimal():
            items.setdefault(int(number), {})[rest or "value"] = value
    return [items[number] for number in sorted(items)] if items else None


def _text(value: Any, keys: Sequence[str], roles: Sequence[str], levels: int) -> str | None:
    value = parsed(value)
    if is_nothing(value) or not levels:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return _in_object(value, keys, roles, levels - 1)
    if is_list(value):
        return _in_list(list(value), keys, roles, levels - 1)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _in_object(value: Mapping[str, Any], keys: Sequence[str], roles: Sequence[str], levels: int) -> str | None:
    role = _role(value)
    if role is not None:
        return _said(value) if role in roles else None
    for key in keys:
        if key in value:
            found = _text(value[key], keys, roles, levels)
            if found is not None:
                return found
    texts = [item for item in value.values() if isinstance(item, str) and item.strip()]
    return texts[0] if len(texts) == 1 else None


def _in_list(items: Sequence[Any], keys: Sequence[str], roles: Sequence[str], levels: int) -> str | None:
    """Return the last message of the role, or the only text."""
    messages = [item for item in items if isinstance(item, Mapping) and _role(item) is not None]
    if messages:
        said = [text for item in messages if _role(item) in roles and (text := _said(item)) is not None]
        return said[-1] if said else None
    if items and all(isinstance(item, Mapping) and _is_part(item) for item in items):
        return _said({"content": items})
    texts = [text for item in items if (text := _text(item, keys, roles, levels)) is not None]
    nested = bool(items) and all(is_list(item) for item in items)  # batches of chats: LangChain has one
    return texts[-1] if len(texts) == 1 or (texts and nested) else None


_LANGCHAIN = {"humanmessage": "user", "aimessage": "assistant", "systemmessage": "system", "toolmessage": "tool"}


def _role(message: Mapping[str, Any]) -> str | None:
    """Return the role of a message; None if it is not a message."""
    role = message.get("role", message.get("message.role"))
    inner = message.get("message")
    if role is None and isinstance(inner, Mapping):
        role = inner.get("role")
    if role is None and isinstance(message.get("id"), list | tuple) and message["id"]:
        role = _LANGCHAIN.get(str(message["id"][-1]).lower().removesuffix("chunk"))
    if role is None and ("content" in message or "data" in message):
        role = message.get("type") if message.get("type") in ("human", "ai", "system", "tool", "function") else None
    return str(role).lower() if isinstance(role, str) else None


def _said(message: Mapping[str, Any]) -> str | None:
    """Return the text of a message; None if it has none, as a call of a tool."""
    for key in ("message", "kwargs", "data"):
        if isinstance(message.get(key), Mapping) and "content" not in message:
            return _said(message[key])
    for key in ("content", "message.content", "parts", "contents", "text", "message.contents"):
        content = message.get(key)
        if isinstance(content, str):
            return content
        if is_list(content):
            texts = list(_parts(content))
            return "\n".join(texts) if texts else None
    spread: Sequence[Any] | None = listed(message, "message.contents")
    texts = list(_parts(spread or ()))
    return "\n".join(texts) if texts else None


def _parts(items: Any) -> Iterator[str]:
    """Yield the texts among the parts of a message, without images, calls of tools and reasoning."""
    for item in items:
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping) and _is_part(item):
            kind = item.get("type", item.get("message_content.type", "text"))
            found = next((item[key] for key in ("text", "content", "message_content.text") if key in item), None)
            if kind in ("text", "input_text", "output_text") and isinstance(found, str):
                yield found


def _is_part(item: Mapping[str, Any]) -> bool:
    return "type" in item or "message_content.type" in item or set(item) <= {"text", "thought"}


def _document(item: Any, levels: int = 4) -> str | None:
    if isinstance(item, str):
        return item
    if not isinstance(item, Mapping) or not levels:
        return None
    return next(
        (text for key in _DOCUMENT if key in item and (text := _document(item[key], levels - 1)) is not None), None
    )
