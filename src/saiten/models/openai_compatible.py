"""A chat model on any OpenAI-compatible server: OpenAI, Azure, vLLM, Ollama, TGI, llama.cpp."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

from saiten.models.client import Client
from saiten.models.completions import read_completion
from saiten.models.dialect import Dialect, Negotiation, Schemas, Structured, seems_ignored, with_schema
from saiten.models.endpoint import OPENAI, Endpoint, KeyOfServer
from saiten.models.layers import Layer, load_of, through
from saiten.models.roles import without_system
from saiten.protocols import ChatRequest, Completion

_PATH = "/chat/completions"


class OpenAICompatibleChat:
    """Answers through `/chat/completions`.

    The accepted form of structured output, parameters and system role are discovered once and remembered. Nothing is
    retried here; see `stack_chat` for retries, limits, prices, a budget and a cache.
    """

    def __init__(
        self,
        model: str,
        base_url: str = OPENAI,
        api_key: str | KeyOfServer | None = None,
        *,
        timeout: float = 180.0,
        key_variable: str = "OPENAI_API_KEY",
    ) -> None:
        """`timeout`: seconds per request; `key_variable`: where the user keeps the key, for errors.

        Raises:
            ConfigurationError: the address or the key is unusable.
        """
        self._endpoint = Endpoint(model, base_url, api_key, key_variable)
        self._client = Client(self._endpoint, timeout)
        self._negotiation = Negotiation()
        self._schemas = Schemas()
        self._layers: tuple[Layer, ...] = ()

    def __repr__(self) -> str:
        return f"OpenAICompatibleChat({self.name!r})"

    @property
    def name(self) -> str:
        """`openai:MODEL`, or `openai:MODEL@URL` unless it is OpenAI's own."""
        return self._endpoint.name

    @property
    def dialect(self) -> Dialect:
        """The server's dialect as known so far."""
        return self._negotiation.dialect

    def over(self, layers: Sequence[Layer]) -> Self:
        """Return the chat with layers around every request it sends, including those that discover the dialect."""
        chat = copy.copy(self)
        chat._layers = tuple(layers)  # noqa: SLF001 - same class
        return chat

    async def complete(self, request: ChatRequest) -> Completion:
        optional = (request.schema, request.temperature, request.seed, request.max_tokens)
        kind = (*(value is None for value in optional), *{message.role for message in request.messages} & {"system"})
        return await self._negotiation.run(kind, partial(self._ask, request))

    async def close(self) -> None:
        self._negotiation.reset()
        await self._client.close()

    async def _ask(self, request: ChatRequest, dialect: Dialect) -> Completion:
        payload = self._payload(request, dialect)
        answer = await through(self._layers, partial(self._send, payload), load_of(request))
        if (
            request.schema is not None
            and not dialect.schema_in_prompt
            and not answer.cut_off
            and seems_ignored(answer.text, request.schema)
        ):
            self._negotiation.learn(
                replace(self._negotiation.dialect, repeats_schema=True),
                f"{self.name} does not seem to read the schema",
            )
        return answer

    async def _send(self, payload: Mapping[str, Any]) -> Completion:
        return await self._client.post(_PATH, payload, partial(read_completion, endpoint=self._endpoint))

    def _payload(self, request: ChatRequest, dialect: Dialect) -> dict[str, Any]:
        messages = request.messages
        optional: dict[str, Any] = {
            "temperature": request.temperature,
            "seed": request.seed,
            "max_completion_tokens" if dialect.renamed else "max_tokens": request.max_tokens,
        }
        if request.schema is not None:
            if dialect.schema_in_prompt:
                messages = with_schema(messages, request.schema)
            if dialect.structured is not Structured.TEXT:
                optional["response_format"] = self._schemas.response_format(request.schema, dialect.structured)
        if dialect.folded:
            messages = tuple(without_system(messages))
        sent = {name: value for name, value in optional.items() if value is not None and name not in dialect.dropped}
        texts = [{"role": message.role, "content": message.content} for message in messages]
        return {"model": self._endpoint.model, "messages": texts, **sent}
