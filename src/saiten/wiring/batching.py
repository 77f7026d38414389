"""Chat models in batches: the queue, the server's endpoints and the layers of one model."""

from collections.abc import Callable
from functools import partial
from random import Random

from saiten.errors import ConfigurationError
from saiten.models.answer_store import AnswerStore
from saiten.models.batch.by_hand import pending
from saiten.models.batch.chat import BatchBudgeted, BatchChat
from saiten.models.batch.keeping import Keeper
from saiten.models.batch.openai_batches import MistralBatches, OpenAIBatches
from saiten.models.batch.server import BatchServer
from saiten.models.batch.shelf import Shelf
from saiten.models.batch.submitting import Submitting
from saiten.models.batch.waves import Waves
from saiten.models.budget import Budget
from saiten.models.endpoint import Endpoint
from saiten.models.limits import Retries, Retrying
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.models.prices import Quote
from saiten.models.providers import Provider
from saiten.settings import CallSettings
from saiten.wiring.quotes import batch_quote

_ATTEMPTS = 3
"""Batches in which a request is sent at most: each may take a day."""

_QUIET = 5.0
"""Seconds without a new request after which a wave is closed, unless batches are looked at more often."""


def in_batches(
    live: OpenAICompatibleChat,
    quote: Quote,
    calls: CallSettings,
    budget: Budget,
    store: AnswerStore,
    *,
    shelf: Callable[[], Shelf],
    notify: Callable[[str], None],
    report: Callable[[str], object],
) -> BatchChat:
    """Return the model in batches; `live` is within its layers, and has this price.

    Raises:
        ConfigurationError: saiten cannot send batches to this provider.
    """
    endpoint, model = live.endpoint, live.endpoint.model
    quote, server = batch_quote(quote, endpoint.provider, endpoint.base_url, calls), _server(endpoint, calls)
    submitting = Submitting(
        live.name,
        server,
        Keeper(store, endpoint, quote.price, notify),
        budget.account,
        quote,
        by_hand=calls.batch_files,
        poll=calls.batch_poll,
        notify=notify,
        report=report,
        retries=Retries(attempts=calls.retries + 1),
    )
    waves = Waves(
        live.name,
        shelf,
        submitting,
        partial(pending, model=model),
        most=calls.batch_size,
        largest=server.largest,
        quiet=min(_QUIET, calls.batch_poll / 12),
    )
    retries = Retries(attempts=min(calls.retries + 1, _ATTEMPTS), first=0.0, longest=0.0)
    around = Retrying(retries, Random(0)), BatchBudgeted(quote, budget)  # noqa: S311 - jitter, not cryptography
    return BatchChat(live, waves, around, store, tries=not untried(endpoint.provider, calls))


def untried(provider: Provider, calls: CallSettings) -> bool:
    """Return whether the model cannot be reached outside batches, so that there is no first small call."""
    return calls.batch_files or (calls.batch and provider.batch_only)


def _server(endpoint: Endpoint, calls: CallSettings) -> BatchServer:
    provider = endpoint.provider
    match provider.batches or ("openai" if calls.batch_files else ""):  # for batches of earlier commands
        case "openai":
            return OpenAIBatches(endpoint, calls.timeout)
        case "mistral":
            return MistralBatches(endpoint, calls.timeout)
        case "anthropic":
            from saiten.models.batch.anthropic_batches import AnthropicBatches  # noqa: PLC0415 - needs an extra

            return AnthropicBatches(endpoint, calls.timeout)
        case "gemini":
            from saiten.models.batch.gemini_batches import GeminiBatches  # noqa: PLC0415 - needs an extra

            return GeminiBatches(endpoint, calls.timeout)
    raise ConfigurationError(
        f"saiten cannot send batches to {provider.name}; leave out --batch, or write the requests to files with "
        "--batch-files"
    )
