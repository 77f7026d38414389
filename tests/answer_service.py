"""A real HTTP service on loopback that answers questions by the JSON contract, and can misbehave on request."""

from typing import Any

from aiohttp import web

from servers import Asked, OpenAIServer, Said


class AnswerService(OpenAIServer):
    """Like `OpenAIServer`, with questions instead of chats; `reply` may give a text, a whole object or a `Fault`."""

    @property
    def url(self) -> str:
        """The URL for questions."""
        return self.base_url.removesuffix("/v1") + "/ask"

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The objects received."""
        return [request.body for request in self.requests]

    def _refusal(self, asked: Asked) -> None:
        return None

    async def _say(self, request: web.Request, asked: Asked, said: Said) -> web.StreamResponse:
        if said is None:
            said = {"answer": f"To: {asked.body['question']}", "contexts": ["one", {"text": "two", "source": "b.md"}]}
        return await super()._say(request, asked, {"answer": said} if isinstance(said, str) else said)
