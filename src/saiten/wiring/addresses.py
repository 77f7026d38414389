"""`PROVIDER:MODEL` and `PROVIDER:MODEL@URL`: a model, where it is served, and the key to it."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from saiten.errors import ConfigurationError
from saiten.judges.support.named import PREFIX
from saiten.models.address import parse_url, server_of
from saiten.models.providers import Provider, providers
from saiten.models.vectors import RAW
from saiten.redaction import redact_name
from saiten.wiring.keys import Keys, ServerKey

HERE, ENGINE = "hf:", "vllm-engine:"
"""The prefixes of chat models in this process: run by transformers, run by vLLM's engine."""
CHATS_HERE = (HERE, ENGINE)


def runs_here(spec: str) -> bool:
    """Return whether the name is that of a network in this process, which a GPU makes faster."""
    return spec.strip().removeprefix(RAW).startswith((*CHATS_HERE, PREFIX, "st:"))


@dataclass(frozen=True, slots=True)
class Address:
    """A model, where it is served, and the key to it."""

    provider: Provider
    model: str
    url: str = field(repr=False)
    source: ServerKey
    """The source of its key."""


@dataclass(frozen=True, slots=True)
class ModelName:
    """The parts of a model's name."""

    provider: Provider
    model: str
    where: str | None = field(repr=False)
    """What follows the @: an address, or the name of a resource or region."""

    def url(self, environ: Mapping[str, str]) -> str:
        """Return the base URL; "" if the provider has no single one and none is given."""
        return self.provider.address(self.where, environ)

    def expect(self, keys: Keys, what: str) -> None:
        """Register the model's server as a candidate for its provider's key."""
        if url := self.url(keys.environ):
            keys.expect(url, what=what, variable=self._variable(keys), home=self._home(keys))

    def key(self, keys: Keys, what: str, *, found: bool = False) -> ServerKey:
        """Return the key to the model's server; `found` and errors as for `Keys.of`."""
        url = self.url(keys.environ)
        return keys.of(url, what=what, variable=self._variable(keys), home=self._home(keys), found=found)

    def _variable(self, keys: Keys) -> str:
        return self.provider.key_variable(keys.environ)

    def _home(self, keys: Keys) -> str | None:
        """Return the server to which the key belongs; None if each user has another."""
        own = self.provider.address(None, keys.environ)
        return server_of(parse_url(own)) if own else None


# A model's name may contain an @; an apparent address without http:// is refused, not sent to OpenAI as a name.
_NO_ADDRESS = r"(?![^@\s]*://|localhost\b|[^@\s]*:\d|[^@\s]*/v\d)"
_SPEC = re.compile(
    rf"(?P<provider>[a-z]+)[:/](?P<model>(?:@{_NO_ADDRESS})?[^@\s]+(?:@{_NO_ADDRESS}[^@\s]+)*)"
    r"(?:@(?P<url>https?://\S+))?"
)
_PLACE = re.compile(r"(?P<model>\S+)@(?P<where>[a-z][\w-]*)")
"""A resource or a region after the last @; a version, as in claude-opus-4@20250514, begins with a digit."""


def parse_name(spec: str) -> ModelName | None:
    """Return the parts of a name; None if it has another form, or names no provider."""
    match = _SPEC.fullmatch(spec.strip())
    provider = providers().get(match["provider"]) if match else None
    if match is None or provider is None:
        return None
    placed = _PLACE.fullmatch(match["model"]) if "{}" in provider.url and not match["url"] else None
    if placed:
        return ModelName(provider, placed["model"], placed["where"])
    return ModelName(provider, match["model"], match["url"])


def read_address(
    spec: str,
    environ: Mapping[str, str],
    *,
    what: str = "judge",
    builtin: str = "offline",
    keys: Keys | None = None,
    found: bool = False,
) -> Address:
    """Return the model, address and key of `PROVIDER:MODEL` or `PROVIDER:MODEL@URL`.

    `keys` are those of the whole command; by default this is its only server. `found`: as for `Keys.of`.

    Raises:
        ConfigurationError: the text has another form, the provider does not serve such models or needs a place, or the
            key that it needs is not set.
    """
    name = parse_name(spec)
    if name is None:
        here = "st:" if what == "embedder" else HERE
        others = "" if what == "embedder" else f", or {ENGINE}NAME_OR_FOLDER"
        others += f", or {PREFIX}NAME_OR_FOLDER" if what == "judge" else ""
        shown = redact_name(spec)
        raise ConfigurationError(
            f"unknown {what} {shown!r}; expected {builtin}, PROVIDER:MODEL, PROVIDER:MODEL@URL, or "
            f"{here}NAME_OR_FOLDER{others}, for example openai:gpt-4o-mini, ollama:qwen3 or "
            "vllm:qwen3@http://gpu1:8000/v1; providers are "
            f"{', '.join(providers())}{_meant(shown.strip(), builtin, here)}"
        )
    provider = name.provider
    service = "embeddings" if what == "embedder" else "chat"
    if service not in provider.serves:
        kind = "embedding models" if service == "embeddings" else "chat models"
        raise ConfigurationError(
            f"{provider.name} has no {kind}, so {redact_name(spec)!r} cannot be the {what}; name a model of another "
            f"provider, or take {builtin}"
        )
    url = name.url(environ)
    if not url:
        variable = f", or set {provider.where_variable[0]}" if provider.where_variable else ""
        variable = f", or set {provider.url_variable}" if provider.url_variable else variable
        raise ConfigurationError(
            f"{redact_name(spec)!r} does not say where the model is; write {provider.name}:{name.model}@"
            f"{provider.example}{variable}"
        )
    keys = keys or Keys(environ)
    key = name.key(keys, what, found=found)
    if provider.needs_key and provider.owns(url) and not environ.get(key.variable) and not key.needless:
        raise ConfigurationError(
            f"{what} {redact_name(spec)!r} is served by {provider.name}, and there is no key: set {key.variable}; or "
            "name a model on a server of your own, such as ollama:qwen3 or vllm:qwen3@http://gpu1:8000/v1; or take "
            f"{builtin}, which needs no key"
        )
    return Address(provider, name.model, url, key)


def _meant(spec: str, builtin: str, here: str) -> str:
    kind, separator, rest = spec.partition(":")
    model, at, url = spec.removeprefix(f"{kind}:").rpartition("@")
    if kind in providers() and at and "://" not in url:
        return f"; an address begins with http:// or https://: {kind}:{model}@http://{url}"
    if spec and os.path.isdir(spec):  # noqa: PTH112 - never raises, however odd the name
        return f"; did you mean {here}{spec}?"
    if kind in providers() or any(sign.isspace() or sign == "@" for sign in spec):
        return ""
    if separator:
        return _meant_by(kind, rest)
    return f"; did you mean {builtin if get_close_matches(spec, [builtin]) else f'openai:{spec}'}?"


def _meant_by(kind: str, rest: str) -> str:
    """Return a hint for a name before the colon that is no provider's."""
    if kind == PREFIX[:-1]:
        return "; a network that checks support can only be the judge"
    if near := get_close_matches(kind, providers(), n=1):
        return f"; did you mean {near[0]}:{rest}?"
    return f"; if {kind} speaks OpenAI's protocol, write openai:{rest}@URL"  # gateway:qwen3, …


def is_model_on_server(spec: str) -> bool:
    """Return whether the name is that of a model on a server."""
    return parse_name(spec) is not None


def price_name(spec: str) -> str:
    """Return the name under which a model's price is looked up; needs no key, for dry runs."""
    name = parse_name(spec)
    return spec if name is None else f"{name.provider.name}:{name.model}"
