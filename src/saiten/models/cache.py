"""The cache: answers come from the store if it has them; others are requested once and stored at once.

The key covers everything an answer depends on (model, endpoint, messages, parameters, schema), but no API key and no
header. Keep the cache outermost, so that hits cost neither budget nor time.

Equal requests in flight are one: within a process by `Flights`, and over all processes that share a store whose claims
they see.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from typing import Any, Generic

import numpy as np
import orjson

from saiten.errors import CallFailed
from saiten.models.answer_store import AnswerStore
from saiten.models.flights import Flights, T, land
from saiten.models.layers import M, ModelWrapper
from saiten.models.token_probabilities import pack_tokens, unpack_tokens
from saiten.models.vectors import Vector, rows
from saiten.models.wire import dump
from saiten.protocols import Chat, ChatRequest, Completion, Embedder, Embeddings
from saiten.records import REUSED, Usage

_Found = tuple[dict[bytes, Vector], Usage]


class _Cached(ModelWrapper[M], Generic[M, T]):
    def __init__(self, inner: M, store: AnswerStore) -> None:
        super().__init__(inner)
        self._store = store
        self._flights: Flights[bytes, T] = Flights()

    async def close(self) -> None:
        await super().close()
        await self._store.close()


class CachedChat(_Cached[Chat, Completion]):
    """A chat model that answers from the store. A hit has `Usage(reused=1)` and no calls."""

    @property
    def left_out(self) -> frozenset[str]:
        return self._inner.left_out

    async def complete(self, request: ChatRequest) -> Completion:
        key = key_of(self.name, request)
        kept = await self._store.get(key)
        if kept is not None and (known := read_kept(kept)) is not None:
            return known
        flight = self._flights.get(key) or self._flights.start([key], self._ask(key, request))
        with flight:
            answer, pays = await flight.answer()
        return answer if pays else replace(answer, usage=REUSED)

    @property
    def uncached(self) -> Chat:
        """The model without cache and claims; close the cached one, which closes it."""
        return self._inner

    def forget(self, request: ChatRequest) -> None:
        """Drop the answer stored for this request, so that the request is sent again next time.

        Meant for unreadable answers, which at temperature 0 would come back forever.
        """
        self._store.drop(key_of(self.name, request))

    async def _ask(self, key: bytes, request: ChatRequest) -> Completion:
        claimed = await self._store.claim([key])
        if key in claimed.found and (known := read_kept(claimed.found[key])) is not None:
            return known
        with _released(self._store, claimed.ours) as ours:
            answer = await self._inner.complete(request)
            if (kept := written(answer)) is not None:
                await self._store.put(self.name, {key: kept})
                ours.clear()
        return answer


class CachedEmbedder(_Cached[Embedder, _Found]):
    """An embedder that answers from the store, text by text, and fetches the missing texts in one request."""

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        keys = [sha256(b"embedding\n" + dump([self.name, text])).digest() for text in texts]
        by_key = dict(zip(keys, texts, strict=True))
        vectors = _vectors(await self._store.get_many(list(by_key)))
        missing = [key for key in by_key if key not in vectors]
        new = {key: by_key[key] for key in missing if self._flights.get(key) is None}
        if new:
            self._flights.start(new, self._ask(new))
        flights = dict.fromkeys(flight for key in missing if (flight := self._flights.get(key)))
        fetched, paid = await land(flights)
        vectors |= fetched
        usage = sum(paid, Usage()) if paid else REUSED
        return Embeddings(rows([vectors[key] for key in keys], self.name), usage)

    async def _ask(self, texts: Mapping[bytes, str]) -> _Found:
        found: dict[bytes, Vector] = {}
        paid: list[Usage] = []
        while left := [key for key in texts if key not in found]:
            claimed = await self._store.claim(left)
            found |= _vectors(claimed.found)
            ours = {key: texts[key] for key in left if key in claimed.ours or key in claimed.found.keys() - found}
            try:
                found |= await self._fetched(ours, paid) if ours else {}
            except CallFailed as error:
                error.usage = sum(paid, error.usage)
                raise
        return found, sum(paid, Usage()) if paid else REUSED

    async def _fetched(self, texts: Mapping[bytes, str], paid: list[Usage]) -> dict[bytes, Vector]:
        """Return the texts' vectors from the model, which are stored then; what they cost is added to `paid`."""
        with _released(self._store, texts) as ours:
            answer = await self._inner.embed(list(texts.values()))
            paid.append(answer.usage)
            found = dict(zip(texts, answer.vectors, strict=True))
            kept = {key: row.astype("<f4").tobytes() for key, row in found.items() if row.any()}
            await self._store.put(self.name, kept)
            ours.difference_update(kept)
        return found


@contextmanager
def _released(store: AnswerStore, keys: Iterable[bytes]) -> Iterator[set[bytes]]:
    """Release those of these claims that are still in the set at the end, whatever ends it."""
    left = set(keys)
    try:
        yield left
    finally:
        if left:
            store.release(list(left))


def _vectors(kept: Mapping[bytes, bytes]) -> dict[bytes, Vector]:
    """Return the vectors that are whole."""
    return {key: np.frombuffer(value, "<f4") for key, value in kept.items() if len(value) % 4 == 0}


def key_of(name: str, request: ChatRequest) -> bytes:
    """Return the key of a request to the model of this name, 32 bytes."""
    parts = [
        name,
        [[message.role, message.content] for message in request.messages],
        request.temperature,
        request.seed,
        request.max_tokens,
        request.schema,  # field order matters: the model writes fields in this order
        *(() if request.logprobs is None else (["logprobs", request.logprobs],)),
        *((["options", sorted(request.options.items())],) if request.options else ()),
    ]
    return sha256(b"chat\n" + dump(parts)).digest()


def written(answer: Completion) -> bytes | None:
    """Return the answer as it is stored; None for one that is empty or incomplete, which is not."""
    if not answer.text or answer.cut_off:
        return None
    tokens = {} if answer.tokens is None else {"tokens": pack_tokens(answer.tokens)}
    return dump({"text": answer.text, "finish_reason": answer.finish_reason, **tokens})


def read_kept(kept: bytes) -> Completion | None:
    """Parse a stored answer; None if it is damaged, so that it is requested again."""
    try:
        value: Any = orjson.loads(kept)
        tokens = unpack_tokens(value["tokens"]) if "tokens" in value else None
        return Completion(value["text"], REUSED, value["finish_reason"], tokens)
    except (ValueError, TypeError, KeyError):
        return None
