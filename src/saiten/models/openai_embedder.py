"""An embedder on any OpenAI-compatible server: few requests, each with many texts."""

import asyncio
from base64 import b64decode
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.dialect import Dialect
from saiten.models.endpoint import Endpoint, KeyOfServer
from saiten.models.flights import Flight, Flights, land
from saiten.models.layers import Load, likely_tokens, through
from saiten.models.openai_compatible import OpenAICompatible, read_usage
from saiten.models.parameters import shown
from saiten.models.providers import OPENAI, Provider
from saiten.models.vectors import NOTHING, RAW, Vector, rows, unit
from saiten.models.wire import glimpse
from saiten.protocols import Embeddings
from saiten.records import REUSED, Usage
from saiten.redaction import redact_options

_PATH = "/embeddings"
_MOMENT = 0.005  # seconds to collect texts
_MOST_TOKENS = 100_000  # per request; OpenAI takes 300,000, but estimates are rough

_Batch = tuple[dict[str, Vector | CallFailed], Usage]
"""A batch's result per text, and what it cost."""


class _Gathering:
    """A batch to which texts may still be added; `fly` fetches it."""

    def __init__(
        self, flights: Flights[str, _Batch], fly: Callable[["_Gathering"], Coroutine[Any, Any, _Batch]]
    ) -> None:
        self.texts: list[str] = []
        self.tokens = 0
        self.full = asyncio.Event()
        self.flight = flights.start((), fly(self))

    @property
    def boarding(self) -> bool:
        return self.flight.boarding and not self.full.is_set()


class OpenAICompatibleEmbedder(OpenAICompatible):
    """Embeds through `/embeddings`.

    Texts requested within a short moment share one request, and equal texts are sent once. A text that the server
    refuses fails alone: its batch is split until the text is isolated. White space is a text like any other; an empty
    text, which servers refuse, is not sent, and has zeros.
    """

    def __init__(
        self,
        model: str,
        base_url: str = OPENAI,
        api_key: str | KeyOfServer | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = 180.0,
        key_variable: str = "OPENAI_API_KEY",
        provider: Provider | None = None,
        options: Mapping[str, Any] | None = None,
        batch: int = 128,
        scaled: bool = True,
    ) -> None:
        """`headers`, `timeout`, `key_variable`, `provider`: as for every model; `batch`: maximum texts per request.

        `options`: further parameters of every request, such as `dimensions`. Unless `scaled`, vectors keep the length
        the server gives them.

        Raises:
            ConfigurationError: the address, the key or a header is unusable.
        """
        if batch < 1:
            raise ConfigurationError(f"a batch must hold at least one text, got {batch}")
        super().__init__(
            model, base_url, api_key, headers=headers, timeout=timeout, key_variable=key_variable, provider=provider
        )
        self._options = dict(options or {})
        self._batch = batch
        self._scaled = scaled
        self._flights: Flights[str, _Batch] = Flights()
        self._gathering: _Gathering | None = None

    @property
    def name(self) -> str:
        """As for every model on a server, with its options; prefixed with `raw:` if not scaled."""
        options = f" ({shown(redact_options(self._options))})" if self._options else ""
        return f"{'' if self._scaled else RAW}{super().name}{options}"

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        wanted = dict.fromkeys(text for text in texts if text)
        flights = dict.fromkeys(self._flights.get(text) or self._board(text) for text in wanted)
        found, charged = await land(flights, REUSED)
        spent = sum(charged, Usage())
        return Embeddings(rows([_vector(found.get(text, NOTHING), spent) for text in texts], self.name), spent)

    def _board(self, text: str) -> Flight[str, _Batch]:
        batch = self._gathering
        if batch is None or not batch.boarding:
            batch = self._gathering = _Gathering(self._flights, self._fly)
        batch.flight.board(text)
        batch.texts.append(text)
        batch.tokens += likely_tokens([text])
        if len(batch.texts) >= self._batch or batch.tokens >= _MOST_TOKENS:
            batch.full.set()
        return batch.flight

    async def _fly(self, batch: _Gathering) -> _Batch:
        timer = asyncio.get_running_loop().call_later(_MOMENT, batch.full.set)
        try:
            await batch.full.wait()
        finally:
            timer.cancel()
        return await self._fetch(batch.texts)

    async def _fetch(self, texts: Sequence[str]) -> _Batch:
        """Fetch the vectors of these texts; if the server refuses the batch, fetch each half."""
        try:
            answer = await self._negotiation.run("embeddings", partial(self._ask, texts))
        except CallFailed as error:
            if error.retryable:
                raise
            if len(texts) == 1:
                return {texts[0]: error}, error.usage
            if "batch" in str(error):
                self._batch = max(1, min(self._batch, len(texts) // 2))
            return await self._fetch_halves(texts, error.usage)
        return dict(zip(texts, answer.vectors, strict=True)), answer.usage

    async def _fetch_halves(self, texts: Sequence[str], spent: Usage) -> _Batch:
        found: dict[str, Vector | CallFailed] = {}
        middle = len(texts) // 2
        for half in (texts[:middle], texts[middle:]):
            try:
                vectors, usage = await self._fetch(half)
            except CallFailed as error:
                error.usage = spent + error.usage
                raise
            found |= vectors
            spent += usage
        return found, spent

    async def _ask(self, texts: Sequence[str], dialect: Dialect) -> Embeddings:
        return await through(self._layers, partial(self._send, texts, dialect), Load(likely_tokens(texts)))

    async def _send(self, texts: Sequence[str], dialect: Dialect) -> Embeddings:
        payload: dict[str, Any] = {"model": self.endpoint.model, "input": list(texts)}
        if "encoding_format" not in dialect.dropped:
            payload["encoding_format"] = "base64"
        payload |= self._options
        return await self._post(_PATH, payload, partial(self._read, texts))

    def _read(self, texts: Sequence[str], value: Mapping[str, Any]) -> Embeddings:
        vectors = _read_vectors(value, texts, self.endpoint)
        return Embeddings(unit(vectors) if self._scaled else vectors, read_usage(value))


def _vector(found: Vector | CallFailed, spent: Usage) -> Vector:
    if isinstance(found, CallFailed):
        raise found.with_usage(spent)
    return found


def _read_vectors(value: Mapping[str, Any], texts: Sequence[str], endpoint: Endpoint) -> Vector:
    """Return the vectors as received, of shape (texts, dimensions), in the order of the texts."""
    try:
        entries = list(value["data"])
        if all(isinstance(entry.get("index"), int) for entry in entries):
            entries.sort(key=lambda entry: entry["index"])
        vectors = np.array([_read_vector(entry["embedding"]) for entry in entries], np.float32)
    except (TypeError, KeyError, ValueError, AttributeError):
        vectors = np.zeros((0, 0), np.float32)
    count = len(texts)
    count_ok = vectors.ndim == 2 and len(vectors) == count
    written = [bool(text.strip()) for text in texts]  # a model may have nothing but zeros for white space
    if not (count_ok and vectors.size and np.isfinite(vectors).all() and vectors[written].any(axis=1).all()):
        shown = endpoint.excerpt(glimpse(value))
        what = "but one is no measurement (zero, NaN or infinite)" if count_ok else f"but sent {len(vectors)}"
        raise CallFailed(
            f"{endpoint.name} was asked for {count} vectors of equal length, {what}; the reply begins: {shown}",
            read_usage(value),
            kind="failed" if "data" in value else "unreadable",
            retryable=True,
        )
    return vectors


def _read_vector(embedding: Any) -> Any:
    return np.frombuffer(b64decode(embedding), "<f4") if isinstance(embedding, str) else embedding
