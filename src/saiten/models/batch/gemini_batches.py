"""Gemini's batches, with the requests and the replies inline.

Imported only where it is used: it needs the extra `providers`, which translates requests and replies.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from saiten.models.batch.http import TRANSFER, BatchHttp, count
from saiten.models.batch.lines import lines_of
from saiten.models.batch.server import BatchStatus
from saiten.models.batch.translating import Translator
from saiten.models.endpoint import Endpoint
from saiten.models.wire import dump, load

_PAGES = 10  # of 100 batches each
_STATES = {
    "BATCH_STATE_PENDING": "validating",
    "BATCH_STATE_RUNNING": "in_progress",
    "BATCH_STATE_SUCCEEDED": "completed",
    "BATCH_STATE_FAILED": "failed",
    "BATCH_STATE_CANCELLED": "cancelled",
    "BATCH_STATE_EXPIRED": "expired",
}
_STATUSES = {1: 499, 3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 9: 400, 14: 503, 16: 401}
"""The HTTP status of Google's codes; 500 for any other."""


class GeminiBatches:
    """`models/MODEL:batchGenerateContent` and `batches`; a batch is marked by its display name."""

    largest = 15_000_000

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        """`timeout`: seconds per request, except for requests and results."""
        self._endpoint = endpoint
        self._http = BatchHttp(endpoint, timeout)
        self._translator = Translator(endpoint, timeout)

    async def upload(self, file: Path) -> str:
        return str(file)

    async def create(self, file: str, mark: str) -> BatchStatus:
        requests = [await self._request(load(line)) for line in lines_of(Path(file))]
        batch = {"displayName": mark, "inputConfig": {"requests": {"requests": requests}}}
        path = f"/v1beta/models/{self._endpoint.model}:batchGenerateContent"
        return self._status(await self._http.ask("POST", path, {"batch": batch}, seconds=TRANSFER))

    async def look(self, batch: str) -> BatchStatus:
        return self._status(await self._http.ask("GET", f"/v1beta/{batch}", seconds=TRANSFER))

    async def find(self, mark: str) -> BatchStatus | None:
        query = {"pageSize": "100"}
        for _ in range(_PAGES):
            value = await self._http.ask("GET", "/v1beta/batches", query=query)
            for each in value.get("operations") or ():
                if (each.get("metadata") or {}).get("displayName") == mark:
                    return self._status(each)
            if not value.get("nextPageToken"):
                break
            query = {"pageSize": "100", "pageToken": str(value["nextPageToken"])}
        return None

    async def fetch(self, batch: BatchStatus, name: str, sink: Callable[[bytes], object]) -> None:
        value = await self._http.ask("GET", f"/v1beta/{batch.id}", seconds=TRANSFER)
        metadata, response = value.get("metadata") or {}, value.get("response") or {}
        output = metadata.get("output") or response
        for each in (output.get("inlinedResponses") or {}).get("inlinedResponses") or ():
            key = (each.get("metadata") or {}).get("key")
            sink(dump({"custom_id": key, **await self._result(each)}) + b"\n")

    def cancelling(self, batch: str) -> str:
        return self._http.command(f"/v1beta/{batch}:cancel", "x-goog-api-key: ")

    async def close(self) -> None:
        await self._http.close()

    async def _request(self, line: Mapping[str, Any]) -> dict[str, Any]:
        request = {"model": f"models/{self._endpoint.model}", **await self._translator.request(line["body"])}
        return {"request": request, "metadata": {"key": line["custom_id"]}}

    async def _result(self, each: Mapping[str, Any]) -> dict[str, Any]:
        error = each.get("error")
        if error:
            code = error.get("code")
            status = code if type(code) is int and code >= 400 else _STATUSES.get(code, 500)
            return {"response": {"status_code": status, "body": {"error": error}}}
        return {"response": await self._translator.response(each.get("response"))}

    def _status(self, value: Mapping[str, Any]) -> BatchStatus:
        name, metadata = self._http.text(value, "name"), value.get("metadata") or {}
        state = self._http.text(metadata, "state")
        stats = {key: _number(each) for key, each in (metadata.get("batchStats") or {}).items()}
        total, waiting = stats.get("requestCount", 0), stats.get("pendingRequestCount", 0)
        said = self._endpoint.excerpt(str((value.get("error") or {}).get("message") or ""))
        return BatchStatus(name, _STATES.get(state, state), total, total - waiting, (name, ""), said)


def _number(value: Any) -> int:
    """Return a count, which Google writes as a text."""
    return int(value) if isinstance(value, str) and value.isdecimal() else count(value)
