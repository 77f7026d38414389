"""Batches in OpenAI's form: `/files` and `/batches`; and in Mistral's, which has jobs instead of batches."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import aiohttp

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.batch.http import TRANSFER, BatchHttp, count
from saiten.models.batch.lines import URL
from saiten.models.batch.server import LARGEST, BatchStatus
from saiten.models.endpoint import Endpoint
from saiten.models.wire import glimpse

_PAGES = 10  # of 100 batches each, searched for one that may have been created
_PENDING = ("pending", "running")  # statuses of a file at Azure before it can be used
_SPELLED = {"canceled": "cancelled", "error": "failed", "success": "completed", "succeeded": "completed"}
"""What others call OpenAI's statuses."""
_READING = (*(0.1 * 2**n for n in range(9)), *[30.0] * 40)  # seconds between looks at such a file


class OpenAIBatches:
    """The endpoints of OpenAI, Azure, Groq, LiteLLM's proxy and others."""

    largest = LARGEST

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        """`timeout`: seconds per request, except for files."""
        self._endpoint = endpoint
        self._http = BatchHttp(endpoint, timeout)

    async def upload(self, file: Path) -> str:
        with file.open("rb") as stream:
            form = aiohttp.FormData()
            form.add_field("purpose", "batch")
            form.add_field("file", stream, filename=file.name, content_type="application/jsonl")
            value = await self._http.ask("POST", "/files", form, seconds=TRANSFER)
        if value.get("status") == "error":
            said = self._endpoint.excerpt(glimpse(value))
            raise ConfigurationError(f"{self._endpoint.name} cannot use the batch file {file}: {said}")
        name = self._http.text(value, "id")
        await self._read(name)
        return name

    async def create(self, file: str, mark: str) -> BatchStatus:
        asked = {"input_file_id": file, "endpoint": URL, "completion_window": "24h", "metadata": {"saiten": mark}}
        return self._status(await self._http.ask("POST", "/batches", asked))

    async def look(self, batch: str) -> BatchStatus:
        return self._status(await self._http.ask("GET", f"/batches/{batch}"))

    async def find(self, mark: str) -> BatchStatus | None:
        query = {"limit": "100"}
        for _ in range(_PAGES):
            value = await self._http.ask("GET", "/batches", query=query)
            listed = _objects(value.get("data"))
            if (found := _marked(listed, mark)) is not None:
                return self._status(found)
            if not value.get("has_more") or not listed:
                break
            query = {"limit": "100", "after": str(listed[-1].get("id"))}
        return None

    async def fetch(self, batch: BatchStatus, name: str, sink: Callable[[bytes], object]) -> None:
        await self._http.send("GET", f"/files/{name}/content", seconds=TRANSFER, sink=sink)

    def cancelling(self, batch: str) -> str:
        key = "api-key: " if "api-key" in self._endpoint.all_headers() else "Authorization: Bearer "
        return self._http.command(f"/batches/{batch}/cancel", key)

    async def close(self) -> None:
        await self._http.close()

    async def _read(self, file: str) -> None:
        """Wait until the server has read the file."""
        for wait in _READING:
            try:
                value = await self._http.ask("GET", f"/files/{file}")
            except CallFailed:
                value = {"status": _PENDING[0]}
            except ConfigurationError:
                return  # a server that does not show its files
            if value.get("status") not in _PENDING:
                return
            await asyncio.sleep(wait)
        raise CallFailed(f"{self._endpoint.name} has not read the batch file {file} after 20 minutes", retryable=True)

    def _status(self, value: Mapping[str, Any]) -> BatchStatus:
        counts = value.get("request_counts") or {}
        total, done, failed = (count(counts.get(name)) for name in ("total", "completed", "failed"))
        files = tuple(str(value.get(name) or "") for name in ("output_file_id", "error_file_id"))
        status = self._http.text(value, "status").lower()
        found = self._http.text(value, "id"), _SPELLED.get(status, status)
        errors = value.get("errors")
        said = self._said(errors.get("data") if isinstance(errors, dict) else None)
        return BatchStatus(*found, total, done + failed, files, said)

    def _said(self, errors: Any) -> str:
        """Return the first errors in a list."""
        faults = _objects(errors)[:3]
        texts = [(f"line {each['line']}: " if each.get("line") else "") + str(each.get("message")) for each in faults]
        return self._endpoint.excerpt("; ".join(texts))


_OF_JOBS = {
    "QUEUED": "validating",
    "RUNNING": "in_progress",
    "SUCCESS": "completed",
    "FAILED": "failed",
    "TIMEOUT_EXCEEDED": "expired",
    "CANCELLATION_REQUESTED": "cancelling",
    "CANCELLED": "cancelled",
}
"""Mistral's statuses in OpenAI's words."""


class MistralBatches(OpenAIBatches):
    """Mistral's jobs; files are as at OpenAI."""

    async def create(self, file: str, mark: str) -> BatchStatus:
        job = {"input_files": [file], "endpoint": URL, "model": self._endpoint.model, "timeout_hours": 24}
        return self._status(await self._http.ask("POST", "/batch/jobs", job | {"metadata": {"saiten": mark}}))

    async def look(self, batch: str) -> BatchStatus:
        return self._status(await self._http.ask("GET", f"/batch/jobs/{batch}"))

    async def find(self, mark: str) -> BatchStatus | None:
        for page in range(_PAGES):
            value = await self._http.ask("GET", "/batch/jobs", query={"page": str(page), "page_size": "100"})
            listed = _objects(value.get("data"))
            if (found := _marked(listed, mark)) is not None:
                return self._status(found)
            if not listed:
                break
        return None

    def cancelling(self, batch: str) -> str:
        return self._http.command(f"/batch/jobs/{batch}/cancel", "Authorization: Bearer ")

    def _status(self, value: Mapping[str, Any]) -> BatchStatus:
        status = self._http.text(value, "status")
        total, done, failed = (count(value.get(f"{name}_requests")) for name in ("total", "succeeded", "failed"))
        files = tuple(str(value.get(name) or "") for name in ("output_file", "error_file"))
        found = self._http.text(value, "id"), _OF_JOBS.get(status, status)
        return BatchStatus(*found, total, done + failed, files, self._said(value.get("errors")))


def _objects(value: Any) -> Sequence[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _marked(listed: Sequence[Mapping[str, Any]], mark: str) -> Mapping[str, Any] | None:
    return next((each for each in listed if (each.get("metadata") or {}).get("saiten") == mark), None)
