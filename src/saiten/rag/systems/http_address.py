"""The address of an HTTP system, its headers, and the secrets that must never be shown or stored."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from yarl import URL

from saiten.errors import ConfigurationError
from saiten.models.address import Address, check_header
from saiten.redaction import redact

KEY_VARIABLE = "SAITEN_SYSTEM_KEY"
"""Sent as a bearer token if set."""

_OURS = ("content-length", "content-type", "host", "transfer-encoding")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """An address and its headers, whose secrets are never shown."""

    at: Address
    headers: Mapping[str, str] = field(repr=False)
    """Sent with every request."""
    key_advice: str = f"set {KEY_VARIABLE} to the key"
    """Hint on where to put a key, for a service that asks for one."""

    @classmethod
    def read(
        cls,
        spec: str,
        headers: Mapping[str, str] | None = None,
        key: str | None = None,
        variable: str = KEY_VARIABLE,
        advice: str = f"set {KEY_VARIABLE} to the key",
    ) -> "HttpAddress":
        """Parse `http:URL`, `http://…` or `https://…`; `key` is sent as a bearer token unless a header overrides it.

        `variable` is the environment variable of the key, and `advice` says where to put one, for errors.

        Raises:
            ConfigurationError: the address, a header or the key is unusable.
        """
        own = dict(headers or {})
        for name, value in own.items():
            _check_name(name)
            check_header(name, value)
        check_header(f"the key in {variable}", key or "")
        sent = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if key and key.strip():
            sent["Authorization"] = f"Bearer {key.strip()}"
        text = re.sub(r"^https?:(?=https?://)", "", spec.strip())
        secret = {"key": sent.get("Authorization", ""), **own}
        at = Address.read(text, secret, example="http://localhost:8000/ask")
        if at.authorization:
            sent["Authorization"] = at.authorization
        sent = {name: value for name, value in sent.items() if name.lower() not in {each.lower() for each in own}}
        return cls(at, sent | {name: value.strip() for name, value in own.items()}, advice)

    @property
    def url(self) -> URL:
        """The address without user and password, but with the query."""
        return self.at.url

    @property
    def name(self) -> str:
        """`http://host/path`, without query, user and password."""
        return self.at.name

    @property
    def query(self) -> str:
        """The query with secrets removed; "" without a query."""
        return redact(str(self.url.with_fragment(None))).partition("?")[2]

    def excerpt(self, text: str) -> str:
        """Return the beginning of a server's message, on one line, without secrets."""
        return self.at.excerpt(text)


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name.lower() in _OURS:
        # Do not repeat it: in `Authorization: Bearer KEY==` the key precedes the first equals sign.
        raise ConfigurationError(
            "a header is written NAME=VALUE, its name without spaces and colons, for example X-Api-Key=…; "
            f"{', '.join(_OURS)} are set by saiten"
        )
