"""The batches of providers that have a form of their own: Anthropic's Message Batches, Mistral's jobs."""

from typing import Any

import orjson
from aiohttp import web

from servers import Asked, Fault
from stand_ins.anthropic import AnthropicServer
from stand_ins.batches import BatchesServer, Made, _json, _missing
from stand_ins.google import GeminiServer

_PATH = "/v1/messages/batches"


class AnthropicBatchesServer(AnthropicServer):
    """https://docs.anthropic.com/en/api/creating-message-batches; the fate of a request is its type of result."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[dict[str, Any]]] = []
        self.batched: list[Asked] = []
        self.fate = lambda number, index: "succeeded"  # noqa: ARG005 - replaced by tests
        self.looks = 0

    def _routes(self, app: web.Application) -> None:
        app.router.add_post(_PATH, self._create)
        app.router.add_get(_PATH + "/{id}", self._look)
        app.router.add_get(_PATH + "/{id}/results", self._results)

    async def _create(self, request: web.Request) -> web.StreamResponse:
        refused = self._unauthorized(request)
        if refused is not None:
            return refused
        requests = orjson.loads(await request.read())["requests"]
        keys = [each["custom_id"] for each in requests]
        if (
            len(set(keys)) != len(keys)
            or not all(0 < len(key) <= 64 for key in keys)
            or set(requests[0]) != {"custom_id", "params"}
        ):
            return _json({"type": "error", "error": {"type": "invalid_request_error", "message": "custom_id"}}, 400)
        self.batches.append(requests)
        return _json(self._seen(len(self.batches), ended=False))

    async def _look(self, request: web.Request) -> web.StreamResponse:
        self.looks += 1
        return self._unauthorized(request) or _json(self._seen(_number(request), ended=self.looks % 2 == 0))

    async def _results(self, request: web.Request) -> web.StreamResponse:
        number = _number(request)
        lines = [
            {"custom_id": each["custom_id"], "result": self._result(number, index, each, request)}
            for index, each in enumerate(self.batches[number - 1])
        ]
        return web.Response(body=b"\n".join(map(orjson.dumps, reversed(lines))) + b"\n")

    def _result(self, number: int, index: int, each: dict[str, Any], request: web.Request) -> dict[str, Any]:
        fate = self.fate(number, index)
        if fate != "succeeded":
            return fate if isinstance(fate, dict) else {"type": fate}
        native = each["params"]
        asked = Asked(len(self.batched) + 1, "/v1/messages", {}, request.headers, self._translated(native), native)
        self.batched.append(asked)
        said = self._refusal(asked) or self.reply(asked)
        if isinstance(said, Fault):
            return {"type": "errored", "error": said.body}
        return {"type": "succeeded", "message": self._completion(asked, said or self._default(asked))}

    def _seen(self, number: int, *, ended: bool) -> dict[str, Any]:
        total = len(self.batches[number - 1])
        fates = [self.fate(number, index) for index in range(total)] if ended else []
        kinds = [fate if isinstance(fate, str) else fate["type"] for fate in fates]
        counts = {kind: kinds.count(kind) for kind in ("succeeded", "errored", "canceled", "expired")}
        return {
            "id": f"msgbatch_{number}",
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {"processing": 0 if ended else total, **counts},
            "results_url": f"{self.root}{_PATH}/msgbatch_{number}/results" if ended else None,
        }

    def _unauthorized(self, request: web.Request) -> web.Response | None:
        if request.headers.get("x-api-key") == self.key and request.headers.get("anthropic-version") == "2023-06-01":
            return None
        return _json({"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}, 401)


def _number(request: web.Request) -> int:
    return int(request.match_info["id"].removeprefix("msgbatch_"))


class GeminiBatchesServer(GeminiServer):
    """https://ai.google.dev/gemini-api/docs/batch-api, inline; the fate of a request is its entry of the results."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[dict[str, Any]] = []
        self.batched: list[Asked] = []
        self.fate = lambda number, index: None  # noqa: ARG005 - replaced by tests
        self.looks = 0
        self.lost = False
        """Whether the connection breaks off after the next batch is created."""

    def _routes(self, app: web.Application) -> None:
        app.router.add_post("/v1beta/models/{model}:batchGenerateContent", self._create)
        app.router.add_get("/v1beta/batches", self._list)
        app.router.add_get("/v1beta/batches/{number}", self._look)

    async def _create(self, request: web.Request) -> web.StreamResponse:
        refused = self._refusal_of_key(Asked(0, request.path, {}, request.headers, {}))
        if refused is not None:
            return _json(refused.body, refused.status)
        batch = orjson.loads(await request.read())["batch"]
        for each in batch["inputConfig"]["requests"]["requests"]:
            if set(each) != {"request", "metadata"} or each["request"].pop("model") != "models/gemini-x":
                return _json({"error": {"code": 400, "message": "Invalid JSON payload received."}}, 400)
        self.batches.append(batch)
        if self.lost:
            self.lost = False
            request.transport.close()
        return _json(self._seen(len(self.batches), request))

    async def _list(self, request: web.Request) -> web.StreamResponse:
        number = int(request.query.get("pageToken", 0)) + 1
        more = {"nextPageToken": str(number)} if number < len(self.batches) else {}
        return _json({"operations": [self._seen(number, request)] if self.batches else [], **more})

    async def _look(self, request: web.Request) -> web.StreamResponse:
        self.looks += 1
        return _json(self._seen(int(request.match_info["number"]), request, ended=self.looks > 2))

    def _seen(self, number: int, request: web.Request, *, ended: bool = False) -> dict[str, Any]:
        batch = self.batches[number - 1]
        requests = batch["inputConfig"]["requests"]["requests"]
        waiting = {} if ended else {"pendingRequestCount": str(len(requests))}
        metadata: dict[str, Any] = {
            "displayName": batch["displayName"],
            "state": "BATCH_STATE_SUCCEEDED" if ended else "BATCH_STATE_RUNNING",
            "batchStats": {"requestCount": str(len(requests)), **waiting},
        }
        if ended:
            entries = [self._entry(number, index, each, request) for index, each in enumerate(requests)]
            metadata["output"] = {"inlinedResponses": {"inlinedResponses": entries}}
        return {"name": f"batches/{number}", "metadata": metadata, **({"done": True} if ended else {})}

    def _entry(self, number: int, index: int, each: dict[str, Any], request: web.Request) -> dict[str, Any]:
        native, metadata = each["request"], {"metadata": each["metadata"]}
        fate = self.fate(number, index)
        if fate is not None:
            return fate | metadata
        path = "/v1beta/models/gemini-x:generateContent"
        body = self._translated(native) | {"model": "gemini-x"}
        asked = Asked(len(self.batched) + 1, path, {}, request.headers, body, native)
        self.batched.append(asked)
        refused = self._refusal(asked)
        if refused is not None:
            return {"error": {"code": 3, "message": refused.body["error"]["message"]}} | metadata
        return {"response": self._completion(asked, self._default(asked))} | metadata


_STATUSES = {
    "validating": "QUEUED",
    "in_progress": "RUNNING",
    "completed": "SUCCESS",
    "failed": "FAILED",
    "expired": "TIMEOUT_EXCEEDED",
    "cancelled": "CANCELLED",
}


class MistralBatchesServer(BatchesServer):
    """https://docs.mistral.ai/api/#tag/batch: jobs of uploaded files."""

    def _paths(self) -> tuple[tuple[str, str, Any], ...]:
        files = tuple(each for each in super()._paths() if "/files" in each[1])
        jobs = "/v1/batch/jobs"
        return (*files, ("POST", jobs, self._create), ("GET", jobs, self._list), ("GET", jobs + "/{id}", self._look))

    async def _create(self, request: web.Request) -> web.StreamResponse:
        asked = orjson.loads(await request.read())
        if asked["input_files"][0] not in self.files:
            return _missing(asked["input_files"])
        if set(asked) != {"input_files", "endpoint", "model", "metadata", "timeout_hours"}:
            return _json({"detail": "Extra inputs are not permitted"}, 422)
        self.batches.append(Made(len(self.batches) + 1, self, asked["input_files"][0], asked["metadata"]))
        return _json(self._shown(self.batches[-1]))

    async def _list(self, request: web.Request) -> web.StreamResponse:
        page = int(request.query["page"])
        jobs = self.batches[page : page + 1]  # short pages
        return _json({"data": [self._shown(made) for made in jobs], "object": "list", "total": len(self.batches)})

    def _shown(self, made: Made) -> dict[str, Any]:
        seen = made.seen()
        return {
            "id": made.id,
            "object": "batch",
            "status": _STATUSES[made.status],
            "output_file": seen["output_file_id"],
            "error_file": seen["error_file_id"],
            "metadata": made.metadata,
            "total_requests": len(made.lines),
            "succeeded_requests": seen["request_counts"]["completed"],
            "failed_requests": 0,
            "errors": made.faults,
        }
