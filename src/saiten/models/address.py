"""Addresses of servers, and the secrets in them that must never be shown or stored."""

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from saiten.errors import ConfigurationError
from saiten.redaction import Secrets, redact, redact_name, secret_parts

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_READ, _SHOWN = 10_000, 300  # characters of a server's message that are read, and shown in an error


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
    secrets: Secrets = field(repr=False)

    @classmethod
    def read(cls, text: str, headers: Mapping[str, str], *, example: str) -> Self:
        """Parse `http://…` or `https://…`; the values of `headers` are secrets, too.

        Raises:
            ConfigurationError: the address is unusable; the message shows the example.
        """
        plain = text.strip()
        url = parse_url(plain)
        shown = redact_name(plain).rpartition("@")[2]  # what precedes an @ may be a password
        if not plain.startswith(("http://", "https://")):
            meant = re.sub("^https?:/*", "", shown) or example.partition("://")[2]
            raise ConfigurationError(f"an address begins with http:// or https://; did you mean http://{meant}?")
        if not url.host or len(plain.split()) > 1:
            raise ConfigurationError(f"the address {shown} cannot be read; an example is {example}")
        basic = b64encode(f"{url.user or ''}:{url.password or ''}".encode()).decode()
        values = [*headers.values(), *(value for name, value in url.query.items() if name != "api-version")]
        if url.password:
            values += url.password, basic
        authorization = f"Basic {basic}" if url.user or url.password else ""
        url = url.with_user(None)
        return cls(url, authorization, Secrets.of([*values, *secret_parts(str(url))]))

    @property
    def name(self) -> str:
        """`http://host/path`, without query, user, password, and secrets in the path."""
        return redact(str(self.url.with_query(None).with_fragment(None)))

    def hide(self, text: str, key: str = "") -> str:
        """Return a server's text without the secrets that were sent to it."""
        return redact((self.secrets | Secrets.of([key])).hide(text))

    def excerpt(self, text: str, key: str = "") -> str:
        """Return the beginning of a server's message, on one line, without secrets."""
        line = " ".join(self.hide(text[:_READ], key).split())
        return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"


def check_header(name: str, value: str) -> None:
    """Raise ConfigurationError if the value cannot be sent in a header."""
    if not all(sign.isascii() and sign.isprintable() for sign in value.strip()):
        hint = "a line break, full-width letters?"
        raise ConfigurationError(f"{name} contains characters not allowed in a header ({hint}); copy it again")


def check_header_name(name: str) -> None:
    """Raise ConfigurationError if this is no name of a header."""
    if not _HEADER_NAME.fullmatch(name):
        raise ConfigurationError(f"{name!r} is no name of a header; write letters, digits and hyphens, as in X-Team")


def on_this_machine(host: str | None) -> bool:
    """Return whether the host is this machine, which is never proxied: a proxy would read the keys."""
    return host in ("localhost", "127.0.0.1", "::1")


def proxy_for(url: URL) -> str | None:
    """Return the environment's proxy for this address, including user and password; None for a direct connection."""
    if on_this_machine(url.host) or proxy_bypass(url.host or ""):
        return None
    return getproxies().get(url.scheme)
