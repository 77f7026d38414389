"""The endpoint of a model: its address, its key and its headers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from yarl import URL

from saiten.errors import ConfigurationError
from saiten.models.address import ServerAddress, check_header, check_header_name
from saiten.models.providers import OPENAI, Provider, providers
from saiten.redaction import redact

_TAIL = re.compile(r"(/chat/completions|/completions|/embeddings|/models)$")


class KeyOfServer(Protocol):
    """A key that is looked up when the first request is sent, not before."""

    def value(self) -> str | None:
        """Return the key; None if this server has no key."""

    def advice(self) -> str:
        """Say where to put the key, for a server that asks for one and got none."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model at one address."""

    model: str
    base_url: str = field(default=OPENAI, repr=False)
    """Up to and including `/v1`; may contain a query (Azure's `?api-version=…`), which is kept, and user:password."""
    api_key: str | KeyOfServer | None = field(default=None, repr=False)
    """Sent as a bearer token, or in the provider's own header; None if the server needs none."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request."""
    key_variable: str = "OPENAI_API_KEY"
    """The environment variable named in errors."""
    provider: Provider = field(default_factory=lambda: providers()["openai"], repr=False)
    _at: ServerAddress = field(init=False, repr=False)
    _name: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raises ConfigurationError for an unusable address, key or header."""
        if not self.model.strip():
            raise ConfigurationError(
                "no model given; write one as PROVIDER:MODEL or PROVIDER:MODEL@URL, for example openai:gpt-4o-mini"
            )
        at = ServerAddress.read(self.base_url, self.headers, example="http://localhost:8000/v1")
        if isinstance(self.api_key, str):
            check_header(f"the key in {self.key_variable}", self.api_key)
        for name, value in self.headers.items():
            check_header_name(name)
            check_header(name, value)
        path = _TAIL.sub("", at.url.path.rstrip("/")) or "/"
        at = ServerAddress(at.url.with_path(path).with_query(at.url.query), at.authorization, at.secrets)
        object.__setattr__(self, "_at", at)
        object.__setattr__(self, "base_url", str(at.url.with_query(None).with_fragment(None)).rstrip("/"))
        place = self.provider.place(self.base_url)
        object.__setattr__(self, "_name", redact(f"{self.provider.name}:{self.model}{place}"))

    @property
    def name(self) -> str:
        """`PROVIDER:MODEL`, with `@URL` unless it is the provider's own; contains no query, password or token."""
        return self._name

    def address(self, path: str) -> URL:
        """Return the full URL of a path such as `/chat/completions`, including the query."""
        url = self._at.url
        return (url.with_query(None) / path.lstrip("/")).with_query(url.query)

    def hide(self, text: str) -> str:
        return self._at.hide(text, self.key())

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
        """Say what to set, for a server that asks for a key and got none."""
        plain = f"set {self.key_variable}"
        said = plain if isinstance(self.api_key, str) or self.api_key is None else self.api_key.advice()
        credentials = self.provider.credentials
        return f"set {credentials}" if credentials and said == plain else said

    def all_headers(self) -> dict[str, str]:
        """Return the headers of a request, including the key."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if self._at.authorization:
            headers["Authorization"] = self._at.authorization
        if key := self.key():
            azure = (self._at.url.host or "").endswith((".azure.com", ".azure.us", ".azure.cn"))
            name = "api-key" if azure else self.provider.key_header
            headers[name] = f"Bearer {key}" if name == "Authorization" else key
        own = {name: value.strip() for name, value in self.headers.items()}
        replaced = {name.casefold() for name in own}
        return {name: value for name, value in headers.items() if name.casefold() not in replaced} | own
