"""How the requests of a library are sent: by our HTTP client, with our keys and headers, without its own.

Imported only where it is used: it needs the extra `providers`.
"""

from collections.abc import Mapping

import httpx
from yarl import URL

from saiten.models.endpoint import Endpoint
from saiten.models.http_client import HttpClient, HttpReply

_OURS = frozenset(("accept-encoding", "connection", "content-length", "host"))
_KEYS = frozenset(("api-key", "authorization", "cookie", "x-api-key", "x-goog-api-key"))
_ABOUT_US = "x-stainless-"
"""How headers begin that tell a provider about this machine."""


class Refused(Exception):
    """An HTTP reply other than 200, on its way through the library."""

    def __init__(self, reply: HttpReply) -> None:
        super().__init__(f"HTTP {reply.status}")
        self.reply = reply


def headers_of(theirs: Mapping[str, str], endpoint: Endpoint, *, signed: bool) -> dict[str, str]:
    """Return the headers to send: those of the library, replaced by the endpoint's.

    `signed`: the library authorizes each request itself, so its `Authorization` stays.
    """
    own = endpoint.all_headers()
    keys = _KEYS - {"authorization"} if signed else _KEYS
    left = _OURS | keys | {name.casefold() for name in own}
    kept = {
        name: value
        for name, value in theirs.items()
        if name.casefold() not in left and not name.casefold().startswith(_ABOUT_US)
    }
    return kept | own


class Through(httpx.AsyncBaseTransport):
    """Sends the library's requests with our client."""

    def __init__(self, http: HttpClient, endpoint: Endpoint, *, signed: bool) -> None:
        """`signed`: as for `headers_of`."""
        self._http = http
        self._endpoint = endpoint
        self._signed = signed

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        headers = headers_of(request.headers, self._endpoint, signed=self._signed)
        reply = await self._http.send(request.method, URL(str(request.url), encoded=True), body or None, headers)
        if reply.status != 200:
            raise Refused(reply)
        return httpx.Response(200, headers=dict(reply.headers), content=reply.body, request=request)
