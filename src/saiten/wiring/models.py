"""Chat models and embedders by their names, each in the stack that stands around its requests."""

import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from saiten.models import (
    Account,
    Budget,
    BuiltinEmbedder,
    Layer,
    Limiter,
    Limits,
    OpenAICompatibleChat,
    OpenAICompatibleEmbedder,
    Price,
    PriceTable,
    Retries,
    Store,
    layers,
    stack_chat,
    stack_embedder,
)
from saiten.models.sentence_transformers import SentenceTransformersEmbedder
from saiten.models.transformers_chat import TransformersChat
from saiten.models.vectors import RAW
from saiten.protocols import Chat, Embedder
from saiten.settings import CallSettings
from saiten.wiring.addresses import HERE, price_name, read_address, url_of
from saiten.wiring.keys import Keys

_LOG = logging.getLogger(__name__)


def known_price(spec: str, calls: CallSettings) -> Price | None:
    """What the tokens of a chat model cost, by its name alone; None where nobody said so, 0 in this process."""
    if spec.strip().startswith(HERE):
        return Price(0.0)
    return PriceTable.read(calls.prices, calls.currency).find(price_name(spec))


@dataclass(frozen=True)
class Models:
    """Makes models that share a budget, a store of answers and, where they have one server, its limits."""

    calls: CallSettings = field(default_factory=CallSettings)
    """How the calls are made."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    """Where keys and addresses stand that are not named."""
    account: Account = field(default_factory=Account, repr=False)
    """What all of them spend, systems that are no models included."""
    keys: Keys = field(init=False, repr=False)
    """Which key goes to which server."""
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
        """The same, sharing budget and limits, but nothing is answered from a store: for whoever measures latencies."""
        bare = self.called(replace(self.calls, cache=None))
        object.__setattr__(bare, "_budget", self._budget)
        object.__setattr__(bare, "_limiters", self._limiters)
        return bare

    def called(self, calls: CallSettings) -> "Models":
        """Models that are called in another way by the same command: one account, and a key goes to one server."""
        others = Models(calls, self.environ, self.account)
        object.__setattr__(others, "keys", self.keys)
        object.__setattr__(others, "_noticed", self._noticed)
        return others

    def chat(self, spec: str, *, what: str = "judge", builtin: str = "offline") -> Chat:
        """The chat model: `openai:MODEL`, `openai:MODEL@URL` or `hf:NAME_OR_FOLDER`.

        `what` and `builtin` are for errors: what it is to be, and what needs no model.

        Raises:
            ConfigurationError: the name, the key or the price is missing or wrong, or an extra is not installed.
        """
        if spec.strip().startswith(HERE):
            local = TransformersChat(spec.strip().removeprefix(HERE))
            self._local.append(local)
            return stack_chat(local, self._around(local.name, local.name, Price(0.0)), self._store())
        address = read_address(spec, self.environ, what=what, builtin=builtin, keys=self.keys)
        model = OpenAICompatibleChat(
            address.model,
            address.url,
            address.source,
            timeout=self.calls.timeout,
            key_variable=address.source.variable,
        )
        return stack_chat(model, self._around(model.name, address.url), self._store())

    def notice(self, sentence: str) -> None:
        """Say something that the user should know, once however often it is found."""
        if sentence not in self._noticed:
            self._noticed.add(sentence)
            _LOG.warning(sentence)

    def expect(self, spec: str, what: str) -> None:
        """Say that this model will be asked too, so that a key that is for it goes to no other server before."""
        url = url_of(spec, self.environ)
        if url is not None:
            self.keys.expect(url, what=what)

    async def prepare(self) -> None:
        """Load the chat models made so far that run in this process; others are ready as they are.

        Raises:
            ConfigurationError: one cannot be loaded.
        """
        for local in self._local:
            await local.prepare()

    def embedder(self, spec: str, *, scaled: bool = True) -> Embedder:
        """The embedder: `builtin`, `builtin:DIMENSIONS`, `st:NAME_OR_FOLDER`, `openai:MODEL` or `openai:MODEL@URL`.

        Its vectors have length 1; those of a model that are not `scaled` keep the length that the model gives them.

        Raises:
            ConfigurationError: the name, the key or the price is missing or wrong.
        """
        if spec == "builtin":
            return BuiltinEmbedder()
        if match := re.fullmatch(r"builtin:(\d{1,9})", spec):
            return BuiltinEmbedder(int(match[1]))
        if spec.startswith("st:"):
            return SentenceTransformersEmbedder(spec.removeprefix("st:"), scaled=scaled)
        address = read_address(spec, self.environ, what="embedder", builtin="builtin", keys=self.keys)
        model = OpenAICompatibleEmbedder(
            address.model,
            address.url,
            address.source,
            timeout=self.calls.timeout,
            key_variable=address.source.variable,
            scaled=scaled,
        )
        return stack_embedder(model, self._around(model.name.removeprefix(RAW), address.url), self._store())

    def _store(self) -> Store | None:
        """One store for all, opened with the first model that needs it."""
        if self.calls.cache is not None and not self._stores:
            self._stores.append(Store(self.calls.cache, failed=self.account.stop))
        return self._stores[0] if self._stores else None

    def _around(self, model: str, url: str, price: Price | None = None) -> tuple[Layer, ...]:
        """What stands around the requests: one budget for all, one limiter a server, a price a model."""
        how = self.calls
        limits = Limits(how.concurrency, how.requests_per_minute, how.tokens_per_minute)
        return layers(
            retries=Retries(attempts=how.retries + 1),
            limits=self._limiters.setdefault(url, Limiter(limits)),
            price=price or PriceTable.read(how.prices, how.currency).find(model),
            budget=self._budget,
        )
