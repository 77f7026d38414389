"""The providers of models by name: where they are, which variable holds the key, and what they lack."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from saiten.models.address import parse_url

Service = Literal["chat", "embeddings"]

OPENAI = "https://api.openai.com/v1"
"""The address of `openai:MODEL`."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider, or one kind of server that people run themselves."""

    name: str
    """The word before the colon."""
    url: str
    """Its own address; `{}` takes what is typed after the @: a resource, a region."""
    path: str = "/v1"
    """Added to addresses without a path."""
    example: str = ""
    """What `{}` is, for errors."""
    places: Mapping[str, str] = field(default_factory=dict)
    """What may replace `{}` and has an address of another form → that address."""
    where_variable: tuple[str, ...] = ()
    """The environment variables with the default for `{}`."""
    url_variable: str = ""
    """The environment variable with another address; "" for none."""
    key: tuple[str, ...] = ()
    """The environment variables with the key; the first that is set counts."""
    needs_key: bool = True
    """Whether a call without a key cannot succeed."""
    key_header: str = "Authorization"
    """The header with the key; in `Authorization` it is a bearer token."""
    library: str = ""
    """Its name in any-llm; "" if it speaks OpenAI's protocol."""
    lacks: frozenset[str] = frozenset()
    """Parameters that it does not have, or that the library leaves out without a word."""
    requires: frozenset[str] = frozenset()
    """Parameters that it cannot do without, so that a refused one is an error."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Parameter → its name there, if that is another."""
    listed: str = ""
    """Its name in the price table; "" if it is not listed, or if the name of a model there does not give its price."""
    free: bool = False
    """Whether a model on this machine costs nothing."""
    serves: frozenset[Service] = frozenset({"chat", "embeddings"})
    credentials: str = ""
    """What authorizes requests without a key, for errors."""
    token: str = ""
    """What is sent in place of a key, for notices; "" if nothing is."""
    batch: int = 128
    """Maximum texts per embedding request."""
    batches: str = "openai"
    """Whose form its batches of requests have; "" if saiten cannot send it any."""
    batch_price: float = 1.0
    """The price of a request in a batch as a share of the usual price, on its own server."""
    batch_only: bool = False
    """Whether a model that takes batches takes no other requests."""

    def key_variable(self, environ: Mapping[str, str]) -> str:
        """Return the variable that holds the key, or that should; "" if this provider has none."""
        return next((name for name in self.key if environ.get(name)), self.key[0] if self.key else "")

    def address(self, where: str | None, environ: Mapping[str, str]) -> str:
        """Return the base URL for what follows the @, an address or a name; "" if it is needed and missing."""
        if where and where.startswith(("http://", "https://")):
            return self._with_path(where)
        if where is None and (url := environ.get(self.url_variable, "").strip()):
            at_home = "://" not in url and self.url.startswith("http://")
            return self._with_path(self._with_port(url) if at_home else _of_client(url))
        if "{}" not in self.url:
            return self.url
        where = where or self.where("", environ)
        return self.places.get(where) or (self.url.format(where) if where else "")

    def place(self, url: str) -> str:
        """Return the end of the name of a model at this address: "", `@NAME` or `@URL`."""
        if url == self.url:
            return ""
        if named := next((name for name, address in self.places.items() if address == url), ""):
            return f"@{named}"
        pattern = re.escape(self.url).replace(re.escape("{}"), r"([\w-]+)")
        found = re.fullmatch(pattern, url) if "{}" in self.url else None
        return f"@{found[1]}" if found else f"@{url}"

    def owns(self, url: str) -> bool:
        """Return whether the address is the provider's own, not that of a gateway or of somebody's server."""
        return "://" not in self.place(url)

    def where(self, url: str, environ: Mapping[str, str]) -> str:
        """Return the resource or region of this address, or else that of the environment; "" if neither is known."""
        place = self.place(url).removeprefix("@") if url else ""
        if place and "://" not in place:
            return place
        return next((environ[name] for name in self.where_variable if environ.get(name)), "")

    def _with_path(self, url: str) -> str:
        address = parse_url(url)
        bare = self.path and address.host and address.path in ("", "/")
        return str(address.with_path(self.path).with_query(address.query)) if bare else url

    def _with_port(self, host: str) -> str:
        """Return the address of `HOST`, `:PORT` or `HOST:PORT`, as in OLLAMA_HOST."""
        address = parse_url(_of_client(f"http://{'127.0.0.1' if host.startswith(':') else ''}{host}"))
        return str(address if address.explicit_port else address.with_port(parse_url(self.url).port))


def _of_client(url: str) -> str:
    """Return the address for a client: 0.0.0.0 is only where a server listens."""
    return re.sub(r"//0\.0\.0\.0(?=[:/]|$)", "//127.0.0.1", url)


@cache
def providers() -> Mapping[str, Provider]:
    """Return the providers by name."""
    table = tomllib.loads((files(__package__) / "providers.toml").read_text("utf-8"))
    return {name: _read(name, entry) for name, entry in table.items()}


def _read(name: str, entry: Mapping[str, Any]) -> Provider:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    for key in ("lacks", "requires", "serves"):
        if key in values:
            values[key] = frozenset(values[key])
    return Provider(name, **values)
