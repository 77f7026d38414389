"""Servers by the scheme, host and port of their addresses."""

from yarl import URL

Server = tuple[str, str, int | None]
"""Scheme, host and port."""


def server_of(url: str) -> str:
    """Return the server of an address in writing, without secrets."""
    return written(server_at(parse_url(url)))


def parse_url(url: str) -> URL:
    """Return the parsed address; an empty one if it is invalid, which its users refuse."""
    try:
        return URL(url.strip())
    except ValueError:
        return URL()


def server_at(address: URL) -> Server:
    """Return the server of a parsed address."""
    return address.scheme, (address.host or "").lower(), address.port


def written(server: Server) -> str:
    """Return the server as `https://HOST` or `http://HOST:PORT`."""
    scheme, host, port = server
    return str(URL.build(scheme=scheme, host=host, port=port))
