"""Servers by the scheme, host and port of their addresses."""

from yarl import URL


def parse_url(url: str) -> URL:
    """Return the parsed address; an empty one if it is invalid, which its users refuse."""
    try:
        return URL(url.strip())
    except ValueError:
        return URL()


def server_of(address: URL) -> str:
    """Return the server as `https://HOST` or `http://HOST:PORT`, without secrets; "" if the address has no host."""
    return str(URL.build(scheme=address.scheme, host=address.host.lower(), port=address.port)) if address.host else ""
