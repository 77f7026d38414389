"""The client of an OpenAI-compatible server, shared by chats and embedders: one request, one answer or error."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from yarl import URL

from saiten.errors import CallFailed, ConfigurationError, SaitenError
from saiten.models.endpoint import Endpoint
from saiten.models.faults import NotServed, fault_of, with_models
from saiten.models.http_client import CHARGED, HttpClient, HttpReply
from saiten.models.layers import A
from saiten.models.roles import refusable
from saiten.models.wire import dump, load

_LARGEST = 64 * 2**20  # bytes per reply; 256 vectors of 4,096 dimensions take 20 MB as text
_LOOK_UP = 5.0  # seconds for the list of models, which only improves an error message
_TRIES = 3  # unreadable replies before the first readable one; more mean that the server speaks something else


class Client:
    """Sends requests to one endpoint; `close()` it before using it in another event loop."""

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        """`timeout`: seconds per request, from the first byte sent to the last received."""
        self.endpoint = endpoint
        self._http = HttpClient(endpoint.name, timeout, endpoint.excerpt, largest=_LARGEST)
        self._headers: dict[str, str] = {}
        self._addresses: dict[str, URL] = {}
        self._unreadable = 0

    async def post(self, path: str, payload: Mapping[str, Any], read: Callable[[dict[str, Any]], A]) -> A:
        """Return what `read` makes of the JSON object in the server's reply.

        Raises:
            CallFailed: the request failed; `ParameterRefused` if the server rejects one of its parameters.
            ConfigurationError: the setup is wrong, and no request will succeed.
        """
        url = self._addresses.get(path) or self._addresses.setdefault(path, self.endpoint.address(path))
        self._headers = self._headers or self.endpoint.all_headers()
        reply = await self._http.send("POST", url, dump(payload), self._headers)
        value = load(reply.body)
        if reply.status != 200 or not isinstance(value, dict) or value.get("error"):
            raise await self._fault(reply, value, url, payload)
        try:
            answer = read(value)
        except CallFailed as error:
            if error.kind == "unreadable":
                raise self._unread(error, url) from None
            self._http.answered = True
            raise
        self._http.answered = True
        return answer

    async def close(self) -> None:
        """Close the connections; the client can be used again, also in another event loop."""
        self._headers = {}
        await self._http.close()

    async def _fault(self, reply: HttpReply, value: Any, url: URL, payload: Mapping[str, Any]) -> SaitenError:
        if 200 <= reply.status < 300:
            status = _status_inside(value)
            if not status:
                shown = self.endpoint.excerpt(reply.body[:10_000].decode("utf-8", "replace"))
                message = f"{self.endpoint.name} did not answer with a JSON object; what came begins: {shown!r}"
                return self._unread(CallFailed(message, CHARGED, kind="unreadable", retryable=True), url)
            reply = replace(reply, status=status)
        place = str(url.with_query(None))
        fault = fault_of(reply, self.endpoint, place, refusable(payload), answered=self._http.answered)
        if isinstance(fault, NotServed):
            return with_models(fault, self.endpoint, await self._listing())
        return fault

    def _unread(self, error: CallFailed, url: URL) -> SaitenError:
        """Return the error for an unreadable reply: one of the setup if nothing else has ever come."""
        self._unreadable += 1
        if self._http.answered or self._unreadable < _TRIES:
            return error
        return ConfigurationError(
            f"{url.with_query(None)} does not answer like an OpenAI-compatible server ({self._unreadable} tries): "
            f"{error}; check the base URL (it usually ends in /v1, as in http://localhost:8000/v1) and any proxy or "
            "login page before the server"
        )

    async def _listing(self) -> bytes | None:
        """Fetch the server's list of models; None if it has none."""
        try:
            return (await self._http.send("GET", self.endpoint.address("/models"), None, self._headers, _LOOK_UP)).body
        except SaitenError:
            return None


def _status_inside(value: Any) -> int:
    """Return the status of an error sent with HTTP 200, as OpenRouter does; 0 without one."""
    error = value.get("error") if isinstance(value, dict) else None
    if not error:
        return 0
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 502
