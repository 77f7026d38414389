"""Which names the server answers to: a stranger's domain that resolves to this machine (DNS rebinding) is none."""

import re
from ipaddress import ip_address

from saiten.annotation.web.settings import WebSettings

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\s:/?#@\[\]\\]+))(?::\d{1,5})?")


def answers_to(host: str, settings: WebSettings) -> bool:
    """Whether a request with this Host header is meant for us.

    An address in numbers always is: what makes rebinding possible is a name that the attacker can point elsewhere.
    """
    name = name_of(host)
    return name in settings.hosts or _is_number(name)


def origin_of(host: str, settings: WebSettings) -> str:
    """The Origin header that a browser on our own page sends."""
    return settings.address if settings.behind_proxy else f"http://{host.strip().lower()}"


def name_of(host: str) -> str:
    """The host without its port, lower case: `[::1]:80` → `::1`; empty for what no browser sends."""
    found = _HOST.fullmatch(host.strip().lower())
    return (found[1] or found[2]) if found else ""


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
