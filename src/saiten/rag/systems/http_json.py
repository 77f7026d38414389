"""An HTTP service as the system under test: one POST per question, as specified in `contract.py`.

The session is sent in the object, in the header `X-Session-Id`, and by the cookies that the service sets, kept apart by
session. Redirects are not followed, so that a key never goes elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from urllib.parse import quote

from saiten.errors import CallFailed, ConfigurationError, SaitenError
from saiten.models.faults import read_complaint, retry_after
from saiten.models.http_client import CHARGED, SENT, HttpClient, HttpReply
from saiten.models.layers import Layer
from saiten.models.wire import dump, glimpse, load
from saiten.rag.systems.contract import ask, question_object, read_answer
from saiten.rag.systems.cookies import Cookies
from saiten.rag.systems.http_address import HttpAddress
from saiten.records import Answer, Inquiry

_LARGEST = 16 * 2**20  # bytes per reply, an answer with its contexts; rows in files may have twice as much
_IDLE = 1.0  # seconds to keep a connection; some servers close idle ones after two seconds
_BUSY = (429, 503)
_GATEWAYS_TIMEOUT = (408, 504)


class HttpJson:
    """Sends questions to an HTTP service.

    Requests refused unread (429, 503, no connection) may be retried by the layers around this; requests that the
    service may have processed, only if it is `repeatable`: asking twice could add two turns to a dialogue. The latency
    is that of the successful attempt, from the request to the last byte of the reply.
    """

    def __init__(
        self, address: HttpAddress, *, timeout: float = 120.0, repeatable: bool = False, around: Sequence[Layer] = ()
    ) -> None:
        """`timeout`: seconds per request, from the first byte sent to the last received."""
        self._address = address
        self._client = HttpClient(address.name, timeout, address.excerpt, largest=_LARGEST, idle=_IDLE)
        self._repeatable = repeatable
        self._around = around
        self._cookies = Cookies()

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
        await self._client.close()

    async def _attempt(self, inquiry: Inquiry) -> Answer:
        begun = perf_counter()
        reply = await self._post(inquiry)
        seconds = perf_counter() - begun
        self._cookies.keep(inquiry.session, reply.cookies, self._address.url)
        if not 200 <= reply.status < 300:
            raise self._refusal(reply)
        answer = self._read(reply)
        self._client.answered = True
        return replace(answer, seconds=seconds)

    async def _post(self, inquiry: Inquiry) -> HttpReply:
        headers = {**self._address.headers, "Content-Type": "application/json"}
        if inquiry.session:
            headers["X-Session-Id"] = quote(inquiry.session, safe=" :/@+")[:1000]
        if cookies := self._cookies.sent_with(inquiry.session, self._address.url):
            headers["Cookie"] = cookies
        try:
            return await self._client.send("POST", self._address.url, dump(question_object(inquiry)), headers)
        except CallFailed as error:
            if error.usage == CHARGED:  # the service may have processed it
                error.retryable = error.retryable and self._repeatable
            raise

    def _read(self, reply: HttpReply) -> Answer:
        name, excerpt = self.name, self._address.excerpt
        value = load(_utf8(reply))
        if not isinstance(value, dict):
            came = excerpt(reply.body[:10_000].decode("utf-8", "replace")) or "nothing"
            message = f"{name} did not answer with a JSON object; the reply begins: {came}"
            raise CallFailed(message, CHARGED, kind="unreadable")
        try:
            return read_answer(value)
        except ValueError as error:
            if value.get("error") and not isinstance(value.get("answer"), str):
                raise CallFailed(f"{name} failed: {excerpt(read_complaint(reply.body).text)}", CHARGED) from error
            message = f"{name}: {error}; the reply begins: {excerpt(glimpse(value))}"
            raise CallFailed(message, CHARGED, kind="unreadable") from error

    def _refusal(self, reply: HttpReply) -> SaitenError:
        """Return the error for an unsuccessful status; before the first answer, some mean that nothing will work."""
        status = reply.status
        said = f"HTTP {status}: {self._address.excerpt(read_complaint(reply.body).text) or 'no message'}"
        if status in (401, 407):
            return ConfigurationError(
                f"{self.name} refuses access ({said}); {self._address.key_advice}, or name a header: "
                "--header NAME=VALUE"
            )
        if not self._client.answered and (300 <= status < 400 or status in (404, 405)):
            location = self._address.excerpt(reply.headers.get("Location", "").partition("?")[0])
            advice = f"it redirects to {location}; use that address" if location else "check the address"
            return ConfigurationError(f"{self.name} does not accept questions ({said}); {advice}")
        if status in _BUSY:
            wait = retry_after(reply.headers)
            return CallFailed(f"{self.name} is busy ({said})", SENT, retryable=True, retry_after=wait, status=status)
        timeout = status in _GATEWAYS_TIMEOUT
        return CallFailed(
            f"{self.name} failed ({said})",
            CHARGED,
            kind="timeout" if timeout else "failed",
            retryable=self._repeatable and (status >= 500 or timeout),
            status=status,
        )


def _utf8(reply: HttpReply) -> bytes:
    """Return the body in UTF-8, decoded from its header's charset."""
    charset = reply.charset
    if charset is None or charset.replace("-", "").lower() == "utf8":
        return reply.body
    try:
        return reply.body.decode(charset).encode()
    except (LookupError, ValueError):
        return reply.body  # then it is no JSON, and quoted in the error
