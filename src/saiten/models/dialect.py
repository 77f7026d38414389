"""The dialect of a server: the form of structured output and the parameters it accepts.

Discovered once: the first request of a kind goes alone while others wait, and the result is remembered. JSON schemas
are made strict for constrained decoding, and repeated in the prompt for servers without it.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any

from saiten.errors import CallFailed
from saiten.models.faults import SYSTEM_ROLE, ParameterRefused
from saiten.models.layers import A, adding
from saiten.models.providers import Provider
from saiten.models.wire import dump, load
from saiten.protocols import ChatMessage
from saiten.records import FREE

_log = logging.getLogger(__name__)


class Structured(IntEnum):
    """The forms of structured output, strictest first; each refusal leads to the next one."""

    JSON_SCHEMA = 0
    """`{"type": "json_schema", …, "strict": true}`: OpenAI, vLLM, llama.cpp, …"""
    JSON_OBJECT_SCHEMA = 1
    """`{"type": "json_object", "schema": …}`: llama-cpp-python, Together, …"""
    JSON_OBJECT = 2
    """`{"type": "json_object"}`: any JSON object."""
    TEXT = 3
    """No `response_format`: the schema is only in the prompt."""


LOGPROBS = frozenset({"logprobs", "top_logprobs"})
"""Parameters that are of no use without each other."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The forms and parameters a server accepts, as far as known."""

    structured: Structured = Structured.JSON_SCHEMA
    repeats_schema: bool = False
    """Whether the prompt repeats the schema, since the server seems to ignore the one it is sent."""
    renamed: bool = False
    """Whether `max_tokens` is called `max_completion_tokens`."""
    folded: bool = False
    """Whether the system text is moved into the first user message, since the model has no system role."""
    dropped: frozenset[str] = field(default_factory=frozenset)
    """Parameters that are no longer sent."""

    @property
    def schema_in_prompt(self) -> bool:
        """Whether the system message contains the schema."""
        return self.repeats_schema or self.structured > Structured.JSON_SCHEMA

    def without(self, refusal: ParameterRefused) -> "Dialect | None":
        """Return the dialect after a refusal; None if nothing is left to try."""
        name = refusal.parameter
        if name == "response_format":
            lower = self.structured + 1
            return replace(self, structured=Structured(lower)) if lower <= Structured.TEXT else None
        if name == SYSTEM_ROLE:
            return None if self.folded else replace(self, folded=True)
        if name == "max_tokens" and "max_completion_tokens" in refusal.hint and not self.renamed:
            return replace(self, renamed=True)
        names = LOGPROBS if name in LOGPROBS else {name}
        return replace(self, dropped=self.dropped | names) if name not in self.dropped else None


def dialect_of(provider: Provider) -> Dialect:
    """Return what is known of a provider's dialect before the first request."""
    structured = Structured.TEXT if "response_format" in provider.lacks else Structured.JSON_SCHEMA
    return Dialect(structured, dropped=provider.lacks - {"response_format"})


class Negotiation:
    """Discovers a server's dialect during use."""

    def __init__(self, dialect: Dialect = Dialect()) -> None:
        """`dialect`: what is known of it."""
        self.dialect = dialect
        self._open: set[Hashable] = set()
        self._first = asyncio.Lock()

    async def run(self, kind: Hashable, ask: Callable[[Dialect], Awaitable[A]]) -> A:
        """Return what `ask` returns in a dialect the server accepts; `kind`: the parameters of the request."""
        if kind in self._open:
            return await self._insist(ask)
        async with self._first:
            if kind not in self._open:
                return await self._lead(kind, ask)
        return await self._insist(ask)

    def begun(self, kind: Hashable) -> bool:
        """Return whether a request of this kind was answered or failed, so that others need not wait for one."""
        return kind in self._open

    def begin(self, kind: Hashable) -> None:
        """Let requests of this kind go without waiting for the first of them."""
        self._open.add(kind)

    def learn(self, dialect: Dialect, why: str) -> None:
        """Switch to this dialect."""
        _log.info("%s; continuing with %s", why, dialect)
        self.dialect = dialect

    def reset(self) -> None:
        """Forget waiting callers, but not the dialect; for use in another event loop."""
        self._first = asyncio.Lock()

    async def _lead(self, kind: Hashable, ask: Callable[[Dialect], Awaitable[A]]) -> A:
        """Run the first request of a kind.

        If it fails, release the others too, so that a faulty server is not asked one by one; after an error of the
        whole run they would all fail, so they stay blocked.
        """
        try:
            answer = await self._insist(ask)
        except CallFailed:
            self._open.add(kind)
            raise
        self._open.add(kind)
        return answer

    async def _insist(self, ask: Callable[[Dialect], Awaitable[A]]) -> A:
        spent = FREE
        while True:
            dialect = self.dialect
            try:
                return adding(await ask(dialect), spent)
            except ParameterRefused as refusal:
                spent += refusal.usage
                if self.dialect is dialect:  # unchanged by concurrent requests
                    lower = dialect.without(refusal)
                    if lower is None:
                        refusal.usage = spent
                        raise
                    self.learn(lower, str(refusal))
            except CallFailed as error:
                error.usage = spent + error.usage
                raise


_PROMPT = "Answer with nothing but JSON that fits this JSON Schema:\n"


def response_format(schema: Mapping[str, Any], structured: Structured) -> dict[str, Any] | None:
    """Return the request's `response_format`; None for the lowest form, which has none."""
    return _response_format(dump(schema), structured)


@lru_cache(256)  # a run uses about a dozen
def _response_format(written: bytes, structured: Structured) -> dict[str, Any] | None:
    schema = load(written)
    if structured is Structured.JSON_SCHEMA:
        name = re.sub(r"[^A-Za-z0-9_-]", "_", str(schema.get("title") or "answer"))[:64]
        untitled = {key: value for key, value in strict(schema).items() if key != "title"}
        return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": untitled}}
    if structured is Structured.JSON_OBJECT_SCHEMA:
        return {"type": "json_object", "schema": strict(schema)}
    return {"type": "json_object"} if structured is Structured.JSON_OBJECT else None


def with_schema(messages: tuple[ChatMessage, ...], schema: Mapping[str, Any]) -> tuple[ChatMessage, ...]:
    """Append the schema to what is the same for all samples: the system message, where prefix caches keep it.

    A prompt of two messages begins with the material of a sample, which other prompts share, or is short for lack of
    examples; there it comes last.
    """
    text = _PROMPT + dump(schema).decode()
    if [message.role for message in messages] == ["system", "user"]:
        return (messages[0], ChatMessage("user", f"{messages[1].content}\n\n{text}"))
    if messages and messages[0].role == "system":
        return (ChatMessage("system", f"{messages[0].content}\n\n{text}"), *messages[1:])
    return (ChatMessage("system", text), *messages)


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the schema to OpenAI's strict mode: no additional properties, every field required, no defaults.

    Keys next to a `$ref` (such as a description), which strict mode refuses, are dropped.
    """
    if "$ref" in schema:
        return {"$ref": schema["$ref"], **{key: _each(schema[key]) for key in ("$defs",) if key in schema}}
    made = {key: _strict_part(key, value) for key, value in schema.items() if key != "default"}
    if isinstance(made.get("properties"), dict):
        made["additionalProperties"] = False
        made["required"] = list(made["properties"])
    return made


def _strict_part(key: str, value: Any) -> Any:
    if key in ("properties", "$defs", "definitions"):
        return _each(value)
    if key in ("items", "not") and isinstance(value, dict):
        return strict(value)
    if key in ("anyOf", "oneOf", "allOf", "prefixItems") and isinstance(value, list):
        return [strict(entry) if isinstance(entry, dict) else entry for entry in value]
    return value


def _each(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: strict(entry) if isinstance(entry, dict) else entry for name, entry in value.items()}


def seems_ignored(text: str, schema: Mapping[str, Any]) -> bool:
    """Return whether the reply ignores the schema: it is no JSON, or fields are missing.

    Some servers (`transformers serve`) accept a `response_format` without reading it.
    """
    value = load(text.rpartition("</think>")[2].strip().encode("utf-8", "replace"))
    if not isinstance(value, dict):
        return schema.get("type") == "object" or "properties" in schema
    return any(name not in value for name in schema.get("required", ()))
