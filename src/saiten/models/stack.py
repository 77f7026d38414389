"""The whole stack around a model, in the one order that makes sense.

From the outside in:

1. cache: what it answers costs nothing further in, and equal requests in flight are one;
2. dialect (OpenAI-compatible models only): a request that finds something out is counted like any other;
3. retries: outside the limits, so that who waits to try again takes nobody's place;
4. limits: see every attempt, and every refusal;
5. price and budget: innermost, so that the budget counts every attempt and is exact.
"""

from collections.abc import Sequence
from random import Random
from typing import Protocol, Self, runtime_checkable

from saiten.models.budget import Budget, Budgeted
from saiten.models.cache import CachedChat, CachedEmbedder
from saiten.models.layers import Layer, LayeredChat, LayeredEmbedder
from saiten.models.limits import Limiter, Limits
from saiten.models.prices import Price
from saiten.models.retries import Retries, Retrying
from saiten.models.store import Store
from saiten.protocols import Chat, Embedder


@runtime_checkable
class TakesLayers(Protocol):
    """A model that may send several requests for one answer, and so takes the layers inside."""

    def over(self, layers: Sequence[Layer]) -> Self:
        """The same model, with these layers around each request that it sends."""
        ...


def layers(
    *,
    retries: Retries | None = None,
    limits: Limits | Limiter | None = None,
    price: Price | None = None,
    budget: Budget | None = None,
    seed: int = 0,
) -> tuple[Layer, ...]:
    """The layers around each request: retries, limits, price and budget. What is not given has its defaults.

    `seed` is that of the jitter. Several models at one server share the limits if they are given the same Limiter.

    Raises:
        ConfigurationError: the budget bounds the cost and the price is not known.
    """
    rng = Random(seed)  # noqa: S311 - jitter, no cryptography
    return (
        Retrying(retries or Retries(), rng),
        limits if isinstance(limits, Limiter) else Limiter(limits or Limits()),
        Budgeted(price, budget),
    )


def stack_chat(chat: Chat, around: Sequence[Layer], store: Store | None = None) -> Chat:
    """The chat model with the layers around each request, and with a cache if there is a store."""
    layered = chat.over(around) if isinstance(chat, TakesLayers) else LayeredChat(chat, around)
    return layered if store is None else CachedChat(layered, store)


def stack_embedder(embedder: Embedder, around: Sequence[Layer], store: Store | None = None) -> Embedder:
    """The embedder with the layers around each request, and with a cache if there is a store."""
    layered = embedder.over(around) if isinstance(embedder, TakesLayers) else LayeredEmbedder(embedder, around)
    return layered if store is None else CachedEmbedder(layered, store)
