"""The stack of layers around a model.

From the outside in:

1. cache: hits cost nothing further in, and equal requests in flight are sent once;
2. dialect (OpenAI-compatible models only): requests that discover it count like any other;
3. retries: outside the limits, so that a waiting retry blocks no slot;
4. leases, where several processes share a budget: so that nobody holds a slot while waiting for one;
5. limits: see every attempt and every refusal;
6. price and budget: innermost, so that the budget counts every attempt exactly.
"""

from collections.abc import Sequence
from random import Random

from saiten.models.answer_store import AnswerStore
from saiten.models.budget import Budget, Budgeted
from saiten.models.cache import CachedChat, CachedEmbedder
from saiten.models.layers import Layer, LayeredChat, LayeredEmbedder
from saiten.models.limits import Limiter, Limits, Retries, Retrying
from saiten.models.openai_compatible import OpenAICompatible
from saiten.models.prices import Quote
from saiten.protocols import Chat, Embedder


def layers(
    *,
    retries: Retries | None = None,
    limits: Limits | Limiter | None = None,
    quote: Quote = Quote(),  # noqa: B008 - frozen
    budget: Budget | None = None,
    lease: Layer | None = None,
) -> tuple[Layer, ...]:
    """Return the layers around each request: retries, leases if there are any, limits, price and budget.

    Several models on one server share limits if given the same Limiter.

    Raises:
        ConfigurationError: the budget bounds the cost, but the price is unknown.
    """
    rng = Random(0)  # noqa: S311 - jitter, not cryptography
    return (
        Retrying(retries or Retries(), rng),
        *(() if lease is None else (lease,)),
        limits if isinstance(limits, Limiter) else Limiter(limits or Limits()),
        Budgeted(quote, budget),
    )


def stack_chat(chat: Chat, around: Sequence[Layer], store: AnswerStore | None = None) -> Chat:
    """Wrap the chat model in the layers, and in a cache if there is a store."""
    layered = chat.over(around) if isinstance(chat, OpenAICompatible) else LayeredChat(chat, around)
    return layered if store is None else CachedChat(layered, store)


def stack_embedder(embedder: Embedder, around: Sequence[Layer], store: AnswerStore | None = None) -> Embedder:
    """Wrap the embedder in the layers, and in a cache if there is a store."""
    layered = embedder.over(around) if isinstance(embedder, OpenAICompatible) else LayeredEmbedder(embedder, around)
    return layered if store is None else CachedEmbedder(layered, store)
