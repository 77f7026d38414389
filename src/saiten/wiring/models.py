"""Chat models and embedders by name, each with its request stack."""

import logging
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from saiten.models.budget import Account, Budget, Price, find_price
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.models.layers import Layer
from saiten.models.limits import Limiter, Limits, Retries
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.models.openai_embedder import OpenAICompatibleEmbedder
from saiten.models.sentence_transformers import SentenceTransformersEmbedder
from saiten.models.stack import layers, stack_chat, stack_embedder
from saiten.models.store import Store
from saiten.models.transformers_chat import TransformersChat
from saiten.models.vectors import RAW
from saiten.protocols import Chat, Embedder
from saiten.settings import CallSettings
from saiten.wiring.addresses import HERE, Keys, price_name, read_address, url_of

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


def known_price(spec: str, calls: CallSettings) -> Price | None:
    """Return the token price of a chat model by its name; None if unknown, 0 for a model in this process."""
    if spec.strip().startswith(HERE):
        return Price(0.0)
    return find_price(calls.prices, price_name(spec))


@dataclass(frozen=True)
class Models:
    """A factory of models that share a budget, a cache and, per server, rate limits."""

    calls: CallSettings = field(default_factory=CallSettings)
    """The settings of the calls."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    """The environment variables that hold keys and default addresses."""
    account: Account = field(default_factory=Account, repr=False)
    """The total spending, including systems that are not models."""
    keys: Keys = field(init=False, repr=False)
    """The assignment of keys to servers."""
    _noticed: set[str] = field(init=False, repr=False, default_factory=set)
    _budget: Budget = field(init=False, repr=False)
    _limiters: dict[str, Limiter] = field(init=False, repr=False, default_factory=dict)
    _stores: list[Store] = field(init=False, repr=False, default_factory=list)
    _local: list[TransformersChat] = field(init=False, repr=False, default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", Keys(self.environ, self.calls.key_env))
        how = self.calls
        object.__setattr__(self, "_budget", Budget(how.max_calls, how.max_cost, how.currency, self.account))

    def without_store(self) -> "Models":
        """Return models with the same budget and limits but no cache, for measuring latencies."""
        bare = self.called(replace(self.calls, cache=None))
        object.__setattr__(bare, "_budget", self._budget)
        object.__setattr__(bare, "_limiters", self._limiters)
        return bare

    def called(self, calls: CallSettings) -> "Models":
        """Return models with other call settings for the same command; account and keys are shared."""
        others = Models(calls, self.environ, self.account)
        object.__setattr__(others, "keys", self.keys)
        object.__setattr__(others, "_noticed", self._noticed)
        return others

    def chat(self, spec: str, *, what: str = "judge", builtin: str = "offline") -> Chat:
        """Return the chat model: `openai:MODEL`, `openai:MODEL@URL` or `hf:NAME_OR_FOLDER`.

        `what` and `builtin` are for error texts: the role of the model, and the alternative that needs none.

        Raises:
            ConfigurationError: the name, the key or the price is missing or wrong, or an extra is not installed.
        """
        if spec.strip().startswith(HERE):
            local = TransformersChat(spec.strip().removeprefix(HERE))
            self._local.append(local)
            return stack_chat(local, self._around(local.name, local.name, Price(0.0)), self._store())
        model, url = self._on_server(OpenAICompatibleChat, spec, what, builtin)
        return stack_chat(model, self._around(model.name, url), self._store())

    def notice(self, sentence: str) -> None:
        """Report a sentence to the user, once."""
        if sentence not in self._noticed:
            self._noticed.add(sentence)
            _LOG.warning(sentence)

    def expect(self, spec: str, what: str) -> None:
        """Register a model that will be called, so that its key goes to no other server first."""
        url = url_of(spec, self.environ)
        if url is not None:
            self.keys.expect(url, what=what)

    async def prepare(self) -> None:
        """Load the chat models made so far that run in this process; others need no loading.

        Raises:
            ConfigurationError: a model cannot be loaded.
        """
        for local in self._local:
            await local.prepare()

    def embedder(self, spec: str, *, scaled: bool = True) -> Embedder:
        """Return the embedder: `builtin[:DIMENSIONS]`, `st:NAME_OR_FOLDER`, `openai:MODEL` or `openai:MODEL@URL`.

        Its vectors have length 1, unless `scaled` is false: then a model's vectors keep their lengths.

        Raises:
            ConfigurationError: the name, the key or the price is missing or wrong.
        """
        if spec == "builtin":
            return BuiltinEmbedder()
        if match := re.fullmatch(r"builtin:(\d{1,9})", spec):
            return BuiltinEmbedder(int(match[1]))
        if spec.startswith("st:"):
            return SentenceTransformersEmbedder(spec.removeprefix("st:"), scaled=scaled)
        model, url = self._on_server(OpenAICompatibleEmbedder, spec, "embedder", "builtin", scaled=scaled)
        return stack_embedder(model, self._around(model.name.removeprefix(RAW), url), self._store())

    def _on_server(self, make: Callable[..., T], spec: str, what: str, builtin: str, **settings: bool) -> tuple[T, str]:
        at = read_address(spec, self.environ, what=what, builtin=builtin, keys=self.keys)
        variable = at.source.variable
        model = make(at.model, at.url, at.source, timeout=self.calls.timeout, key_variable=variable, **settings)
        return model, at.url

    def _store(self) -> Store | None:
        """Return the shared cache, opened with the first model that needs it."""
        if self.calls.cache is not None and not self._stores:
            self._stores.append(Store(self.calls.cache, failed=self.account.stop))
        return self._stores[0] if self._stores else None

    def _around(self, model: str, url: str, price: Price | None = None) -> tuple[Layer, ...]:
        """Return the request layers: one shared budget, one limiter per server, one price per model."""
        how = self.calls
        limits = Limits(how.concurrency, how.requests_per_minute, how.tokens_per_minute)
        return layers(
            retries=Retries(attempts=how.retries + 1),
            limits=self._limiters.setdefault(url, Limiter(limits)),
            price=price or find_price(how.prices, model),
            budget=self._budget,
        )
