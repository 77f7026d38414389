"""Requests and replies in a provider's own form: what the library would send, and what it would make of a reply.

Imported only where it is used: it needs the extra `providers`.
"""

from collections.abc import Mapping
from typing import Any, cast

from yarl import URL

from saiten.errors import CallFailed
from saiten.models.endpoint import Endpoint
from saiten.models.http_client import HttpClient, HttpReply
from saiten.models.library_client import LibraryClient
from saiten.models.library_transport import Refused
from saiten.models.wire import dump, load

_ANY = {"messages": [{"role": "user", "content": "?"}], "max_tokens": 1}
"""Something to which a reply can be one."""


class _Instead:
    """In the place of the HTTP client: keeps what is sent, and answers with what is set."""

    reply: bytes | None = None
    sent: Any = None

    async def send(self, method: str, url: URL, body: bytes | None, headers: Mapping[str, str]) -> HttpReply:
        self.sent = load(body or b"")
        status = 200 if self.reply is not None else 418
        return HttpReply(status, {"content-type": "application/json"}, self.reply or b"")


class Translator:
    """Translates one request or reply at a time; nothing is sent."""

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        """Raises ConfigurationError as the library's client does."""
        self._model = endpoint.model
        self._instead = _Instead()
        self._client = LibraryClient(endpoint, cast("HttpClient", self._instead), timeout)

    async def request(self, body: Mapping[str, Any]) -> Any:
        """Return the body of a request in OpenAI's form as the provider's.

        Raises:
            CallFailed, ConfigurationError: the library cannot translate it.
        """
        self._instead.reply = None
        try:
            await self._client.fetch("/chat/completions", body)
        except Refused:
            return self._instead.sent
        raise AssertionError("the library got no reply, and has one")

    async def response(self, value: Any) -> dict[str, Any]:
        """Return a reply in the provider's form as a line's `response` in OpenAI's; one of an error if it is none."""
        self._instead.reply = dump(value)
        try:
            body = await self._client.fetch("/chat/completions", {"model": self._model, **_ANY})
        except CallFailed as error:
            return {"status_code": 500, "body": {"error": {"message": str(error)}}}
        return {"status_code": 200, "body": body}

    def close(self) -> None:
        self._client.close()
