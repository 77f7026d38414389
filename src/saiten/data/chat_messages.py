"""The messages of a chat: as OpenAI, Anthropic, ShareGPT, LangChain, RAGAS and DeepEval write them, or in Japanese."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from saiten.data.columns import MESSAGE_COLUMNS, Columns
from saiten.data.values import as_object, as_references, as_text, as_texts, is_list, is_nothing, listed

Role = Literal["user", "assistant", "tool", "none"]
"""`tool`: what it says was retrieved · `none`: part of no question and no answer."""

_ROLES: Mapping[str, Role] = {
    **dict.fromkeys(
        ("user", "human", "customer", "ユーザー", "ユーザ", "利用者", "質問者", "顧客", "お客様", "人間"), "user"
    ),
    **dict.fromkeys(
        ("assistant", "ai", "gpt", "bot", "chatbot", "model", "agent", "アシスタント", "ボット", "回答者"), "assistant"
    ),
    **dict.fromkeys(("tool", "function", "function_call_output", "observation", "ツール"), "tool"),
    **dict.fromkeys(("system", "developer", "function_call", "reasoning", "システムプロンプト"), "none"),
}  # fmt: skip
_KNOWN = "user, human, ユーザー; assistant, ai, gpt, bot, アシスタント; tool, function; system, developer"

_IN_MESSAGE = Columns(
    {
        **MESSAGE_COLUMNS,
        "role": (*MESSAGE_COLUMNS["role"], "type"),
        "content": (*MESSAGE_COLUMNS["content"], "output"),
    },
    {},
)
"""The keys of a message; `type` is LangChain's and RAGAS's role, `output` has what a function returned."""
_ROLE_KEYS = frozenset(MESSAGE_COLUMNS["role"])
_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text"})


@dataclass(frozen=True, slots=True)
class ChatMessageRead:
    """One message."""

    role: Role
    text: str | None
    """None if it says nothing, as a mere call of a tool."""
    contexts: tuple[str, ...] | None = None
    """What was retrieved, if the message says so."""
    references: tuple[str, ...] = ()
    """Correct answers at this place of the conversation."""


def as_messages(value: Any) -> list[Any] | None:
    """Return the messages in a list, its JSON, or an object with `messages`; None if the value is no chat."""
    if isinstance(value, str) and value.lstrip()[:1] not in {"[", "{"}:
        return None
    value = as_object(value)
    if isinstance(value, Mapping) and "messages" in value:
        value = value["messages"]
    value = listed(value)
    if not is_list(value):
        return None
    items = list(value)
    return items if items and all(map(_is_message, items)) else None


def _is_message(item: Any) -> bool:
    """Return whether an object has a role; a `type` counts only as one, since parts of a text have a type, too."""
    if not isinstance(item, Mapping):
        return False
    return not _ROLE_KEYS.isdisjoint(item) or (isinstance(item.get("type"), str) and item["type"] in _ROLES)


def read_message(value: Any, number: int) -> ChatMessageRead:
    """Return a message; raises ValueError with its number, counted from 1."""
    if not isinstance(value, Mapping):
        raise ValueError(f"message {number}: expected an object with role and content, got {type(value).__name__}")  # noqa: TRY004 - a fault of the data
    for inner in ("data", "kwargs"):  # LangChain's messages as JSON
        if isinstance(value.get(inner), Mapping):
            value = {**value, **value[inner]}
    found = _IN_MESSAGE.find_all(value)
    try:
        role = read_role(found.get("role"))
        text, results = _content(found.get("content"))
        if role == "tool":
            text, results = None, [*results, *_results(found.get("content"))]
        if role == "assistant" and not text and (value.get("tool_calls") or _calls(found.get("content"))):
            text = None
        given = as_texts(found.get("contexts"))
        contexts = None if given is None and not results else (*(given or ()), *results)
        return ChatMessageRead(role, text, contexts, as_references(found.get("reference")))
    except ValueError as error:
        raise ValueError(f"message {number}: {error}") from error


def read_role(value: Any) -> Role:
    """Return the role by any of its names; raises ValueError for an unknown one."""
    name = value.get("role") if isinstance(value, Mapping) else value
    role = _ROLES.get(name.strip().casefold()) if isinstance(name, str) else None
    if role is None:
        raise ValueError(f"unknown role {name!r:.40}; known are {_KNOWN}")
    return role


def _content(value: Any) -> tuple[str | None, list[str]]:
    """Return what is said, and the results of tools in it; images, thinking and calls of tools say nothing."""
    if is_nothing(value):
        return None, []
    if isinstance(value, Mapping):
        return _content(value["parts"]) if is_list(value.get("parts")) else (as_text(value), [])
    if not is_list(value):
        return as_text(value), []
    texts, results = [], []
    for block in value:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, Mapping) and (block.get("type") in _TEXT_BLOCKS or set(block) == {"text"}):
            texts.append(as_text(block.get("text")) or "")
        elif isinstance(block, Mapping) and block.get("type") == "tool_result":
            results += _results(block.get("content"))
    return ("\n\n".join(filter(None, texts)) if texts else None), results


def _results(content: Any) -> list[str]:
    """Return the texts that a tool returned: a list of texts or documents, a text, or an object as JSON."""
    if is_nothing(content) or content == "":
        return []
    try:
        return [text for text in as_texts(content) or () if text]
    except ValueError:  # an object without a text
        return [json.dumps(content, ensure_ascii=False, default=str)]


def _calls(content: Any) -> bool:
    blocks: Sequence[Any] = list(content) if is_list(content) else ()
    return any(isinstance(block, Mapping) and block.get("type") in {"tool_use", "tool_call"} for block in blocks)
