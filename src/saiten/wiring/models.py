"""Chat models and embedders by name, each with its request stack."""

import logging
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from saiten.errors import ConfigurationError
from saiten.models.answer_store import AnswerStore
from saiten.models.batch.shelf import Shelf
from saiten.models.budget import Account, Budget
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.models.cache import CachedChat
from saiten.models.http_client import check_open_files
from saiten.models.layers import Layer
from saiten.models.leases import Leases
from saiten.models.library_models import chat_of, embedder_of
from saiten.models.limits import Limiter, Limits, Retries
from saiten.models.local_chat import LocalChat
from saiten.models.prices import Price, Quote
from saiten.models.sentence_transformers import SentenceTransformersEmbedder
from saiten.models.stack import layers, stack_chat, stack_embedder
from saiten.models.transformers_chat import TransformersChat
from saiten.models.vllm_engine import Engines, VllmChat
from saiten.protocols import Chat, Embedder
from saiten.rag.systems.http_address import KEY_VARIABLE, HttpAddress
from saiten.settings import CallSettings
from saiten.wiring.addresses import CHATS_HERE, ENGINE, HERE, parse_name, read_address
from saiten.wiring.batching import in_batches
from saiten.wiring.keys import Keys
from saiten.wiring.quotes import quote_at
from saiten.wiring.stores import open_store
from saiten.words import Message

T = TypeVar("T")

MODELS, SYSTEM = "models", "system"
"""The budgets that workers share: that of all models, and that of a system under test."""

NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})
NO_HEADERS: Mapping[str, str] = MappingProxyType({})

_LOG = logging.getLogger(__name__)


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
        self._noticed: set[str | Message] = set()
        self._stores: list[AnswerStore] = []
        self._engines = Engines()
        self._local: list[LocalChat] = []
        self.shelf: Shelf | None = None
        """Set once a run has a place for batches."""
        self.report: Callable[[str], object] = lambda _: None
        """Called with how far the open batches are; "" for none."""
        self.leases: Leases | None = None
        """Set in a worker that shares a budget with others."""

    def without_store(self) -> "Models":
        """Return models with the same budget and limits but no cache, for measuring latencies."""
        bare = self.called(replace(self.calls, cache=None, batch=False, batch_files=False))
        bare._budget, bare._limiters = self._budget, self._limiters  # noqa: SLF001 - same class
        return bare

    def called(self, calls: CallSettings) -> "Models":
        """Return models with other call settings for the same command; account and keys are shared."""
        others = Models(calls, self.environ, self.account)
        others.keys, others._noticed, others.leases = self.keys, self._noticed, self.leases
        others._engines = self._engines
        return others

    def chat(
        self,
        spec: str,
        *,
        what: str = "judge",
        builtin: str = "offline",
        headers: Mapping[str, str] = NO_HEADERS,
        options: Mapping[str, Any] = NO_OPTIONS,
    ) -> Chat:
        """Return the model: `PROVIDER:MODEL[@URL]`, `hf:NAME_OR_FOLDER` or `vllm-engine:NAME_OR_FOLDER`.

        `what` and `builtin` are for error texts: the role of the model, and the alternative that needs none. `headers`
        are sent with every request; a value `env:NAME` is that of an environment variable. `options` are those that
        the requests will have: an engine needs some of them before the first request.

        Raises:
            ConfigurationError: the name, the key or the price is missing or wrong, or an extra is not installed.
        """
        if spec.strip().startswith(CHATS_HERE):
            if headers:
                raise ConfigurationError(f"{spec} is a model in this process, which is sent no headers; leave them out")
            local = self._in_this_process(spec.strip(), options)
            self._local.append(local)
            return stack_chat(local, self._around(Quote(Price(0.0), local.name), local.name), self._store())
        model, url = self._on_server(chat_of, spec, what, builtin, headers)
        quote, store = self._quote(model.name, url), self._store()
        around = self._around(quote, url)
        if not self.calls.batched or store is None:
            return stack_chat(model, around, store)
        batched = in_batches(
            model.over(around),
            quote,
            self.calls,
            self._budget,
            store,
            shelf=self._found_shelf,
            notify=self.notice,
            report=self._reported,
        )
        return CachedChat(batched, store)

    def _in_this_process(self, spec: str, options: Mapping[str, Any]) -> LocalChat:
        if spec.startswith(ENGINE):
            return VllmChat(spec.removeprefix(ENGINE), options, self._engines)
        return TransformersChat(spec.removeprefix(HERE))

    def _reported(self, text: str) -> None:
        self.report(text)

    def _found_shelf(self) -> Shelf:
        """Return where this command keeps batches; raises ConfigurationError for one that has none."""
        if self.shelf is None:
            raise ConfigurationError(
                "--batch is for `score`, `probe` and `evaluate`, whose calls can wait for a day; leave it out"
            )
        return self.shelf

    def use(self, store: AnswerStore) -> None:
        """Keep replies in this store, instead of the one that the settings name."""
        self._stores.append(store)

    def notice(self, sentence: str | Message) -> None:
        """Report a sentence to the user, once."""
        if sentence not in self._noticed:
            self._noticed.add(sentence)
            _LOG.warning(sentence)

    def expect(self, spec: str, what: str) -> None:
        """Register a model that will be called, so that its key goes to no other server first."""
        name = parse_name(spec)
        if name is not None:
            name.expect(self.keys, what)

    async def prepare(self) -> None:
        """Load the chat models made so far that run in this process; others need no loading.

        Raises:
            ConfigurationError: a model cannot be loaded.
        """
        for local in self._local:
            await local.prepare()

    def embedder(
        self,
        spec: str,
        *,
        scaled: bool = True,
        options: Mapping[str, Any] = NO_OPTIONS,
        headers: Mapping[str, str] = NO_HEADERS,
        found: bool = False,
    ) -> Embedder:
        """Return the embedder: `builtin[:DIMENSIONS]`, `st:NAME_OR_FOLDER`, `PROVIDER:MODEL` or `PROVIDER:MODEL@URL`.

        Its vectors have length 1, unless `scaled` is false: then a model's vectors keep their lengths. `options` are
        part of every request, and `headers` are as for `chat`. `found`: the name comes from data, as for `Keys.of`.

        Raises:
            ConfigurationError: the name, the key or the price is missing or wrong.
        """
        if (options or headers) and (spec.startswith(("builtin", "st:"))):
            raise ConfigurationError(
                f"{spec} is an embedder in this process, without options or headers; leave them out"
            )
        if spec == "builtin":
            return BuiltinEmbedder()
        if match := re.fullmatch(r"builtin:(\d{1,9})", spec):
            return BuiltinEmbedder(int(match[1]))
        if spec.startswith("st:"):
            return SentenceTransformersEmbedder(spec.removeprefix("st:"), scaled=scaled)
        model, url = self._on_server(
            embedder_of, spec, "embedder", "builtin", headers, found=found, scaled=scaled, options=dict(options)
        )
        quote = self._quote(model.endpoint.name, url)
        return stack_embedder(model, self._around(quote, url), self._store())

    def _on_server(
        self,
        make: Callable[..., T],
        spec: str,
        what: str,
        builtin: str,
        headers: Mapping[str, str],
        *,
        found: bool = False,
        **settings: Any,
    ) -> tuple[T, str]:
        check_open_files(self.calls.concurrency)
        at = read_address(spec, self.environ, what=what, builtin=builtin, keys=self.keys, found=found)
        settings |= {"timeout": self.calls.timeout, "key_variable": at.source.variable, "provider": at.provider}
        model = make(at.model, at.url, at.source, headers=self.resolved(headers), **settings)
        return model, at.url

    def with_key(self, address: HttpAddress) -> HttpAddress:
        """Return the address of a system or retriever with its key, unless a header has one."""
        check_open_files(self.calls.concurrency)
        if "Authorization" in address.headers:
            return address
        key = self.keys.of(str(address.url), variable=KEY_VARIABLE)
        return address.with_key(key.value(), key.variable, key.advice())

    def resolved(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers with the values of environment variables in place of `env:NAME`.

        Raises:
            ConfigurationError: a variable is not set.
        """
        found = {}
        for name, value in headers.items():
            variable = value.removeprefix("env:")
            if variable != value and not self.environ.get(variable):
                raise ConfigurationError(f"the header {name} is to have the value of {variable}, which is not set")
            found[name] = value if variable == value else self.environ[variable]
        return found

    def _store(self) -> AnswerStore | None:
        """Return the shared cache, opened with the first model that needs it."""
        if self.calls.cache is not None and not self._stores:
            self._stores.append(open_store(self.calls.cache, self.account.stop))
        return self._stores[0] if self._stores else None

    def _quote(self, name: str, url: str) -> Quote:
        """Return the model's price; report a table that is not used because of its currency."""
        quote = quote_at(name, url, self.calls)
        if quote.price is None and quote.unknown == "currency":
            self.notice(quote.sentence())
        return quote

    def _around(self, quote: Quote, server: str) -> tuple[Layer, ...]:
        """Return the request layers: one shared budget, one limiter per server, one price per model."""
        how = self.calls
        limits = Limits(how.concurrency, how.requests_per_minute, how.tokens_per_minute)
        return layers(
            retries=Retries(attempts=how.retries + 1),
            limits=self._limiters.setdefault(server, Limiter(limits)),
            quote=quote,
            budget=self._budget,
            lease=None if self.leases is None else self.leases.layer(MODELS, server, quote),
        )
