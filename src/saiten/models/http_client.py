"""The HTTP client for models and systems: sends a request, and converts a broken connection into saiten's errors."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from io import BytesIO
from typing import Any

import aiohttp
from yarl import URL

from saiten.errors import CallFailed, ConfigurationError, FailureKind, SaitenError
from saiten.models.address import proxy_for
from saiten.records import Usage

SENT = Usage(calls=1)
"""A request that was sent and refused, free of charge."""
CHARGED = Usage(calls=1, unpriced=1)
"""A request that was sent and may have been charged an unknown amount."""

_LOG = logging.getLogger(__name__)

_LARGE_REQUEST = 2**20  # bytes above which aiohttp wants a stream
_CONNECT = 20.0  # seconds to wait for a connection
_SILENT = 10.0  # seconds after which a server that has never answered is reported
_OTHER_FILES = 100  # files that a run opens besides connections, generously


@dataclass(frozen=True, slots=True)
class HttpReply:
    """An HTTP response that has been read."""

    status: int
    headers: Any
    """A case-insensitive mapping."""
    body: bytes
    cookies: SimpleCookie = field(default_factory=SimpleCookie)
    charset: str | None = None


def check_open_files(in_flight: int) -> None:
    """Raise ConfigurationError if this process may not open a connection for each request in flight."""
    try:
        import resource  # noqa: PLC0415 - not on Windows, which has no such limit
    except ImportError:
        return
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and in_flight + _OTHER_FILES > allowed:
        raise ConfigurationError(
            f"{in_flight} requests in flight need as many connections, but this process may open {allowed} files: "
            f"lower the concurrency to {max(allowed - _OTHER_FILES, 1)}, or raise the limit with "
            f"`ulimit -n {in_flight + _OTHER_FILES}`"
        )


def _within(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds, sock_connect=min(_CONNECT, seconds))


class HttpClient:
    """Sends requests to one server over one pool of connections, which is opened on first use.

    A server that has never answered is reported after ten seconds, once, since the time-out may be minutes: it may
    hang, or still be loading a model.

    The pool belongs to the event loop in which it was opened; `close()` before using the client in another one.
    """

    def __init__(
        self, name: str, timeout: float, excerpt: Callable[[str], str], *, largest: int, idle: float = 15.0
    ) -> None:
        """Set the limits of all requests.

        Args:
            name: The server's name in errors.
            timeout: Seconds per request, from the first byte sent to the last received.
            excerpt: Shortens a message for an error, and hides secrets in it.
            largest: Bytes per reply.
            idle: Seconds to keep an unused connection.
        """
        if not timeout > 0:
            raise ConfigurationError(f"a time-out must be more than 0 seconds, got {timeout}")
        self.answered = False
        """Whether the server has answered before, so that the setup is right; set by the user of the client."""
        self._reported = False
        self._name = name
        self._timeout = timeout
        self._within = _within(timeout)
        self._excerpt = excerpt
        self._largest = largest
        self._idle = idle
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._proxy: str | None = None

    async def send(
        self,
        method: str,
        url: URL,
        body: bytes | aiohttp.FormData | None,
        headers: Mapping[str, str],
        seconds: float | None = None,
        *,
        sink: Callable[[bytes], object] | None = None,
    ) -> HttpReply:
        """Return the reply, whatever its status.

        Args:
            method: GET or POST.
            url: Where.
            body: A form is streamed.
            headers: All that are sent.
            seconds: Replaces the time-out.
            sink: Receives the body of a reply with status 200 piece by piece, whatever its size; it is then not in the
                reply.

        Raises:
            CallFailed: there was no whole reply; retryable.
            ConfigurationError: there is no such server.
        """
        data = BytesIO(body) if isinstance(body, bytes) and len(body) >= _LARGE_REQUEST else body
        within = _within(seconds) if seconds else self._within
        patience = asyncio.get_running_loop().call_later(_SILENT, self._report_silence, seconds or self._timeout)
        try:
            session = self._opened(url)
            # Headers set on the session would also go to the proxy, unencrypted, with the CONNECT request.
            async with session.request(
                method, url, data=data, headers=headers, timeout=within, allow_redirects=False, proxy=self._proxy
            ) as response:
                read = await self._body(response, sink if response.status == 200 else None)
                return HttpReply(response.status, response.headers, read, response.cookies, response.charset)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            # drop the cause: its text may contain the URL's query
            raise self._broken(error, url) from None
        finally:
            patience.cancel()

    async def close(self) -> None:
        """Close the connections; the client can be used again, also in another event loop."""
        session, self._session, self.answered = self._session, None, False
        if session is not None:
            await session.close()

    def _report_silence(self, seconds: float) -> None:
        if self.answered or self._reported:
            return
        self._reported = True
        name = self._name
        _LOG.warning(
            f"no answer from {name} within {_SILENT:g} s; it may hang, or still be loading a model. This waits up to "
            f"{seconds:g} s, see --timeout; Ctrl-C stops, and nothing is lost"
        )

    async def _body(self, response: aiohttp.ClientResponse, sink: Callable[[bytes], object] | None) -> bytes:
        if sink is None and response.content.is_eof():  # it came in one piece with the headers, as small replies do
            whole = response.content.read_nowait()
            if len(whole) <= self._largest:
                return whole
            raise self._too_large()
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.content.iter_any():
            if sink is not None:
                sink(chunk)
                continue
            size += len(chunk)
            if size > self._largest:
                raise self._too_large()
            chunks.append(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def _too_large(self) -> CallFailed:
        message = f"{self._name} answered with more than {self._largest >> 20} MB"
        return CallFailed(message, CHARGED, kind="unreadable")

    def _opened(self, url: URL) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None:
            self._loop = loop
            self._proxy = proxy_for(url)
            self._session = aiohttp.ClientSession(
                # the limiter bounds what is in flight
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, keepalive_timeout=self._idle),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        elif self._loop is not loop:
            raise RuntimeError(f"{self._name} is open in another event loop; close() it there first")
        return self._session

    def _broken(self, error: Exception, url: URL) -> SaitenError:
        name, place = self._name, str(url.with_query(None))
        said = self._excerpt(str(error)) or type(error).__name__
        if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
            return ConfigurationError(
                f"no secure connection to {place} ({said}); if the server speaks plain HTTP, write http://; for your "
                "own certificate set SSL_CERT_FILE"
            )
        if isinstance(error, aiohttp.InvalidURL):
            return ConfigurationError(f"the address {place} cannot be used")
        if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
            if not self.answered:
                return ConfigurationError(
                    f"no server at {place} ({said}); start it, or check the address and the network"
                )
            return CallFailed(f"{name} can no longer be reached ({said})", SENT, retryable=True)
        if isinstance(error, TimeoutError):
            message = f"{name} did not answer in full within {self._timeout:g} s"
            if not self.answered:
                message += ", and has not answered before; if it is loading a model, allow more time with --timeout"
            return CallFailed(message, CHARGED, kind="timeout", retryable=True)
        kind: FailureKind = "unreadable" if isinstance(error, aiohttp.ClientResponseError) else "failed"
        return CallFailed(f"the connection to {name} broke off ({said})", CHARGED, kind=kind, retryable=True)
