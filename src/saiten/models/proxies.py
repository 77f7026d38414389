"""The way to a server: straight on this machine, elsewhere by the proxy that the environment names."""

from urllib.request import getproxies, proxy_bypass

from yarl import URL


def on_this_machine(host: str | None) -> bool:
    """Whether the server runs here. No proxy is asked for it: one would read what is sent, keys included."""
    return host in ("localhost", "127.0.0.1", "::1")


def proxy_for(url: URL) -> str | None:
    """The proxy that the environment names for this address, with its own user and password; None to go straight."""
    if on_this_machine(url.host) or proxy_bypass(url.host or ""):
        return None
    return getproxies().get(url.scheme)
