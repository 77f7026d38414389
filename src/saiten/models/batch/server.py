"""The endpoints for batches of one server, in OpenAI's form: files, batches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, Protocol

import aiohttp
from yarl import URL

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.batch.lines import URL as ENDPOINT
from saiten.models.endpoint import Endpoint
from saiten.models.faults import NotServed, fault_of
from saiten.models.http_client import HttpClient, HttpReply
from saiten.models.wire import dump, glimpse, load

ENDED = frozenset(("completed", "failed", "expired", "cancelled"))
"""Statuses that do not change any more."""


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """A batch as the server sees it."""

    id: str
    status: str
    """In OpenAI's words."""
    total: int = 0
    done: int = 0
    """Requests that were answered or failed."""
    files: tuple[str, ...] = ()
    """The server's names of the files with replies and with errors: two, "" for none."""
    said: str = ""
    """Why it failed."""


class BatchServer(Protocol):
    """Takes batches."""

    async def upload(self, file: Path) -> str:
        """Send a file of requests, and return the server's name for it."""

    async def create(self, file: str, mark: str) -> BatchStatus:
        """Start a batch of the requests in an uploaded file."""

    async def look(self, batch: str) -> BatchStatus:
        """Return how far a batch is."""

    async def find(self, mark: str) -> BatchStatus | None:
        """Return the batch that was created with this mark, if there is one."""

    async def fetch(self, batch: BatchStatus, name: str, sink: Callable[[bytes], object]) -> None:
        """Pass a file of results to `sink`, piece by piece, as lines in OpenAI's form."""

    def cancelling(self, batch: str) -> str:
        """Return what to type to cancel a batch."""

    async def close(self) -> None:
        """Close the connections."""


_LARGEST = 64 * 2**20  # bytes of a reply that is not a file
_TRANSFER = 3600.0  # seconds for a file
_PAGES = 10  # of 100 batches each, searched for one that may have been created
_PENDING = ("pending", "running")  # statuses of a file at Azure before it can be used


class OpenAIBatches:
    """`/files` and `/batches`; raises CallFailed if a retry may help, ConfigurationError if none will."""

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        """`timeout`: seconds per request, except for files."""
        self._endpoint = endpoint
        self._timeout = timeout
        self._http = HttpClient(endpoint.name, timeout, endpoint.excerpt, largest=_LARGEST)

    async def upload(self, file: Path) -> str:
        with file.open("rb") as stream:
            value = await self._ask("POST", "/files", self._form(stream, file.name), seconds=_TRANSFER)
        name = _text(value, "id", self._endpoint)
        if value.get("status") == "error":
            raise ConfigurationError(f"{self._endpoint.name} cannot use the batch file {file}: {self._excerpt(value)}")
        return name

    async def create(self, file: str, mark: str) -> BatchStatus:
        await self._usable(file)
        body = {"input_file_id": file, "endpoint": ENDPOINT, "completion_window": "24h", "metadata": {"saiten": mark}}
        return self._status(await self._ask("POST", "/batches", dump(body)))

    async def look(self, batch: str) -> BatchStatus:
        return self._status(await self._ask("GET", f"/batches/{batch}"))

    async def find(self, mark: str) -> BatchStatus | None:
        query = {"limit": "100"}
        for _ in range(_PAGES):
            value = await self._ask("GET", "/batches", query=query)
            listed = [each for each in value.get("data") or () if isinstance(each, dict)]
            for each in listed:
                if (each.get("metadata") or {}).get("saiten") == mark:
                    return self._status(each)
            if not value.get("has_more") or not listed:
                break
            query = {"limit": "100", "after": str(listed[-1].get("id"))}
        return None

    async def fetch(self, batch: BatchStatus, name: str, sink: Callable[[bytes], object]) -> None:
        await self._sent("GET", f"/files/{name}/content", seconds=_TRANSFER, sink=sink)

    def cancelling(self, batch: str) -> str:
        address = self._endpoint.address(f"/batches/{batch}/cancel").with_query(None)
        header = "api-key: $" if "api-key" in self._endpoint.all_headers() else "Authorization: Bearer $"
        return f'curl -X POST {address} -H "{header}{self._endpoint.key_variable}"'

    async def close(self) -> None:
        await self._http.close()

    def _form(self, stream: BufferedReader, name: str) -> aiohttp.FormData:
        form = aiohttp.FormData()
        form.add_field("purpose", "batch")
        form.add_field("file", stream, filename=name, content_type="application/jsonl")
        return form

    async def _usable(self, file: str) -> None:
        """Raise CallFailed while the server still reads the file."""
        try:
            value = await self._ask("GET", f"/files/{file}")
        except ConfigurationError:
            return  # a server that does not show its files
        if value.get("status") in _PENDING:
            raise CallFailed(f"{self._endpoint.name} has not read the batch file yet", retryable=True)

    def _status(self, value: Mapping[str, Any]) -> BatchStatus:
        counts = value.get("request_counts") or {}
        total, done, failed = (_number(counts.get(name)) for name in ("total", "completed", "failed"))
        files = tuple(str(value.get(name) or "") for name in ("output_file_id", "error_file_id"))
        found = _text(value, "id", self._endpoint), _text(value, "status", self._endpoint)
        return BatchStatus(*found, total, done + failed, files, self._errors(value.get("errors")))

    def _errors(self, errors: Any) -> str:
        listed: Sequence[Any] = errors.get("data") or () if isinstance(errors, dict) else ()
        faults = [each for each in listed if isinstance(each, dict)]
        texts = [(f"line {each['line']}: " if each.get("line") else "") + str(each.get("message")) for each in faults]
        return self._endpoint.excerpt("; ".join(texts[:3]))

    def _excerpt(self, value: Any) -> str:
        return self._endpoint.excerpt(glimpse(value))

    async def _ask(
        self,
        method: str,
        path: str,
        body: bytes | aiohttp.FormData | None = None,
        *,
        query: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> dict[str, Any]:
        reply = await self._sent(method, path, body, query=query, seconds=seconds)
        value = load(reply.body)
        if not isinstance(value, dict) or value.get("error"):
            shown = self._endpoint.excerpt(reply.body[:10_000].decode("utf-8", "replace"))
            raise CallFailed(f"{self._endpoint.name} said nothing of its batches: {shown!r}", retryable=True)
        return value

    async def _sent(
        self,
        method: str,
        path: str,
        body: bytes | aiohttp.FormData | None = None,
        *,
        query: Mapping[str, str] | None = None,
        seconds: float | None = None,
        sink: Callable[[bytes], object] | None = None,
    ) -> HttpReply:
        url = self._endpoint.address(path)
        headers = self._endpoint.all_headers()
        if not isinstance(body, bytes):
            del headers["Content-Type"]  # that of the form has its boundary
        reply = await self._http.send(method, url.update_query(query or {}), body, headers, seconds, sink=sink)
        if not 200 <= reply.status < 300:
            raise self._fault(reply, url, path)
        self._http.answered = True
        return reply

    def _fault(self, reply: HttpReply, url: URL, path: str) -> Exception:
        fault = fault_of(reply, self._endpoint, str(url.with_query(None)), (), answered=False)
        if isinstance(fault, NotServed) and path in ("/files", "/batches"):
            return NotServed(
                f"{self._endpoint.name} takes no batches ({fault}); leave out --batch, or write the requests to files "
                "with --batch-files"
            )
        return fault


def _text(value: Mapping[str, Any], name: str, endpoint: Endpoint) -> str:
    found = value.get(name)
    if not isinstance(found, str) or not found:
        shown = endpoint.excerpt(glimpse(value))
        raise CallFailed(f"{endpoint.name} sent no {name} of a batch; the reply begins: {shown}", retryable=True)
    return found


def _number(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0
