"""Stand-ins for providers that do not speak OpenAI's protocol, as strict as their documents.

    with AnthropicServer() as server:
        judge = f"anthropic:claude@{server.root}"

Each converts what it is sent to OpenAI's form (`Asked.body`; `Asked.native` is the original), and its answer back, so
that everything `OpenAIServer` offers works here, too: replies, faults, delays, counts.
"""

from collections.abc import Mapping
from typing import Any

import orjson
from aiohttp import web

from servers import Asked, OpenAIServer

KEY = "sk-planted-native-key"


class NativeServer(OpenAIServer):
    """What these servers share."""

    def __init__(self) -> None:
        super().__init__()
        self.key = KEY
        self.has_system = True
        """Whether the model reads system messages."""

    @property
    def root(self) -> str:
        """`http://127.0.0.1:PORT`."""
        return self.base_url.removesuffix("/v1")

    def _asked(self, request: web.Request, raw: bytes) -> Asked:
        native = orjson.loads(raw)
        number = len(self.requests) + 1
        return Asked(number, request.path, request.query, request.headers, self._translated(native), native)

    def _translated(self, native: Mapping[str, Any]) -> dict[str, Any]:
        raise NotImplementedError


def texts_of(parts: Any) -> str:
    """The text of a message: a string, or the texts of its parts."""
    return parts if isinstance(parts, str) else "".join(part.get("text", "") for part in parts)


def schema_form(schema: Any) -> dict[str, Any]:
    """OpenAI's `response_format` for this schema, if there is one."""
    form = {"type": "json_schema", "json_schema": {"schema": schema}}
    return {"response_format": form} if schema else {}
