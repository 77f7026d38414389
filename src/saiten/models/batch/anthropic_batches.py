"""Anthropic's Message Batches.

Imported only where it is used: it needs the extra `providers`, which translates requests and replies.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from saiten.errors import ConfigurationError
from saiten.models.batch.http import TRANSFER, BatchHttp, count
from saiten.models.batch.lines import lines_of
from saiten.models.batch.server import LARGEST, BatchStatus
from saiten.models.batch.translating import Translator
from saiten.models.endpoint import Endpoint
from saiten.models.wire import dump, load

_PATH = "/v1/messages/batches"
_VERSION = {"anthropic-version": "2023-06-01"}
_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
"""The HTTP status of each kind of error; 500 for any other."""


class AnthropicBatches:
    """`/v1/messages/batches`. Requests are sent with the batch, not in a file; a batch cannot be marked."""

    largest = LARGEST

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        """`timeout`: seconds per request, except for requests and results."""
        self._endpoint = endpoint
        self._http = BatchHttp(endpoint, timeout, _VERSION)
        self._translator = Translator(endpoint, timeout)

    async def upload(self, file: Path) -> str:
        return str(file)

    async def create(self, file: str, mark: str) -> BatchStatus:
        requests = [await self._request(load(line)) for line in lines_of(Path(file))]
        return self._status(await self._http.ask("POST", _PATH, {"requests": requests}, seconds=TRANSFER))

    async def look(self, batch: str) -> BatchStatus:
        return self._status(await self._http.ask("GET", f"{_PATH}/{batch}"))

    async def find(self, mark: str) -> BatchStatus | None:
        raise ConfigurationError("its batches have no mark")

    async def fetch(self, batch: BatchStatus, name: str, sink: Callable[[bytes], object]) -> None:
        with TemporaryFile() as native:
            await self._http.send("GET", f"{_PATH}/{batch.id}/results", seconds=TRANSFER, sink=native.write)
            native.seek(0)
            await self._translate(native, sink)

    def cancelling(self, batch: str) -> str:
        return self._http.command(f"{_PATH}/{batch}/cancel", "x-api-key: ")

    async def close(self) -> None:
        await self._http.close()

    async def _request(self, line: Mapping[str, Any]) -> dict[str, Any]:
        return {"custom_id": line["custom_id"], "params": await self._translator.request(line["body"])}

    async def _translate(self, native: IO[bytes], sink: Callable[[bytes], object]) -> None:
        for line in native:
            value = load(line)
            found = value.get("result") if isinstance(value, dict) else None
            if not isinstance(found, dict):
                sink(line)  # reported as unreadable
                continue
            result: dict[str, Any]
            match found.get("type"):
                case "succeeded":
                    result = {"response": await self._translator.response(found.get("message"))}
                case "errored":
                    error = found.get("error") or {}
                    kind = str((error.get("error") or error).get("type"))
                    result = {"response": {"status_code": _STATUSES.get(kind, 500), "body": error}}
                case _:
                    result = {"response": None, "error": {"code": "batch_expired"}}
            sink(dump({"custom_id": value.get("custom_id"), **result}) + b"\n")

    def _status(self, value: Mapping[str, Any]) -> BatchStatus:
        counts = value.get("request_counts") or {}
        names = ("processing", "succeeded", "errored", "canceled", "expired")
        waiting, *ended = (count(counts.get(name)) for name in names)
        status = self._http.text(value, "processing_status")
        if status == "ended":
            status = "cancelled" if ended[2] else "expired" if ended[3] else "completed"
        batch = self._http.text(value, "id")
        return BatchStatus(batch, status, waiting + sum(ended), sum(ended), (batch, ""))
