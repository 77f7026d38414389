"""The HTTP client shared by chats and embedders: sends one request and converts failures into saiten's errors."""

import asyncio
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import aiohttp
from yarl import URL

from saiten.errors import CallFailed, ConfigurationError, SaitenError
from saiten.models.endpoint import Endpoint
from saiten.models.faults import CHARGED, SENT, HttpReply, NotServed, fault_of, with_models
from saiten.models.proxies import proxy_for
from saiten.models.roles import refusable
from saiten.models.wire import dump, load
from saiten.records import Usage

_LARGEST = 64 * 2**20  # bytes per reply; 256 vectors of 4,096 dimensions take 20 MB as text
_LARGE_REQUEST = 2**20  # bytes above which aiohttp wants a stream
_CONNECT = 20.0  # seconds to wait for a connection
_LOOK_UP = 5.0  # seconds for the list of models, which only improves an error message


class Client:
    """Sends requests to one endpoint over one pool of connections, which is opened on first use.

    The pool belongs to the event loop in which it was opened; `close()` before using the client in another one.
    """

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        """`timeout`: seconds per request, from the first byte sent to the last received."""
        if not timeout > 0:
            raise ConfigurationError(f"a time-out must be more than 0 seconds, got {timeout}")
        self.endpoint = endpoint
        self._seconds = timeout
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=min(_CONNECT, timeout))
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._proxy: str | None = None
        self._headers: dict[str, str] = {}
        self._addresses: dict[str, URL] = {}
        self._answered = False

    async def post(self, path: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON object of the server's reply.

        Raises:
            CallFailed: the request failed; `ParameterRefused` if the server rejects one of its parameters.
            ConfigurationError: the setup is wrong, and no request will succeed.
        """
        url = self._addresses.get(path) or self._addresses.setdefault(path, self.endpoint.address(path))
        reply = await self._send("POST", url, dump(payload), self._timeout)
        value = load(reply.body)
        if reply.status == 200 and isinstance(value, dict) and not value.get("error"):
            self._answered = True
            return value
        raise await self._fault(reply, value, url, payload)

    async def close(self) -> None:
        """Close the connections; the client can be used again, also in another event loop."""
        session, self._session, self._answered = self._session, None, False
        if session is not None:
            await session.close()

    async def _fault(self, reply: HttpReply, value: Any, url: URL, payload: Mapping[str, Any]) -> SaitenError:
        status = reply.status
        if 200 <= status < 300:
            status = _status_inside(value)
            if not status:
                shown = self.endpoint.excerpt(reply.body[:10_000].decode("utf-8", "replace"))
                return CallFailed(
                    f"{self.endpoint.name} did not answer with a JSON object; what came begins: {shown!r}",
                    CHARGED,
                    retryable=True,
                    status=reply.status,
                )
        place = str(url.with_query(None))
        came = HttpReply(status, reply.headers, reply.body)
        fault = fault_of(came, self.endpoint, place, refusable(payload), answered=self._answered)
        if isinstance(fault, NotServed):
            return with_models(fault, self.endpoint, await self._listing())
        return fault

    async def _listing(self) -> bytes | None:
        """Fetch the server's list of models; None if it has none."""
        try:
            within = aiohttp.ClientTimeout(total=_LOOK_UP)
            return (await self._send("GET", self.endpoint.address("/models"), None, within)).body
        except SaitenError:
            return None

    async def _send(self, method: str, url: URL, body: bytes | None, within: aiohttp.ClientTimeout) -> HttpReply:
        data = BytesIO(body) if body and len(body) >= _LARGE_REQUEST else body
        try:
            session = self._opened()
            # Headers set on the session would also go to the proxy, unencrypted, with the CONNECT request.
            async with session.request(
                method, url, data=data, headers=self._headers, timeout=within, allow_redirects=False, proxy=self._proxy
            ) as response:
                return HttpReply(response.status, response.headers, await self._body(response))
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            # drop the cause: its text may contain the URL's query
            raise self._broken(error, url) from None

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.content.iter_any():
            size += len(chunk)
            if size > _LARGEST:
                raise CallFailed(f"{self.endpoint.name} answered with more than {_LARGEST >> 20} MB", CHARGED)
            chunks.append(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def _opened(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None:
            self._loop = loop
            self._proxy = proxy_for(self.endpoint.address("/"))
            self._headers = self.endpoint.all_headers()
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),  # the limiter bounds what is in flight
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        elif self._loop is not loop:
            raise RuntimeError(f"{self.endpoint.name} is open in another event loop; close() it there first")
        return self._session

    def _broken(self, error: Exception, url: URL) -> SaitenError:
        """Return the error for a request that got no reply."""
        name, place = self.endpoint.name, str(url.with_query(None))
        said = self.endpoint.excerpt(str(error)) or type(error).__name__
        if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
            return ConfigurationError(
                f"no secure connection to {place} ({said}); if the server speaks plain HTTP, write http://; for your "
                "own certificate set SSL_CERT_FILE"
            )
        if isinstance(error, aiohttp.InvalidURL):
            return ConfigurationError(f"the base URL {place} cannot be used")
        if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
            if not self._answered:
                return ConfigurationError(
                    f"no server at {place} ({said}); start it, or check the base URL and the network"
                )
            return _passing(f"{name} can no longer be reached ({said})", SENT)
        if isinstance(error, TimeoutError):
            return _passing(f"{name} did not answer in full within {self._seconds:g} s", CHARGED)
        return _passing(f"the connection to {name} broke off ({said})", CHARGED)


def _passing(message: str, usage: Usage) -> CallFailed:
    return CallFailed(message, usage, retryable=True)


def _status_inside(value: Any) -> int:
    """Return the status of an error sent with HTTP 200, as OpenRouter does; 0 without one."""
    error = value.get("error") if isinstance(value, dict) else None
    if not error:
        return 0
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 502
