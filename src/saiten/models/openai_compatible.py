"""A chat model on any OpenAI-compatible server: OpenAI, Azure, vLLM, Ollama, TGI, llama.cpp."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from saiten.models.client import OpenAICompatible, read_completion
from saiten.models.dialect import Dialect, Structured, response_format, seems_ignored, with_schema
from saiten.models.faults import without_system
from saiten.models.layers import load_of, through
from saiten.protocols import ChatRequest, Completion

_PATH = "/chat/completions"


class OpenAICompatibleChat(OpenAICompatible):
    """Answers through `/chat/completions`.

    The accepted form of structured output, parameters and system role are discovered once and remembered.
    """

    async def complete(self, request: ChatRequest) -> Completion:
        optional = (request.schema, request.temperature, request.seed, request.max_tokens)
        kind = (*(value is None for value in optional), *{message.role for message in request.messages} & {"system"})
        return await self._negotiation.run(kind, partial(self._ask, request))

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
        return await self._post(_PATH, payload, partial(read_completion, endpoint=self.endpoint))

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
                optional["response_format"] = response_format(request.schema, dialect.structured)
        if dialect.folded:
            messages = tuple(without_system(messages))
        sent = {name: value for name, value in optional.items() if value is not None and name not in dialect.dropped}
        texts = [{"role": message.role, "content": message.content} for message in messages]
        return {"model": self.endpoint.model, "messages": texts, **sent}
