"""The address of an HTTP system, its headers, and the secrets that must never be shown or stored."""

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from yarl import URL

from saiten.errors import ConfigurationError
from saiten.models.proxies import proxy_for
from saiten.redaction import HIDDEN, SHORT, redact

KEY_VARIABLE = "SAITEN_SYSTEM_KEY"
"""Sent as a bearer token if set."""

_OURS = ("content-length", "content-type", "host", "transfer-encoding")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SHOWN = 300  # characters of a server's message in an error


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """An address and its headers, whose secrets are never shown."""

    url: URL = field(repr=False)
    """Without user and password, but with the query."""
    headers: Mapping[str, str] = field(repr=False)
    """Sent with every request."""
    secrets: tuple[str, ...] = field(repr=False)
    """Longest first, so that no part of one remains after replacement."""
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
        typed = spec.strip()
        text = re.sub(r"^https?:(?=https?://)", "", typed)
        if not text.startswith(("http://", "https://")):
            rest = text.partition(":")[2].lstrip("/")
            raise ConfigurationError(f"an address begins with http:// or https://; did you mean http://{_plain(rest)}?")
        try:
            url = URL(text)
        except ValueError:
            url = URL()
        if not url.host:
            raise ConfigurationError(
                f"the address {_plain(text)} cannot be read; for example http://localhost:8000/ask"
            )
        own = dict(headers or {})
        for name, value in {**own, f"the key in {variable}": key or ""}.items():
            _check(name, value, is_header=name in own)
        sent = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if url.user or url.password:
            who = b64encode(f"{url.user or ''}:{url.password or ''}".encode()).decode()
            sent["Authorization"] = f"Basic {who}"
        elif key and key.strip():
            sent["Authorization"] = f"Bearer {key.strip()}"
        values = [url.password or "", *url.query.values(), *own.values(), sent.get("Authorization", "")]
        sent = {name: value for name, value in sent.items() if name.lower() not in {each.lower() for each in own}}
        return cls(
            url.with_user(None), sent | {name: value.strip() for name, value in own.items()}, _secrets(values), advice
        )

    @property
    def name(self) -> str:
        """`http://host/path`, without query, user and password."""
        return str(self.url.with_query(None).with_fragment(None))

    @property
    def query(self) -> str:
        """The query with secrets removed; "" without a query."""
        return redact(str(self.url.with_fragment(None))).partition("?")[2]

    @property
    def proxy(self) -> str | None:
        """The environment's proxy for this address; None for this machine."""
        return proxy_for(self.url)

    def excerpt(self, text: str) -> str:
        """Return the beginning of a server's message, on one line, without secrets."""
        text = text[: 100 * _SHOWN]
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        line = " ".join(redact(text[: 10 * _SHOWN]).split())
        return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"


def _check(name: str, value: str, *, is_header: bool) -> None:
    if is_header and (not _NAME.fullmatch(name) or name.lower() in _OURS):
        # Do not repeat it: in `Authorization: Bearer KEY==` the key precedes the first equals sign.
        raise ConfigurationError(
            "a header is written NAME=VALUE, its name without spaces and colons, for example X-Api-Key=…; "
            f"{', '.join(_OURS)} are set by saiten"
        )
    if not (value.strip().isascii() and (value.strip().isprintable() or not value.strip())):
        raise ConfigurationError(
            f"{name} contains characters not allowed in a header (a line break, full-width letters?); copy it again"
        )


def _secrets(values: list[str]) -> tuple[str, ...]:
    parts = {part for value in values for part in (value.strip(), *value.split())}
    plain = {part for part in parts if len(part) > SHORT and part not in ("Basic", "Bearer")}
    return tuple(sorted(plain | {quote(part, safe="") for part in plain}, key=len, reverse=True))


def _plain(text: str) -> str:
    """Strip what may be a password or a key from an unreadable address."""
    return text.partition("?")[0].rpartition("@")[2]
