"""Requests about batches, over the client of a model's server."""

from collections.abc import Callable, Mapping
from shlex import quote
from types import MappingProxyType
from typing import Any

import aiohttp
from yarl import URL

from saiten.errors import CallFailed, SaitenError
from saiten.models.endpoint import Endpoint
from saiten.models.faults import NotServed, fault_of
from saiten.models.http_client import HttpClient, HttpReply
from saiten.models.wire import dump, glimpse, load
from saiten.redaction import redact

_LARGEST = 64 * 2**20  # bytes of a reply that is not a file
TRANSFER = 3600.0
"""Seconds for a file."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


class BatchHttp:
    """Sends with the endpoint's key and headers; raises CallFailed if a retry may help, ConfigurationError if not."""

    def __init__(self, endpoint: Endpoint, timeout: float, headers: Mapping[str, str] = _NOTHING) -> None:
        """`timeout`: seconds per request, except for files; `headers`: sent besides."""
        self.endpoint = endpoint
        self._more = headers
        self._http = HttpClient(endpoint.name, timeout, endpoint.excerpt, largest=_LARGEST)

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] = _NOTHING,
        seconds: float | None = None,
    ) -> dict[str, Any]:
        """Return the JSON object in the reply; `body` is a form, or becomes JSON."""
        reply = await self.send(method, path, body, query=query, seconds=seconds)
        value = load(reply.body)
        if not isinstance(value, dict) or (value.get("error") and not value.get("name")):  # else it is that of a batch
            shown = self.endpoint.excerpt(reply.body[:10_000].decode("utf-8", "replace"))
            raise CallFailed(f"{self.endpoint.name} said nothing of its batches: {shown!r}", retryable=True)
        return value

    async def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] = _NOTHING,
        seconds: float | None = None,
        sink: Callable[[bytes], object] | None = None,
    ) -> HttpReply:
        """Return the reply; `sink` as for `HttpClient.send`."""
        url = self.endpoint.address(path)
        headers = {**self.endpoint.all_headers(), **self._more}
        if not isinstance(body, aiohttp.FormData):
            body = None if body is None else dump(body)
        else:
            del headers["Content-Type"]  # that of the form has its boundary
        reply = await self._http.send(method, url.update_query(query), body, headers, seconds, sink=sink)
        if not 200 <= reply.status < 300:
            raise self._fault(reply, url, method)
        self._http.answered = True
        return reply

    def text(self, value: Mapping[str, Any], name: str) -> str:
        """Return a text that a reply must have."""
        found = value.get(name)
        if not isinstance(found, str) or not found:
            shown = self.endpoint.excerpt(glimpse(value))
            raise CallFailed(
                f"{self.endpoint.name} sent no {name} of a batch; the reply begins: {shown}", retryable=True
            )
        return found

    def command(self, path: str, key: str) -> str:
        """Return what to type to post to this path; `key` is the header of the key up to the key itself."""
        address = redact(str(self.endpoint.address(path).with_query(None)))  # the command is kept in a file
        shown = [f"{key}${self.endpoint.key_variable}", *(f"{name}: {value}" for name, value in self._more.items())]
        return f"curl -X POST {quote(address)} " + " ".join(f'-H "{header}"' for header in shown)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    def _fault(self, reply: HttpReply, url: URL, method: str) -> SaitenError:
        fault = fault_of(reply, self.endpoint, str(url.with_query(None)), (), answered=False)
        if isinstance(fault, NotServed) and method == "POST":
            return NotServed(
                f"{self.endpoint.name} takes no batches ({fault}); leave out --batch, or write the requests to files "
                "with --batch-files"
            )
        return fault


def count(value: Any) -> int:
    """Return a number of requests; 0 for anything else."""
    return value if type(value) is int and value > 0 else 0
