"""A model's endpoint: address, key, headers, display name, and the secrets to hide."""

from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote

from yarl import URL

from saiten.errors import ConfigurationError
from saiten.redaction import HIDDEN, SHORT, redact

OPENAI = "https://api.openai.com/v1"
"""The default base URL."""

_TAILS = ("/chat/completions", "/completions", "/embeddings", "/models")
_SHOWN = 300  # characters of a server's message in an error


class KeyOfServer(Protocol):
    """A key that is looked up when the first request is sent, not before."""

    def value(self) -> str | None:
        """Return the key; None if this server has no key."""
        ...

    def advice(self) -> str:
        """Say where to put the key, for a server that asks for one and got none."""
        ...


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
    _base: URL = field(init=False, repr=False)
    _basic: str = field(init=False, repr=False)
    _secrets: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raises ConfigurationError for an unusable address or key."""
        if not self.model.strip():
            raise ConfigurationError("no model given; write a judge as openai:MODEL or openai:MODEL@URL")
        base = _parse(self.base_url)
        if isinstance(self.api_key, str):
            _check(f"the key in {self.key_variable}", self.api_key)
        for name, value in self.headers.items():
            _check(name, value)
        object.__setattr__(self, "_base", base.with_user(None))
        object.__setattr__(self, "_basic", _basic(base) if base.user or base.password else "")
        object.__setattr__(self, "_secrets", _secrets(base, self.headers))
        object.__setattr__(self, "base_url", str(self._base.with_query(None)).rstrip("/"))

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r})"

    @property
    def name(self) -> str:
        """`openai:MODEL`, with `@URL` unless it is OpenAI's own; contains neither query nor password."""
        return f"openai:{self.model}" + ("" if self.base_url == OPENAI else f"@{self.base_url}")

    def address(self, path: str) -> URL:
        """Return the full URL of a path such as `/chat/completions`, including the query."""
        return (self._base.with_query(None) / path.lstrip("/")).with_query(self._base.query)

    def excerpt(self, text: str) -> str:
        """Return the beginning of a server's message, on one line, without secrets."""
        key = self.key()
        for secret in sorted(self._secrets | _hidden([key]), key=len, reverse=True):  # longest first: no part remains
            text = text.replace(secret, HIDDEN)
        line = " ".join(redact(text[: 10 * _SHOWN]).split())
        return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"

    def key(self) -> str:
        """Return the key to send, "" for none. Raises ConfigurationError if it cannot be sent."""
        if isinstance(self.api_key, str) or self.api_key is None:
            return (self.api_key or "").strip()
        key = (self.api_key.value() or "").strip()
        _check(f"the key in {self.key_variable}", key)
        return key

    def key_advice(self) -> str:
        """Say where to put the key, for a server that asks for one and got none."""
        if isinstance(self.api_key, str) or self.api_key is None:
            return f"set {self.key_variable}"
        return self.api_key.advice()

    def all_headers(self) -> dict[str, str]:
        """Return the headers of a request, including the key."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if self._basic:
            headers["Authorization"] = f"Basic {self._basic}"
        if key := self.key():
            azure = (self._base.host or "").endswith((".azure.com", ".azure.us", ".azure.cn"))
            name, value = ("api-key", "{}") if azure else ("Authorization", "Bearer {}")
            headers[name] = value.format(key)
        return headers | {name: value.strip() for name, value in self.headers.items()}


def _check(name: str, value: str) -> None:
    if not (value.strip().isascii() and value.strip().isprintable()):
        raise ConfigurationError(
            f"{name} contains characters not allowed in a header (a line break, full-width letters?); copy it again"
        )


def _parse(base_url: str) -> URL:
    text = base_url.strip()
    if not text.startswith(("http://", "https://")):
        raise ConfigurationError(
            f"the base URL must start with http:// or https://, as in http://localhost:8000/v1; got {_shown(text)!r}"
        )
    try:
        url = URL(text)
    except ValueError:
        url = URL()
    if not url.host:
        raise ConfigurationError(f"the base URL {_shown(text)!r} cannot be read; for example http://localhost:8000/v1")
    path = url.path.rstrip("/")
    for tail in _TAILS:
        path = path.removesuffix(tail)
    return url.with_path(path or "/").with_query(url.query)


def _basic(base: URL) -> str:
    """Encode user and password for HTTP basic authentication."""
    return b64encode(f"{base.user or ''}:{base.password or ''}".encode()).decode()


def _shown(text: str) -> str:
    """Strip what may be a password or a key from an unreadable URL."""
    return text.partition("?")[0].rpartition("@")[2]


def _secrets(base: URL, headers: Mapping[str, str]) -> frozenset[str]:
    """Return everything but the key that may be secret."""
    values: Iterable[str | None] = (
        base.password,
        _basic(base) if base.password else None,
        *headers.values(),
        *(part for value in headers.values() for part in value.split()),
        *(value for name, value in base.query.items() if name != "api-version"),
    )
    return _hidden(values)


def _hidden(values: Iterable[str | None]) -> frozenset[str]:
    """Return the values long enough to be secret, also in their URL-encoded form."""
    plain = {value.strip() for value in values if value and len(value.strip()) > SHORT}
    return frozenset(plain | {quote(value, safe="") for value in plain})
