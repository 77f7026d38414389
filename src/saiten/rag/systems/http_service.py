"""A user's HTTP service: one POST of a JSON object, and the errors for whatever comes back.

Redirects are not followed, so that a key never goes elsewhere.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from saiten.errors import CallFailed, ConfigurationError, SaitenError
from saiten.models.faults import read_complaint, retry_after
from saiten.models.http_client import CHARGED, SENT, HttpClient, HttpReply
from saiten.models.wire import dump, glimpse, load
from saiten.rag.systems.http_address import HttpAddress

_LARGEST = 16 * 2**20  # bytes per reply, an answer with its contexts; rows in files may have twice as much
_IDLE = 1.0  # seconds to keep a connection; some servers close idle ones after two seconds
_BUSY = (429, 503)
_GATEWAYS_TIMEOUT = (408, 504)

T = TypeVar("T")


class HttpService:
    """Sends objects to an HTTP service.

    Requests refused unread (429, 503, no connection) may be retried by the layers around this; requests that the
    service may have processed, only if it is `repeatable`.
    """

    def __init__(
        self,
        address: HttpAddress,
        *,
        timeout: float = 120.0,
        repeatable: bool = False,
        accepts: str = "questions",
        header_option: str = "--header",
    ) -> None:
        """Set what all requests have in common.

        Args:
            address: Where they go, with headers.
            timeout: Seconds per request, from the first byte sent to the last received.
            repeatable: Whether a request may be sent again after the service may have processed it.
            accepts: What is sent, for the error of an address that does not accept it.
            header_option: The option for headers, for the error of a service that refuses access.
        """
        self.address = address
        self._client = HttpClient(address.name, timeout, address.excerpt, largest=_LARGEST, idle=_IDLE)
        self._repeatable = repeatable
        self._accepts = accepts
        self._header_option = header_option

    @property
    def name(self) -> str:
        """`http://host/path`; contains neither query nor password."""
        return self.address.name

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def post(self, asked: Mapping[str, Any], headers: Mapping[str, str]) -> HttpReply:
        """Return the reply to this object, whatever its status.

        Raises:
            CallFailed: there is none.
            ConfigurationError: there is no server at this address.
        """
        sent = {**self.address.headers, **headers, "Content-Type": "application/json"}
        try:
            return await self._client.send("POST", self.address.url, dump(asked), sent)
        except CallFailed as error:
            if error.usage == CHARGED:  # the service may have processed it
                error.retryable = error.retryable and self._repeatable
            raise

    def read(self, reply: HttpReply, reader: Callable[[Mapping[str, Any]], T]) -> T:
        """Return what the reader makes of the reply's JSON object.

        Raises:
            CallFailed: the status is an error, or the reader raised ValueError.
            ConfigurationError: nothing will work at this address.
        """
        if not 200 <= reply.status < 300:
            raise self._refusal(reply)
        name, excerpt = self.name, self.address.excerpt
        value = load(_utf8(reply))
        if not isinstance(value, dict):
            came = excerpt(reply.body[:10_000].decode("utf-8", "replace")) or "nothing"
            message = f"{name} did not answer with a JSON object; the reply begins: {came}"
            raise CallFailed(message, CHARGED, kind="unreadable")
        try:
            found = reader(value)
        except ValueError as error:
            if value.get("error") and not isinstance(value.get("answer"), str):
                raise CallFailed(f"{name} failed: {excerpt(read_complaint(reply.body).text)}", CHARGED) from error
            message = f"{name}: {error}; the reply begins: {excerpt(glimpse(value))}"
            raise CallFailed(message, CHARGED, kind="unreadable") from error
        self._client.answered = True
        return found

    def _refusal(self, reply: HttpReply) -> SaitenError:
        """Return the error for an unsuccessful status; before the first answer, some mean that nothing will work."""
        status = reply.status
        said = f"HTTP {status}: {self.address.excerpt(read_complaint(reply.body).text) or 'no message'}"
        if status in (401, 407):
            return ConfigurationError(
                f"{self.name} refuses access ({said}); {self.address.key_advice}, or name a header: "
                f"{self._header_option} NAME=VALUE"
            )
        if not self._client.answered and (300 <= status < 400 or status in (404, 405)):
            location = self.address.excerpt(reply.headers.get("Location", "").partition("?")[0])
            advice = f"it redirects to {location}; use that address" if location else "check the address"
            return ConfigurationError(f"{self.name} does not accept {self._accepts} ({said}); {advice}")
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
