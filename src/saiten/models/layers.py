"""Layers around one request (pricing, limits, retries), shared by chats and embedders.

A layer sees an attempt (a coroutine function without arguments) and the likely size of the request. It knows nothing of
messages or vectors, so the same object serves both, and several models may share one.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from saiten.protocols import Chat, ChatRequest, Completion, Embedder, Embeddings
from saiten.records import Usage

A = TypeVar("A", Completion, Embeddings)


@dataclass(frozen=True, slots=True)
class Load:
    """The likely number of tokens of a request."""

    prompt: int
    completion: int = 0
    """The request's upper bound; 0 if it sets none."""


class Layer(Protocol):
    """Something that happens around every request that is sent."""

    async def run(self, attempt: Callable[[], Awaitable[A]], load: Load) -> A:
        """Return the attempt's answer; may wait, retry, refuse, or change the answer's usage."""


async def through(layers: Sequence[Layer], attempt: Callable[[], Awaitable[A]], load: Load) -> A:
    """Run the attempt within the layers, the first layer outermost."""
    for layer in reversed(layers):
        attempt = partial(layer.run, attempt, load)
    return await attempt()


def likely_tokens(texts: Iterable[str]) -> int:
    """Estimate the number of tokens: one per four ASCII characters or per other character (Japanese)."""
    ascii_characters = others = 0
    for text in texts:
        if text.isascii():
            ascii_characters += len(text)
        else:
            plain = len(text.encode("ascii", "ignore"))
            ascii_characters += plain
            others += len(text) - plain
    return ascii_characters // 4 + others + 1


def load_of(request: ChatRequest) -> Load:
    """Estimate the size of a request to a chat model."""
    return Load(likely_tokens(message.content for message in request.messages), request.max_tokens or 0)


def adding(answer: A, spent: Usage) -> A:
    """Return the answer with earlier spending added to its usage."""
    return replace(answer, usage=spent + answer.usage) if spent.calls else answer


M = TypeVar("M", bound=Chat | Embedder)


class ModelWrapper(Generic[M]):
    """The base of wrappers around a model: has its name, and closes it."""

    def __init__(self, inner: M) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    async def close(self) -> None:
        await self._inner.close()


class LayeredChat(ModelWrapper[Chat]):
    """A chat model with layers around it; each `complete` of the inner model is one attempt."""

    def __init__(self, inner: Chat, layers: Sequence[Layer]) -> None:
        super().__init__(inner)
        self._layers = tuple(layers)

    @property
    def left_out(self) -> frozenset[str]:
        return self._inner.left_out

    async def complete(self, request: ChatRequest) -> Completion:
        return await through(self._layers, partial(self._inner.complete, request), load_of(request))


class LayeredEmbedder(ModelWrapper[Embedder]):
    """An embedder with layers around it; each `embed` of the inner embedder is one attempt."""

    def __init__(self, inner: Embedder, layers: Sequence[Layer]) -> None:
        super().__init__(inner)
        self._layers = tuple(layers)

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        return await through(self._layers, partial(self._inner.embed, texts), Load(likely_tokens(texts)))
