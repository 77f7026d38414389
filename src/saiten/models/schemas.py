"""JSON schemas for servers: strict for constrained decoding, in the prompt for the others."""

import re
from collections.abc import Mapping
from typing import Any

from saiten.models.dialect import Structured
from saiten.models.wire import dump, load
from saiten.protocols import ChatMessage

_KEPT = 256  # schemas; a run uses about a dozen
_PROMPT = "Answer with nothing but JSON that fits this JSON Schema:\n"


class Schemas:
    """A cache of prepared schemas."""

    def __init__(self) -> None:
        self._formats: dict[tuple[Structured, bytes], dict[str, Any] | None] = {}

    def response_format(self, schema: Mapping[str, Any], structured: Structured) -> dict[str, Any] | None:
        """Return the request's `response_format`; None for the lowest form, which has none."""
        key = (structured, dump(schema))
        if key not in self._formats:
            if len(self._formats) >= _KEPT:
                self._formats.clear()
            self._formats[key] = _response_format(dict(schema), structured)
        return self._formats[key]


def _response_format(schema: dict[str, Any], structured: Structured) -> dict[str, Any] | None:
    if structured is Structured.JSON_SCHEMA:
        name = re.sub(r"[^A-Za-z0-9_-]", "_", str(schema.get("title") or "answer"))[:64]
        return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": strict(schema)}}
    if structured is Structured.JSON_OBJECT_SCHEMA:
        return {"type": "json_object", "schema": strict(schema)}
    return {"type": "json_object"} if structured is Structured.JSON_OBJECT else None


def with_schema(messages: tuple[ChatMessage, ...], schema: Mapping[str, Any]) -> tuple[ChatMessage, ...]:
    """Append the schema to the system message, where prefix caches keep it."""
    text = _PROMPT + dump(schema).decode()
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
