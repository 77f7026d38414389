"""Addresses of servers and endpoints of models: headers, keys, and the secrets that must never be shown or stored."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self
from urllib.parse import quote
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from saiten.errors import ConfigurationError
from saiten.redaction import HIDDEN, SHORT, redact

_SHOWN = 300  # characters of a server's message in an error


def parse_url(url: str) -> URL:
    """Return the parsed address; an empty one if it is invalid, which its users refuse."""
    try:
        return URL(url.strip())
    except ValueError:
        return URL()


def server_of(address: URL) -> str:
    """Return the server as `https://HOST` or `http://HOST:PORT`, without secrets; "" if the address has no host."""
    return str(URL.build(scheme=address.scheme, host=address.host.lower(), port=address.port)) if address.host else ""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """An address, with its user and password as a header, and the texts to hide in messages."""

    url: URL = field(repr=False)
    """Without user and password, but with the query."""
    authorization: str = field(repr=False)
    """The header for user and password; "" without them."""
    secrets: frozenset[str] = field(repr=False)

    @classmethod
    def read(cls, text: str, headers: Mapping[str, str], *, example: str) -> Self:
        """Parse `http://…` or `https://…`; the values of `headers` are secrets, too.

        Raises:
            ConfigurationError: the address is unusable; the message shows the example.
        """
        plain = text.strip()
        url = parse_url(plain)
        shown = plain.partition("?")[0].rpartition("@")[2]  # what precedes an @ may be a password
        if not plain.startswith(("http://", "https://")):
            meant = re.sub("^https?:/*", "", shown) or example.partition("://")[2]
            raise ConfigurationError(f"an address begins with http:// or https://; did you mean http://{meant}?")
        if not url.host:
            raise ConfigurationError(f"the address {shown} cannot be read; an example is {example}")
        basic = b64encode(f"{url.user or ''}:{url.password or ''}".encode()).decode()
        values = [*headers.values(), *(value for name, value in url.query.items() if name != "api-version")]
        if url.password:
            values += url.password, basic
        authorization = f"Basic {basic}" if url.user or url.password else ""
        return cls(url.with_user(None), authorization, hidden(values))

    @property
    def name(self) -> str:
        """`http://host/path`, without query, user and password."""
        return str(self.url.with_query(None).with_fragment(None))

    def excerpt(self, text: str, key: str = "") -> str:
        """Return the beginning of a server's message, on one line, without secrets."""
        text = text[: 100 * _SHOWN]
        for secret in sorted(self.secrets | hidden([key]), key=len, reverse=True):  # longest first: no part remains
            text = text.replace(secret, HIDDEN)
        line = " ".join(redact(text[: 10 * _SHOWN]).split())
        return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"


def hidden(values: Iterable[str]) -> frozenset[str]:
    """Return the values and their words that are long enough to be secret, also in their URL-encoded form."""
    parts = {part for value in values for part in (value.strip(), *value.split())}
    plain = {part for part in parts if len(part) > SHORT and part not in ("Basic", "Bearer")}
    return frozenset(plain | {quote(part, safe="") for part in plain})


def check_header(name: str, value: str) -> None:
    """Raise ConfigurationError if the value cannot be sent in a header."""
    if not all(sign.isascii() and sign.isprintable() for sign in value.strip()):
        hint = "a line break, full-width letters?"
        raise ConfigurationError(f"{name} contains characters not allowed in a header ({hint}); copy it again")


def on_this_machine(host: str | None) -> bool:
    """Return whether the host is this machine, which is never proxied: a proxy would read the keys."""
    return host in ("localhost", "127.0.0.1", "::1")


def proxy_for(url: URL) -> str | None:
    """Return the environment's proxy for this address, including user and password; None for a direct connection."""
    if on_this_machine(url.host) or proxy_bypass(url.host or ""):
        return None
    return getproxies().get(url.scheme)


OPENAI = "https://api.openai.com/v1"
"""The default base URL."""

_TAIL = re.compile(r"(/chat/completions|/completions|/embeddings|/models)$")


class KeyOfServer(Protocol):
    """A key that is looked up when the first request is sent, not before."""

    def value(self) -> str | None:
        """Return the key; None if this server has no key."""

    def advice(self) -> str:
        """Say where to put the key, for a server that asks for one and got none."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model at one OpenAI-compatible address."""

    model: str
    base_url: str = OPENAI
    """Up to and including `/v1`; may contain a query (Azure's `?api-version=…`), which is kept, and user:password."""
    api_key: str | KeyOfServer | None = field(default=None, repr=False)
    """Sent as a bearer token, or to Azure as `api-key`; None if the server needs none."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request."""
    key_variable: str = "OPENAI_API_KEY"
    """The environment variable named in errors."""
    _at: ServerAddress = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raises ConfigurationError for an unusable address, key or header."""
        if not self.model.strip():
            raise ConfigurationError("no model given; write a judge as openai:MODEL or openai:MODEL@URL")
        at = ServerAddress.read(self.base_url, self.headers, example="http://localhost:8000/v1")
        if isinstance(self.api_key, str):
            check_header(f"the key in {self.key_variable}", self.api_key)
        for name, value in self.headers.items():
            check_header(name, value)
        path = _TAIL.sub("", at.url.path.rstrip("/")) or "/"
        at = ServerAddress(at.url.with_path(path).with_query(at.url.query), at.authorization, at.secrets)
        object.__setattr__(self, "_at", at)
        object.__setattr__(self, "base_url", at.name.rstrip("/"))

    @property
    def name(self) -> str:
        """`openai:MODEL`, with `@URL` unless it is OpenAI's own; contains neither query nor password."""
        return f"openai:{self.model}" + ("" if self.base_url == OPENAI else f"@{self.base_url}")

    def address(self, path: str) -> URL:
        """Return the full URL of a path such as `/chat/completions`, including the query."""
        url = self._at.url
        return (url.with_query(None) / path.lstrip("/")).with_query(url.query)

    def excerpt(self, text: str) -> str:
        return self._at.excerpt(text, self.key())

    def key(self) -> str:
        """Return the key to send, "" for none. Raises ConfigurationError if it cannot be sent."""
        if isinstance(self.api_key, str) or self.api_key is None:
            return (self.api_key or "").strip()
        key = (self.api_key.value() or "").strip()
        check_header(f"the key in {self.key_variable}", key)
        return key

    def key_advice(self) -> str:
        if isinstance(self.api_key, str) or self.api_key is None:
            return f"set {self.key_variable}"
        return self.api_key.advice()

    def all_headers(self) -> dict[str, str]:
        """Return the headers of a request, including the key."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if self._at.authorization:
            headers["Authorization"] = self._at.authorization
        if key := self.key():
            azure = (self._at.url.host or "").endswith((".azure.com", ".azure.us", ".azure.cn"))
            name, value = ("api-key", "{}") if azure else ("Authorization", "Bearer {}")
            headers[name] = value.format(key)
        return headers | {name: value.strip() for name, value in self.headers.items()}
