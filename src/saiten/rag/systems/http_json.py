"""An HTTP service as the system under test: one POST per question, as specified in `contract.py`.

The session is sent in the object, in the header `X-Session-Id`, and by the cookies that the service sets, kept apart by
session. Redirects are not followed, so that a key never goes elsewhere.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from http.cookies import SimpleCookie
from io import BytesIO
from time import perf_counter
from urllib.parse import quote

import aiohttp
from multidict import CIMultiDict

from saiten.errors import ConfigurationError, SaitenError
from saiten.models import Layer
from saiten.models.complaints import read_complaint, retry_after
from saiten.models.wire import dump, glimpse, load
from saiten.rag.systems.attempts import Kind, Trouble, ask
from saiten.rag.systems.contract import UNKNOWN_COST, question_object, read_answer
from saiten.rag.systems.cookies import Cookies
from saiten.rag.systems.http_address import HttpAddress
from saiten.records import Answer, Inquiry, Usage

_LARGEST = 16 * 2**20  # bytes per reply, an answer with its contexts; rows in files may have twice as much
_LARGE_REQUEST = 2**20  # bytes above which aiohttp wants a stream
_CONNECT = 20.0  # seconds to wait for a connection
_IDLE = 1.0  # seconds to keep a connection; some servers close idle ones after two seconds
_REFUSED = Usage(calls=1)
_ASKED_TOO_MUCH = (429, 503)
_GATEWAYS_TIMEOUT = (408, 504)


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes
    charset: str | None
    cookies: SimpleCookie


class HttpJson:
    """Sends questions to an HTTP service.

    Requests refused unread (429, 503, no connection) may be retried by the layers around this; requests that the
    service may have processed, only if it is `repeatable`: asking twice could add two turns to a dialogue. The latency
    is that of the successful attempt, from the request to the last byte of the reply.
    """

    def __init__(
        self,
        address: HttpAddress,
        *,
        timeout: float = 120.0,
        repeatable: bool = False,
        around: Sequence[Layer] = (),
    ) -> None:
        """`timeout`: seconds per request, from the first byte sent to the last received."""
        if not timeout > 0:
            raise ConfigurationError(f"a time-out must be more than 0 seconds, got {timeout}")
        self._address = address
        self._seconds = timeout
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=min(_CONNECT, timeout))
        self._repeatable = repeatable
        self._around = around
        self._cookies = Cookies()
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._answered = False

    def __repr__(self) -> str:
        return f"HttpJson({self.name!r})"

    @property
    def name(self) -> str:
        """`http://host/path`; contains neither query nor password."""
        return self._address.name

    def describe(self) -> Mapping[str, str]:
        """Return the address and its query without possible secrets; headers are never stored."""
        query = self._address.query
        return {"system": self.name} | ({"query": query} if query else {})

    async def answer(self, inquiry: Inquiry) -> Answer:
        return await ask(self._around, partial(self._attempt, inquiry), inquiry)

    async def close(self) -> None:
        session, self._session, self._answered = self._session, None, False
        if session is not None:
            await session.close()

    async def _attempt(self, inquiry: Inquiry) -> Answer:
        begun = perf_counter()
        reply = await self._post(inquiry)
        seconds = perf_counter() - begun
        self._cookies.keep(inquiry.session, reply.cookies, self._address.url)
        if not 200 <= reply.status < 300:
            raise self._refusal(reply)
        answer = self._read(reply)
        self._answered = True
        return replace(answer, seconds=seconds)

    async def _post(self, inquiry: Inquiry) -> _Reply:
        body = dump(question_object(inquiry))
        # Headers set on the session would also go to the proxy, unencrypted, with the CONNECT request.
        headers = CIMultiDict(self._address.headers)
        headers["Content-Type"] = "application/json"
        if inquiry.session:
            headers["X-Session-Id"] = quote(inquiry.session, safe=" :/@+")[:1000]
        if cookies := self._cookies.sent_with(inquiry.session, self._address.url):
            headers["Cookie"] = cookies
        try:
            async with self._opened().post(
                self._address.url,
                data=BytesIO(body) if len(body) >= _LARGE_REQUEST else body,
                headers=headers,
                allow_redirects=False,
            ) as response:
                content = await self._body(response)
                return _Reply(response.status, response.headers, content, response.charset, response.cookies)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            # drop the cause: its text may contain the URL's query
            raise self._broken(error) from None

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.content.iter_any():
            size += len(chunk)
            if size > _LARGEST:
                raise Trouble(f"{self.name} answered with more than {_LARGEST >> 20} MB", "unreadable", UNKNOWN_COST)
            chunks.append(chunk)
        return b"".join(chunks)

    def _opened(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None:
            self._loop = loop
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE, ttl_dns_cache=300),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=self._timeout,
                proxy=self._address.proxy,
            )
        elif self._loop is not loop:
            raise RuntimeError(f"{self.name} is open in another event loop; close() it there first")
        return self._session

    def _read(self, reply: _Reply) -> Answer:
        value = load(self._utf8(reply))
        if not isinstance(value, dict):
            came = self._excerpt(reply.body) or "nothing"
            raise Trouble(
                f"{self.name} did not answer with a JSON object; what came begins: {came}", "unreadable", UNKNOWN_COST
            )
        try:
            return read_answer(value)
        except ValueError as error:
            if value.get("error") and not isinstance(value.get("answer"), str):
                said = self._address.excerpt(read_complaint(reply.body).text)
                raise Trouble(f"{self.name} failed: {said}", usage=UNKNOWN_COST) from error
            shown = self._address.excerpt(glimpse(value))
            raise Trouble(f"{self.name}: {error}; what came begins: {shown}", "unreadable", UNKNOWN_COST) from error

    def _utf8(self, reply: _Reply) -> bytes:
        """Return the body in UTF-8, decoded from its header's charset."""
        if reply.charset is None or reply.charset.replace("-", "").lower() == "utf8":
            return reply.body
        try:
            return reply.body.decode(reply.charset).encode()
        except (LookupError, ValueError):
            return reply.body  # then it is no JSON, and quoted in the error

    def _excerpt(self, body: bytes) -> str:
        return self._address.excerpt(body[:10_000].decode("utf-8", "replace"))

    def _refusal(self, reply: _Reply) -> SaitenError:
        """Return the error for an unsuccessful status; before the first answer, some mean that nothing will work."""
        status = reply.status
        said = f"HTTP {status}: {self._address.excerpt(read_complaint(reply.body).text) or 'nothing said'}"
        if status in (401, 407):
            return ConfigurationError(
                f"{self.name} does not let saiten in ({said}); {self._address.key_advice}, or name a header: "
                "--header NAME=VALUE"
            )
        if not self._answered and (300 <= status < 400 or status in (404, 405)):
            location = self._address.excerpt(reply.headers.get("Location", "").partition("?")[0])
            advice = f"it sends one to {location}; name that" if location else "check the address"
            return ConfigurationError(f"{self.name} takes no questions ({said}); {advice}")
        if status in _ASKED_TOO_MUCH:
            return Trouble(
                f"{self.name} is busy ({said})",
                usage=_REFUSED,
                retryable=True,
                retry_after=retry_after(reply.headers),
                status=status,
            )
        kind: Kind = "timeout" if status in _GATEWAYS_TIMEOUT else "failed"
        may_pass = self._repeatable and (status >= 500 or kind == "timeout")
        return Trouble(f"{self.name} failed ({said})", kind, UNKNOWN_COST, retryable=may_pass, status=status)

    def _broken(self, error: Exception) -> SaitenError:
        """Return the error for a request that got no reply."""
        said = self._address.excerpt(str(error)) or type(error).__name__
        if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
            return ConfigurationError(
                f"no secure connection to {self.name} ({said}); if the server speaks plain HTTP, write http://; for "
                "your own certificate set SSL_CERT_FILE"
            )
        if isinstance(error, aiohttp.InvalidURL):
            return ConfigurationError(f"the address {self.name} cannot be used")
        if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
            if not self._answered:
                return ConfigurationError(f"no server at {self.name} ({said}); start it, or check the address")
            return Trouble(f"{self.name} can no longer be reached ({said})", usage=_REFUSED, retryable=True)
        if isinstance(error, TimeoutError):
            message = f"{self.name} did not answer in full within {self._seconds:g} s"
            return Trouble(message, "timeout", UNKNOWN_COST, retryable=self._repeatable)
        kind: Kind = "unreadable" if isinstance(error, aiohttp.ClientResponseError) else "failed"
        return Trouble(
            f"the connection to {self.name} broke off ({said})", kind, UNKNOWN_COST, retryable=self._repeatable
        )
