"""A server for measuring clients: OpenAI's protocol on plain asyncio, a fixed latency, under 0.1 ms of CPU per call.

    with FastServer() as server:
        server.restart(latency=0.05)
        ...  # requests to server.base_url
        counts = server.counts()

It runs in a separate process, answers with a minimal instance of the requested schema (three items per list), made once
per schema, and records the bodies in the order in which they came. It reads only what saiten and the bare client of
these benchmarks send: one request at a time per connection, each with a Content-Length.
"""

import asyncio
import base64
import json
import multiprocessing
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Self

import orjson

ITEMS, CONTEXTS = 3, 5
"""Items of each list in a reply, and of the verdicts on the contexts of a sample."""
_DIMENSIONS = 256
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
_FORMAT = b'"response_format"'
_VECTOR = base64.b64encode(struct.pack(f"<{_DIMENSIONS}f", *(1 + n % 7 for n in range(_DIMENSIONS)))).decode()


@dataclass(frozen=True)
class Counts:
    """What the server saw since it was restarted."""

    calls: int
    distinct: int
    """Different bodies."""
    peak: int
    """The most requests in flight at once."""
    mean: float
    """Requests in flight on average, from the first request to the last reply."""
    span: float
    """Seconds from the first request to the last reply."""
    cpu: float
    """CPU seconds of the server itself."""
    late: float
    """Seconds by which replies were sent later than promised, on average: above 1 ms, the server is the bottleneck."""


class _State:
    def __init__(self, latency: float, *, keep: bool) -> None:
        self.latency, self.keep = latency, keep
        self.bodies: list[tuple[bytes, bytes]] = []
        self.calls = self.in_flight = self.peak = 0
        self.known: set[int] = set()
        self.area = self.first = self.changed = self.late = 0.0
        self.cpu = time.process_time()

    def step(self, by: int) -> None:
        now = time.perf_counter()
        self.first = self.first or now
        self.area += self.in_flight * (now - (self.changed or now))
        self.changed = now
        self.in_flight += by
        self.peak = max(self.peak, self.in_flight)

    def counts(self) -> Counts:
        span = max(self.changed - self.first, 1e-9)
        cpu = time.process_time() - self.cpu
        late = self.late / max(self.calls, 1)
        return Counts(self.calls, len(self.known), self.peak, self.area / span, span, cpu, late)


class _Connection(asyncio.Protocol):
    """One connection: a request at a time."""

    def __init__(self, state: Callable[[], _State], replies: dict[bytes, bytes]) -> None:
        self._state, self._replies = state, replies
        self._parts: list[bytes] = []
        self._lacking = 0
        self._path = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if not self._lacking:
            head, _, body = data.partition(b"\r\n\r\n")
            self._path = head.split(b" ", 2)[1]
            self._lacking = int(head.lower().partition(b"content-length:")[2].split(None, 1)[0])
            self._parts, data = [], body
        self._parts.append(data)
        self._lacking -= len(data)
        if not self._lacking:
            self._asked(b"".join(self._parts))

    def _asked(self, body: bytes) -> None:
        state, loop = self._state(), asyncio.get_running_loop()
        state.calls += 1
        state.known.add(hash(body))
        if state.keep:
            state.bodies.append((self._path, body))
        state.step(1)
        reply = self._embedded(body) if self._path.endswith(b"/embeddings") else self._completed(body)
        due = loop.time() + state.latency
        loop.call_at(due, self._answer, state, reply, due)

    def _answer(self, state: _State, reply: bytes, due: float) -> None:
        state.late += max(0.0, asyncio.get_running_loop().time() - due)
        state.step(-1)
        if isinstance(self._transport, asyncio.WriteTransport) and not self._transport.is_closing():
            self._transport.write(reply)

    def _completed(self, body: bytes) -> bytes:
        """Return the reply to this body; `response_format` comes after the messages, so its end names the schema."""
        asked = body[body.rfind(_FORMAT) :] if _FORMAT in body else b""
        reply = self._replies.get(asked)
        if reply is None:
            form: dict[str, Any] = orjson.loads(body).get("response_format") or {}
            named = form.get("json_schema", {})
            schema, items = named.get("schema"), CONTEXTS if named.get("name") == "context_verdicts" else ITEMS
            text = "A plain answer." if schema is None else orjson.dumps(instance(schema, items)).decode()
            message = {"role": "assistant", "content": text, "refusal": None}
            choices = [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}]
            tokens = {"prompt_tokens": len(body) // 4, "completion_tokens": len(text) // 4}
            usage = {**tokens, "total_tokens": sum(tokens.values())}
            made = {"id": "chat", "object": "chat.completion", "created": 0, "model": "m"}
            reply = self._replies[asked] = whole({**made, "choices": choices, "usage": usage})
        return reply

    def _embedded(self, body: bytes) -> bytes:
        texts = orjson.loads(body)["input"]
        data = [{"object": "embedding", "index": n, "embedding": _VECTOR} for n in range(len(texts))]
        usage = {"prompt_tokens": len(body) // 4, "total_tokens": len(body) // 4}
        return whole({"object": "list", "data": data, "model": "e", "usage": usage})


def whole(value: Any) -> bytes:
    """Return a whole HTTP response with this JSON."""
    body = orjson.dumps(value)
    return _HEAD % len(body) + body


def instance(schema: dict[str, Any], items: int, item: int = 1) -> Any:
    """Return a minimal value that fits the schema; numbers in a list ascend, and texts differ."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: instance(part, items, item) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [instance(schema["items"], items, n) for n in range(1, items + 1)]
    sentence = f"The town keeps record number {item} of the old bridge in a small hall near the market."
    return {"integer": item, "number": float(item), "boolean": True, "string": sentence}[kind]


def _serve(pipe: Connection) -> None:
    async def run() -> None:
        state, replies = _State(0.0, keep=False), dict[bytes, bytes]()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Connection(lambda: state, replies), "127.0.0.1", 0, backlog=1024)
        pipe.send(server.sockets[0].getsockname()[1])
        while True:
            asked = await loop.run_in_executor(None, pipe.recv)
            if asked == "counts":
                pipe.send(state.counts())
            elif asked == "bodies":
                pipe.send(state.bodies)
            else:
                state = _State(*asked[:1], keep=asked[1])
                pipe.send(None)

    asyncio.run(run())


class FastServer:
    """The server in a process of its own; a context manager."""

    def __init__(self) -> None:
        self._pipe, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
        self.base_url = ""

    def __enter__(self) -> Self:
        self._process.start()
        self.base_url = f"http://127.0.0.1:{self._pipe.recv()}/v1"
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.join()

    def restart(self, latency: float, *, keep: bool = False) -> None:
        """Count from zero, with this latency in seconds; `keep` the bodies."""
        self._pipe.send((latency, keep))
        self._pipe.recv()

    def counts(self) -> Counts:
        """Return what the server saw since it was restarted."""
        self._pipe.send("counts")
        counts: Counts = self._pipe.recv()
        return counts

    def bodies(self) -> list[tuple[str, dict[str, Any]]]:
        """Return path and body of each request, in the order in which they came."""
        self._pipe.send("bodies")
        return [(path.decode(), json.loads(body)) for path, body in self._pipe.recv()]
