"""Accepted host names: protects against DNS rebinding, a foreign domain that resolves to this machine."""

import re
from ipaddress import ip_address

from saiten.annotation.web.settings import WebSettings

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\s:/?#@\[\]\\]+))(?::\d{1,5})?")


def answers_to(host: str, settings: WebSettings) -> bool:
    """Return whether a request with this Host header is for this server.

    Numeric addresses always are: rebinding needs a name that the attacker can point elsewhere.
    """
    name = name_of(host)
    return name in settings.hosts or _is_number(name)


def origin_of(host: str, settings: WebSettings) -> str:
    """Return the Origin header that a browser sends from this server's pages."""
    return settings.address if settings.behind_proxy else f"http://{host.strip().lower()}"


def name_of(host: str) -> str:
    """Return the host in lower case, without port: `[::1]:80` → `::1`; empty if invalid."""
    found = _HOST.fullmatch(host.strip().lower())
    return (found[1] or found[2]) if found else ""


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
