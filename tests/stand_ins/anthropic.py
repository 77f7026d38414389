"""Anthropic's Messages API."""

from collections.abc import Iterator, Mapping
from typing import Any

from servers import Asked, Fault
from stand_ins.native import NativeServer, schema_form, texts_of

_MESSAGES = {
    "cache_control", "container", "context_management", "inference_geo", "max_tokens", "mcp_servers", "messages",
    "metadata", "model", "output_config", "service_tier", "stop_sequences", "stream", "system", "temperature",
    "thinking", "tool_choice", "tools", "top_k", "top_p",
}  # fmt: skip
_TOO_STRICT = {"minimum", "maximum", "minLength", "maxLength", "maxItems", "multipleOf"}
"""Keywords that Anthropic's structured output does not take."""


def anthropic_error(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> Fault:
    """An error as Anthropic writes it."""
    error = {"type": kind, "message": message}
    return Fault(status, {"type": "error", "error": error, "request_id": "req_011"}, headers or {})


class AnthropicServer(NativeServer):
    """`POST /v1/messages`: https://docs.anthropic.com/en/api/messages.

    `refuses` may contain `temperature` (models without sampling parameters); `structured` may be `text` (older models).
    """

    def _translated(self, native: Mapping[str, Any]) -> dict[str, Any]:
        system = [{"role": "system", "content": texts_of(native["system"])}] if "system" in native else []
        said = [{**message, "content": texts_of(message["content"])} for message in native.get("messages", ())]
        schema = native.get("output_config", {}).get("format", {}).get("schema")
        rest = {name: native[name] for name in ("model", "temperature", "max_tokens") if name in native}
        return rest | {"messages": system + said} | schema_form(schema)

    def _refusal(self, asked: Asked) -> Fault | None:
        if asked.path != "/v1/messages":
            return anthropic_error(404, "not_found_error", "Not Found")
        sent = asked.headers.getall("x-api-key", [])
        if self.key is not None and (sent != [self.key] or "Authorization" in asked.headers):
            said = "invalid x-api-key" if sent else "x-api-key header is required"
            return anthropic_error(401, "authentication_error", said)
        if self.models is not None and asked.body["model"] not in self.models:
            return anthropic_error(404, "not_found_error", f"model: {asked.body['model']}")
        said = next(self._complaints(asked), None)
        return anthropic_error(400, "invalid_request_error", said) if said else None

    def _complaints(self, asked: Asked) -> Iterator[str]:
        """All that is wrong with the request; the server names the first."""
        body = asked.native
        temperature, thinking = body.get("temperature", 1), body.get("thinking", {})
        if asked.headers.get("anthropic-version") != "2023-06-01":
            yield "anthropic-version: header is required"
        yield from (f"{name}: Extra inputs are not permitted" for name in body if name not in _MESSAGES)
        if "max_tokens" not in body:
            yield "max_tokens: Field required"
        if {message["role"] for message in body["messages"]} - {"user", "assistant"}:
            yield 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter'
        if "temperature" in body and "temperature" in self.refuses:
            yield "`temperature` is deprecated for this model."
        if not 0 <= temperature <= 1:
            yield "temperature: range: 0..1"
        if thinking.get("type") == "enabled" and thinking.get("budget_tokens", 0) >= body["max_tokens"]:
            yield "`max_tokens` must be greater than `thinking.budget_tokens`."
        if thinking.get("type") == "enabled" and temperature != 1:
            yield "`temperature` may only be set to 1 when thinking is enabled."
        form = body.get("output_config", {}).get("format")
        if form is not None:
            yield from self._complaints_of_format(form["schema"], asked.body["model"])

    def _complaints_of_format(self, schema: Any, model: str) -> Iterator[str]:
        place = "output_config.format.schema: For "
        if self.structured == "text":
            yield f"'{model}' does not support output format."
        if _loose(schema):
            yield f"{place}'object' type, 'additionalProperties' must be explicitly set to false"
        if used := _TOO_STRICT & set(_keywords(schema)):
            yield f"{place}'integer' type, properties {', '.join(used)} are not supported"

    def _completion(self, asked: Asked, text: str) -> dict[str, Any]:
        thinking = [{"type": "thinking", "thinking": "Let me see.", "signature": "EqQB"}]
        return {
            "id": f"msg_{asked.number}",
            "type": "message",
            "role": "assistant",
            "model": asked.body["model"],
            "content": [*(thinking if "thinking" in asked.native else ()), {"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": 11,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 5,
                "output_tokens": 7,
            },
        }


def _keywords(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [word for each in schema for word in _keywords(each)]
    if not isinstance(schema, dict):
        return []
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    inner += [value for name, value in schema.items() if name in ("items", "anyOf", "allOf")]
    return [*schema, *_keywords(inner)]


def _loose(schema: Any) -> bool:
    """Whether an object in the schema allows further properties."""
    if isinstance(schema, list):
        return any(map(_loose, schema))
    if not isinstance(schema, dict):
        return False
    return (schema.get("type") == "object" and schema.get("additionalProperties") is not False) or any(
        _loose(value if name not in ("properties", "$defs") else list(value.values()))
        for name, value in schema.items()
        if name in ("properties", "$defs", "items", "anyOf", "allOf")
    )
