"""Chat models and embedders by name, each with its request stack."""

import logging
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from saiten.judges.support.named import PREFIX
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
from saiten.wiring.addresses import HERE, price_name, read_address, url_of
from saiten.wiring.keys import Keys

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


def known_price(spec: str, calls: CallSettings) -> Price | None:
    """Return the token price of a chat model by its name; None if unknown, 0 for a model in this process."""
    if spec.strip().startswith((HERE, PREFIX)):
        return Price(0.0)
    return find_price(calls.prices, price_name(spec))


class Models:
    """A factory of models that share a budget, a cache and, per server, rate limits."""

    def __init__(
        self, calls: CallSettings | None = None, environ: Mapping[str, str] = os.environ, account: Account | None = None
    ) -> None:
        """`environ` holds keys and default addresses; `account` adds up all spending, systems included."""
        self.calls = calls or CallSettings()
        self.environ = environ
        self.account = account or Account()
        self.keys = Keys(environ, self.calls.key_env)
        self._budget = Budget(self.calls.max_calls, self.calls.max_cost, self.calls.currency, self.account)
        self._limiters: dict[str, Limiter] = {}
        self._noticed: set[str] = set()
        self._stores: list[Store] = []
        self._local: list[TransformersChat] = []

    def without_store(self) -> "Models":
        """Return models with the same budget and limits but no cache, for measuring latencies."""
        bare = self.called(replace(self.calls, cache=None))
        bare._budget, bare._limiters = self._budget, self._limiters  # noqa: SLF001 - same class
        return bare

    def called(self, calls: CallSettings) -> "Models":
        """Return models with other call settings for the same command; account and keys are shared."""
        others = Models(calls, self.environ, self.account)
        others.keys, others._noticed = self.keys, self._noticed
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
