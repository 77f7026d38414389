"""How the page is reached, and the bounds of what it takes."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from saiten.errors import ConfigurationError

LOOPBACK_NAMES = frozenset({"localhost"})


@dataclass(frozen=True, slots=True)
class WebSettings:
    """What is known when the server starts."""

    address: str
    """What stands before every link, without a slash at its end: `http://127.0.0.1:8765`."""
    admin_token: str = field(repr=False)
    """Who joins with it is the admin."""
    hosts: frozenset[str] = LOOPBACK_NAMES
    """Names that the server goes by, lower case; addresses in numbers are always allowed."""
    behind_proxy: bool = False
    """Whether `address` is that of a reverse proxy: then browsers must come by it, and it says who they are."""
    largest_body: int = 2**20
    """Bytes."""
    body_seconds: float = 30.0
    """From the first byte of a request's body to its last."""
    wrong_joins: int = 10
    """Wrong links that one address may try in a minute."""

    @property
    def secure(self) -> bool:
        """Whether browsers come by HTTPS."""
        return self.address.startswith("https:")

    @property
    def cookie(self) -> str:
        """The name of the session's cookie; by port, for cookies do not know ports and two projects may run."""
        return "__Host-saiten" if self.secure else f"saiten-{urlsplit(self.address).port or 80}"

    def link(self, token: str) -> str:
        """The personal link with this token."""
        return f"{self.address}/join/{token}"


def public_address(url: str) -> str:
    """The address of a reverse proxy, without a slash at its end.

    Raises:
        ConfigurationError: it is no http(s) address, or has more than a host and a port.
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
            "the page needs a host name of its own, since its cookies and addresses begin at /"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server bound to it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() in LOOPBACK_NAMES
