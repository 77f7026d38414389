"""Address and limits of the server."""

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from saiten.errors import ConfigurationError

LOOPBACK_NAMES = frozenset({"localhost"})
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\s:/?#@\[\]\\]+))(?::\d{1,5})?")


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Settings of the server, fixed at its start."""

    address: str
    """Prefix of every link, without trailing slash: `http://127.0.0.1:8765`."""
    admin_token: str = field(repr=False)
    """Anybody who joins with it is the admin."""
    hosts: frozenset[str] = LOOPBACK_NAMES
    """Accepted host names in lower case; numeric addresses are always accepted."""
    behind_proxy: bool = False
    """Whether `address` is a reverse proxy's, through which browsers must come and which reports their addresses."""
    largest_body: int = 2**20
    """Bytes."""
    body_seconds: float = 30.0
    """Time from the first byte of a request body to its last."""
    wrong_joins: int = 10
    """Wrong links per address and minute."""

    @property
    def secure(self) -> bool:
        """Whether browsers use HTTPS."""
        return self.address.startswith("https:")

    @property
    def cookie(self) -> str:
        """Name of the session cookie; includes the port, since cookies ignore ports and two projects may run."""
        return "__Host-saiten" if self.secure else f"saiten-{urlsplit(self.address).port or 80}"

    def link(self, token: str) -> str:
        """Return the personal link with this token."""
        return f"{self.address}/join/{token}"

    def answers_to(self, host: str) -> bool:
        """Return whether a Host header names this server; a number always does, since DNS rebinding needs a name."""
        found = _HOST.fullmatch(host.strip().lower())
        name = (found[1] or found[2]) if found else ""
        return name in self.hosts or _numeric(name) is not None

    def origin_of(self, host: str) -> str:
        """Return the Origin header that a browser sends from this server's pages."""
        return self.address if self.behind_proxy else f"http://{host.strip().lower()}"


def public_address(url: str) -> str:
    """Return the address of a reverse proxy, without trailing slash.

    Raises:
        ConfigurationError: it is not an http(s) address, or has more than a host and a port.
    """
    try:
        parts = urlsplit(url.strip())
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts, port = urlsplit(""), ""
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigurationError(f"--public-url expects an address such as https://grade.example.org, not {url!r}")
    if parts.path.strip("/") or parts.query or parts.fragment or parts.username is not None:
        raise ConfigurationError(
            f"--public-url {url!r}: only a host and perhaps a port were expected; "
            "the page needs its own host name, since its cookies and addresses begin at /"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server bound to this host."""
    number = _numeric(host)
    return host.lower() in LOOPBACK_NAMES if number is None else number.is_loopback


def _numeric(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
