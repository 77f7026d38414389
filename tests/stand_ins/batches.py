"""OpenAI's endpoints for files and batches, as strict as their documents, next to the live ones of `OpenAIServer`.

    with BatchesServer() as server:
        server.ends = lambda batch: "expired" if batch.number == 1 else "completed"
        server.fate = lambda batch, index: None if batch.number == 1 and index % 2 else batch.said(index)

A batch runs when it is looked at often enough. Its requests are answered as live ones, and its results come out of order.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

from servers import Asked, Fault, OpenAIServer, refusal

_LINE = {"custom_id", "method", "url", "body"}
_ENDPOINT = "/v1/chat/completions"


@dataclass
class Made:
    """A batch that was created."""

    number: int
    """Counted from 1."""
    server: "BatchesServer"
    file: str
    metadata: dict[str, str]
    lines: list[dict[str, Any]] = field(default_factory=list)
    faults: list[dict[str, Any]] = field(default_factory=list)
    status: str = "validating"
    looks: int = 0
    outputs: tuple[bytes, bytes] = (b"", b"")
    """The content of the files with replies and with errors."""

    @property
    def id(self) -> str:
        return f"batch_{self.number}"

    @property
    def keys(self) -> list[str]:
        return [line["custom_id"] for line in self.lines]

    def said(self, index: int) -> dict[str, Any]:
        """The line of results for this request, answered as a live one is."""
        line, server = self.lines[index], self.server
        asked = Asked(len(server.batched) + 1, _ENDPOINT, {}, server.headers, line["body"])
        server.batched.append(asked)
        reply = server._refusal(asked) or server.reply(asked)
        if isinstance(reply, Fault):
            return result(line["custom_id"], reply.status, reply.body)
        body = reply if isinstance(reply, dict) else None
        text = reply if isinstance(reply, str) else server._default(asked)
        return result(line["custom_id"], 200, body or server._completion(asked, text))

    def seen(self) -> dict[str, Any]:
        """The batch as the server shows it."""
        ended = self.status in ("completed", "expired", "cancelled")
        names = [f"file-{self.number}-{kind}" if ended and self.outputs[at] else None for at, kind in enumerate("oe")]
        counts = {"total": len(self.lines), "completed": len(self.lines) if ended else 0, "failed": 0}
        return {
            "id": self.id,
            "object": "batch",
            "endpoint": _ENDPOINT,
            "errors": {"object": "list", "data": self.faults} if self.faults else None,
            "input_file_id": self.file,
            "completion_window": "24h",
            "status": self.status,
            "output_file_id": names[0],
            "error_file_id": names[1],
            "request_counts": counts,
            "metadata": self.metadata,
        }


def result(key: str, status: int, body: Any) -> dict[str, Any]:
    """A line of results."""
    response = {"status_code": status, "request_id": f"req_{key[:8]}", "body": body}
    return {"id": f"batch_req_{key[:8]}", "custom_id": key, "response": response, "error": None}


def expired(key: str) -> dict[str, Any]:
    """A line about a request that the server did not come to."""
    error = {"code": "batch_expired", "message": "This request could not be executed before the completion window."}
    return {"id": f"batch_req_{key[:8]}", "custom_id": key, "response": None, "error": error}


class BatchesServer(OpenAIServer):
    """The server; its scripts may be changed while it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 2
        """Looks at a batch before it has ended; None for never."""
        self.ends: Callable[[Made], str] = lambda _: "completed"
        self.fate: Callable[[Made, int], dict[str, Any] | bytes | None] = lambda batch, index: batch.said(index)
        """The result of a request: a line, something that is none, or nothing at all."""
        self.lost: Callable[[str, str, int], bool] = lambda *_: False
        """Whether the connection breaks off after a request, the number-th one to this path, was carried out."""
        self.stuck: Callable[[str, str], bool] = lambda *_: False
        """Whether a request is carried out and never answered."""
        self.unread = 0
        """Looks at files before they can be used, as at Azure."""
        self.has_batches = True
        self.lists = True
        """Whether it shows its batches."""
        self.files: dict[str, bytes] = {}
        self.batches: list[Made] = []
        self.batched: list[Asked] = []
        """Requests that were answered in batches."""
        self.headers: dict[str, str] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def _routes(self, app: web.Application) -> None:
        for method, path, handler in self._paths():
            anywhere = "/{before:(?:.*/)?}" + path.removeprefix("/")
            app.router.add_route(method, anywhere, self._around(handler))

    def _paths(self) -> tuple[tuple[str, str, Any], ...]:
        """Method, path and what answers."""
        return (
            ("POST", "/v1/files", self._upload),
            ("GET", "/v1/files/{name}", self._file),
            ("GET", "/v1/files/{name}/content", self._content),
            ("POST", "/v1/batches", self._create),
            ("GET", "/v1/batches", self._list),
            ("GET", "/v1/batches/{id}", self._look),
        )

    def _shown(self, made: Made) -> dict[str, Any]:
        return made.seen()

    def _around(self, handler: Any) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            if not self.has_batches:
                return _json({"detail": "Not Found"}, 404)
            if self.key is not None and f"Bearer {self.key}" != request.headers.get("Authorization"):
                return _refused(refusal(401, "Incorrect API key provided", code="invalid_api_key"))
            self.headers = {"Authorization": request.headers.get("Authorization", "")}
            reply = await handler(request)
            at = request.method, request.path
            self._counts[at] = self._counts.get(at, 0) + 1
            while self.stuck(*at):  # noqa: ASYNC110 - changed in another thread
                await asyncio.sleep(0.005)
            if self.lost(*at, self._counts[at]):
                request.transport.close()
            return reply

        return handle

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        parts = {}
        async for part in await request.multipart():
            parts[part.name] = part.filename, await part.read()
        if parts.get("purpose") != (None, b"batch"):
            return _refused(refusal(400, "'purpose' must be 'batch'", param="purpose"))
        if set(parts) != {"purpose", "file"} or not parts["file"][0].endswith(".jsonl"):
            return _refused(refusal(400, "a file with the extension jsonl is required", param="file"))
        name = f"file-{len(self.files) + 1}"
        self.files[name] = parts["file"][1]
        return _json({"id": name, "object": "file", "bytes": len(parts["file"][1]), "purpose": "batch"})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        self.unread -= 1
        status = "pending" if self.unread >= 0 else "processed"
        return _json({"id": name, "status": status}) if name in self.files else _missing(name)

    async def _content(self, request: web.Request) -> web.StreamResponse:
        _, number, kind = request.match_info["name"].split("-")
        return web.Response(body=self.batches[int(number) - 1].outputs["oe".index(kind)])

    async def _create(self, request: web.Request) -> web.StreamResponse:
        asked = orjson.loads(await request.read())
        if asked.get("input_file_id") not in self.files:
            return _missing(asked.get("input_file_id"))
        if self.unread > 0:
            return _refused(refusal(400, "The file is not processed yet"))
        if asked.get("endpoint") != _ENDPOINT or asked.get("completion_window") != "24h":
            return _refused(refusal(400, "Invalid endpoint or completion_window"))
        metadata = asked.get("metadata", {})
        if set(asked) - {"input_file_id", "endpoint", "completion_window", "metadata"} or not all(
            len(name) <= 64 and isinstance(value, str) and len(value) <= 512 for name, value in metadata.items()
        ):
            return _refused(refusal(400, "Invalid metadata", param="metadata"))
        made = Made(len(self.batches) + 1, self, asked["input_file_id"], metadata)
        self.batches.append(made)
        return _json(self._shown(made))

    async def _list(self, request: web.Request) -> web.StreamResponse:
        if not self.lists:
            return _json({"detail": "Method Not Allowed"}, 405)
        newest = [made.seen() for made in reversed(self.batches)]
        after = request.query.get("after")
        begin = next((at + 1 for at, made in enumerate(newest) if made["id"] == after), 0)
        page = newest[begin : begin + min(int(request.query.get("limit", 20)), 2)]  # short pages
        return _json({"object": "list", "data": page, "has_more": begin + len(page) < len(newest)})

    async def _look(self, request: web.Request) -> web.StreamResponse:
        made = next((each for each in self.batches if each.id == request.match_info["id"]), None)
        if made is None:
            return _missing(request.match_info["id"])
        made.looks += 1
        if made.status == "validating":
            self._validate(made)
        elif made.status == "in_progress" and self.looks is not None and made.looks >= self.looks:
            self._run(made)
        return _json(self._shown(made))

    def _validate(self, made: Made) -> None:
        before: set[str] = set()
        for number, raw in enumerate(self.files[made.file].splitlines(), 1):
            line = orjson.loads(raw)
            said = _complaint(line, before)
            if said:
                made.faults.append({"code": "invalid_request", "message": said, "param": None, "line": number})
            made.lines.append(line)
            before.add(str(line.get("custom_id")))
        if self.ends(made) == "failed":
            made.faults.append({"code": "token_limit_exceeded", "message": "Enqueued token limit reached"})
        made.status = "failed" if made.faults else "in_progress"

    def _run(self, made: Made) -> None:
        order = list(range(len(made.lines)))
        random.Random(made.number).shuffle(order)
        good, bad = [], []
        for index in order:
            line = self.fate(made, index)
            if isinstance(line, bytes):
                good.append(line)
            elif line is not None:
                status = (line["response"] or {}).get("status_code")
                (good if status == 200 else bad).append(orjson.dumps(line))
        made.outputs = tuple(b"".join(line + b"\n" for line in lines) for lines in (good, bad))
        made.status = self.ends(made)


def _complaint(line: dict[str, Any], before: set[str]) -> str:
    if set(line) != _LINE or line["method"] != "POST" or line["url"] != _ENDPOINT:
        return "The line must have custom_id, method, url and body."
    if not isinstance(line["custom_id"], str) or line["custom_id"] in before:
        return f"The custom_id {line['custom_id']!r} is not unique."
    if not {"model", "messages"} <= set(line["body"]) or line["body"].get("stream"):
        return "The body must be that of a chat completion."
    return ""


def _missing(name: Any) -> web.Response:
    return _refused(refusal(404, f"No such object: {name}"))


def _refused(fault: Fault) -> web.Response:
    return _json(fault.body, fault.status)


def _json(value: Any, status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(value), content_type="application/json", status=status)
