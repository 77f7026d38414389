"""Proxies: direct connections on this machine, the environment's proxy elsewhere."""

from urllib.request import getproxies, proxy_bypass

from yarl import URL


def on_this_machine(host: str | None) -> bool:
    """Return whether the host is this machine. It is never proxied: a proxy would read the keys."""
    return host in ("localhost", "127.0.0.1", "::1")


def proxy_for(url: URL) -> str | None:
    """Return the environment's proxy for this address, including user and password; None for a direct connection."""
    if on_this_machine(url.host) or proxy_bypass(url.host or ""):
        return None
    return getproxies().get(url.scheme)
