"""A chat model whose requests wait for a batch."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from saiten.models.answer_store import AnswerStore
from saiten.models.batch.waves import Waves
from saiten.models.budget import Budgeted
from saiten.models.cache import key_of, read_kept
from saiten.models.layers import Layer, Load
from saiten.models.openai_compatible import OpenAICompatibleChat, kind_of, read_completion
from saiten.protocols import ChatRequest, Completion
from saiten.records import Usage


class BatchBudgeted(Budgeted):
    """Prices requests of batches and charges them to the budget; what is spent is booked with each batch."""

    def _book_sent(self) -> None:
        """Booked when the batch is submitted."""

    def _book_received(self, usage: Usage) -> None:
        """Booked when its replies are kept."""

    def _guess(self, load: Load) -> tuple[float, bool]:
        return super()._guess(load)[0], False  # alone in a batch, the first request would take hours


class BatchChat(OpenAICompatibleChat):
    """Sends the first request of each kind at once, which shows what the server accepts, and all others in batches.

    Replies are read, and refusals understood, exactly as those of single requests.
    """

    def __init__(
        self, live: OpenAICompatibleChat, waves: Waves, layers: Sequence[Layer], store: AnswerStore, *, tries: bool
    ) -> None:
        """Set where requests go.

        Args:
            live: The same model, for the first requests, within its own layers.
            waves: Where all other requests wait.
            layers: Around these.
            store: Holds the replies to batches of earlier commands.
            tries: Whether the model can be reached for the first requests.
        """
        vars(self).update(vars(live))  # the same endpoint and dialect
        self._layers = tuple(layers)
        self._live = live
        self._waves = waves
        self._store = store
        self._tries = tries
        self._first = asyncio.Lock()

    async def complete(self, request: ChatRequest) -> Completion:
        key = key_of(self.name, request)
        await self._waves.earlier(key.hex())
        kept = await self._store.get(key)  # a batch may have ended since the cache was asked
        if kept is not None and (known := read_kept(kept)) is not None:
            return known
        kind = kind_of(request)
        if not self._tries:
            self._negotiation.begin(kind)
        if not self._negotiation.begun(kind):
            async with self._first:
                if not self._negotiation.begun(kind):
                    return await self._live.complete(request)
        return await super().complete(request)

    async def close(self) -> None:
        self._first = asyncio.Lock()  # of another event loop
        try:
            await self._waves.close()
        finally:
            await self._live.close()

    async def _send(self, request: ChatRequest, payload: Mapping[str, Any]) -> Completion:
        url = self.endpoint.address("/chat/completions")
        reply = await self._waves.ask(key_of(self.name, request).hex(), payload)
        self._http.answered = True
        value = await self._value(reply, url, payload)
        return self._answer(value, url, partial(read_completion, endpoint=self.endpoint))
