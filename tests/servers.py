"""A real HTTP server that speaks OpenAI's protocol, runs in its own thread, and can misbehave on request.

    with OpenAIServer() as server:
        server.reply = lambda asked: Fault(429, headers={"Retry-After": "1"}) if asked.number == 1 else None

By default it answers with a minimal instance of the requested JSON schema, and with vectors that depend only on the
text. Tests get one as the fixture `openai_server`.
"""

import asyncio
import inspect
import json
import math
import re
import threading
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, Self

import numpy as np
import orjson
from aiohttp import web

TELLS = "JSON Schema:\n"
"""The words after which a client tells the schema in the system message."""

Structured = Literal["json_schema", "json_object_schema", "json_object", "text", "ignores"]
"""The most that the server takes as `response_format`; `ignores` takes everything and reads nothing."""


@dataclass(frozen=True)
class Asked:
    """One request as received."""

    number: int
    """Counted from 1, over chat and embeddings."""
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: dict[str, Any]
    """In OpenAI's form."""
    native: dict[str, Any] = field(default_factory=dict)
    """The body as it was sent, where that is another form."""

    @property
    def text(self) -> str:
        """The last message."""
        return self.body["messages"][-1]["content"]

    @property
    def schema_in_text(self) -> dict[str, Any] | None:
        """The schema in the system message or at the end of the task, or in the first message if there is neither."""
        for message in self.body.get("messages", ())[:2]:
            _, mark, tail = message["content"].partition(TELLS)
            if mark:
                return json.JSONDecoder().raw_decode(tail)[0]
        return None

    @property
    def schema(self) -> dict[str, Any] | None:
        """The requested schema, in whatever form."""
        form = self.body.get("response_format") or {}
        return form.get("json_schema", {}).get("schema") or form.get("schema") or self.schema_in_text


@dataclass(frozen=True)
class Fault:
    """A faulty reply."""

    status: int = 500
    body: Any = "broken"
    """Text, or something to be written as JSON."""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the reply."""
    drop: bool = False
    """Close the connection without a reply."""
    drip: float = 0.0
    """Seconds between the single bytes of the body."""


Said = Fault | dict[str, Any] | str | None
"""A fault, a whole JSON body, the text of a completion, or None for the default."""


class OpenAIServer:
    """The server; use it as a context manager. Its settings may be changed while it runs."""

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        """The POST requests, in the order in which they came."""
        self.reply: Callable[[Asked], Said | Awaitable[Said]] = lambda _: None
        """What to say; runs in the server's thread."""
        self.latency = 0.0
        """Seconds before every reply."""
        self.structured: Structured = "json_schema"
        self.refuses: set[str] = set()
        """Parameters that are refused with HTTP 400, as reasoning models do."""
        self.key: str | None = None
        """The key that is asked for."""
        self.models: list[str] | None = None
        """The models that are served; None is any."""
        self.in_flight = 0
        self.peak = 0
        """The most requests that were in flight at once."""
        self.base_url = ""
        self._started = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._started.wait(100):
            raise RuntimeError("the server does not start")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def hold(self) -> threading.Event:
        """Let every reply wait until the event is set, however long that takes."""
        event, reply = threading.Event(), self.reply

        async def held(asked: Asked) -> Said:
            while not event.is_set():  # noqa: ASYNC110 - it is set in another thread
                await asyncio.sleep(0.005)
            said = reply(asked)
            return await said if inspect.isawaitable(said) else said

        self.reply = held
        return event

    def close(self) -> None:
        """Stop serving and close every connection."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=2**30)
        app.router.add_get("/v1/models", self._models)
        self._routes(app)
        app.router.add_post("/{tail:.*}", self._post)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.base_url = f"http://{host}:{port}/v1"
        self._started.set()
        await self._stop.wait()
        await runner.cleanup()

    def _routes(self, app: web.Application) -> None:
        """Add what a kind of server has besides."""

    async def _models(self, request: web.Request) -> web.Response:
        return _json({"object": "list", "data": [{"id": model} for model in self.models or ()]})

    async def _post(self, request: web.Request) -> web.StreamResponse:
        asked = self._asked(request, await request.read())
        self.requests.append(asked)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            said = self._refusal(asked) or self.reply(asked)
            if inspect.isawaitable(said):
                said = await said
            return await self._say(request, asked, said)
        finally:
            self.in_flight -= 1

    async def _say(self, request: web.Request, asked: Asked, said: Said) -> web.StreamResponse:
        if isinstance(said, Fault):
            return await _misbehave(request, said)
        if isinstance(said, dict):
            return _json(said)
        if "messages" not in asked.body:
            return _json(self._vectors(asked, embeddings(asked.body)))
        return _json(self._completion(asked, said if isinstance(said, str) else self._default(asked)))

    def _asked(self, request: web.Request, raw: bytes) -> Asked:
        """The request; a server of another protocol puts it into OpenAI's form."""
        return Asked(len(self.requests) + 1, request.path, request.query, request.headers, orjson.loads(raw))

    def _completion(self, asked: Asked, text: str) -> dict[str, Any]:
        """The reply with this text."""
        return completion(asked, text)

    def _vectors(self, asked: Asked, made: dict[str, Any]) -> dict[str, Any]:
        """The reply with these vectors, given in OpenAI's form."""
        return made

    def _default(self, asked: Asked) -> str:
        schema = asked.schema_in_text if self.structured == "ignores" else asked.schema
        return "A plain answer." if schema is None else orjson.dumps(numbered(instance(schema), asked)).decode()

    def _refusal(self, asked: Asked) -> Fault | None:
        if not asked.path.endswith(("/chat/completions", "/embeddings")):
            return Fault(404, "404 page not found")
        if self.key is not None and f"Bearer {self.key}" != asked.headers.get("Authorization"):
            return refusal(401, "Incorrect API key provided", code="invalid_api_key")
        if self.models is not None and asked.body["model"] not in self.models:
            return refusal(404, f"The model {asked.body['model']!r} does not exist", code="model_not_found")
        for name in sorted(self.refuses & asked.body.keys()):
            instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            return refusal(400, f"Unsupported parameter: {name!r} is not supported.{instead}", param=name)
        return self._refusal_of_format(asked.body.get("response_format"))

    def _refusal_of_format(self, form: Mapping[str, Any] | None) -> Fault | None:
        if form is None or self.structured == "ignores":
            return None
        kind = form["type"] + ("_schema" if "schema" in form else "")
        forms = ("json_schema", "json_object_schema", "json_object", "text")
        if forms.index(kind) >= forms.index(self.structured):
            return None
        return refusal(400, f"response_format of type {kind!r} is not supported", param="response_format")


def refusal(status: int, message: str, *, code: str | None = None, param: str | None = None) -> Fault:
    """An error as OpenAI writes it."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Fault(status, {"error": error})


def completion(asked: Asked, text: str, **message: Any) -> dict[str, Any]:
    """A whole chat completion with this text; ten characters count as a token."""
    prompt = sum(len(message["content"]) for message in asked.body["messages"]) // 10
    return {
        "id": f"chat-{asked.number}",
        "object": "chat.completion",
        "model": asked.body["model"],
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop"}
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": len(text) // 10,
            "total_tokens": prompt + len(text) // 10,
        },
    }


def with_logprobs(body: dict[str, Any], rivals: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """The completion with a token per word or sign and its alternatives; a word without rivals has itself alone.

    `rivals`: word → all likeliest words with their probabilities, the word itself included.
    """
    choice = body["choices"][0]
    words = re.findall(r"\w+|\W", choice["message"]["content"])
    choice["logprobs"] = {"content": [logprob_of(word, rivals.get(word, {word: 1.0})) for word in words]}
    return body


def logprob_of(word: str, likeliest: Mapping[str, float]) -> dict[str, Any]:
    """One entry of `logprobs.content` as OpenAI writes it."""

    def entry(text: str) -> dict[str, Any]:
        return {"token": text, "logprob": math.log(likeliest[text]), "bytes": list(text.encode())}

    return entry(word) | {"top_logprobs": [entry(text) for text in likeliest]}


def embeddings(body: Mapping[str, Any]) -> dict[str, Any]:
    """Vectors of 16 dimensions, the same for the same text."""
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    vectors = [np.frombuffer(sha256(text.encode()).digest()[:16], "u1").astype("<f4") - 127 for text in texts]
    written = [
        b64encode(vector.tobytes()).decode() if body.get("encoding_format") == "base64" else vector.tolist()
        for vector in vectors
    ]
    data = [{"object": "embedding", "index": index, "embedding": entry} for index, entry in enumerate(written)]
    tokens = sum(map(len, texts)) // 10
    return {"object": "list", "data": data, "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


def instance(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None) -> Any:
    """A minimal value that fits a JSON schema: one item in a list, the first word of an enum, 1, true, a sentence."""
    root = root or schema
    part = _chosen(schema, root)
    if "const" in part or "enum" in part:
        return part["const"] if "const" in part else part["enum"][0]
    kind = part.get("type", "object")
    if kind == "object":
        return {name: instance(inner, root) for name, inner in part.get("properties", {}).items()}
    if kind == "array":
        return [instance(part.get("items", {"type": "string"}), root)] * max(1, part.get("minItems", 1))
    simple: dict[str, Any] = {
        "integer": max(1, part.get("minimum", 1)),
        "number": max(1.0, part.get("minimum", 1.0)),
        "boolean": True,
        "null": None,
        "string": "A sentence.",
    }
    return simple[kind]


def numbered(reply: Any, asked: Asked) -> Any:
    """The reply with a verdict for each numbered item of saiten's prompts, if it has a list of verdicts."""
    if not isinstance(reply, dict):
        return reply
    material = re.split(r"End of the examples|例は以上です", str(asked.body["messages"][-1]["content"]))
    for name, value in reply.items():
        if isinstance(value, list) and isinstance(value[0], dict) and "number" in value[0]:
            letter = {"answer": "A", "reference": "R"}.get(name, "[SQ]")
            items = re.findall(rf"(?m)^{letter}\d+:", material[-1]) or re.findall(
                r"(?m)^\[\d+\]", material[0].partition("<example")[0]
            )
            reply[name] = [value[0] | {"number": number} for number in range(1, max(1, len(items)) + 1)]
    return reply


def _chosen(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema with references resolved; of alternatives the first that is not null."""
    if "$ref" in schema:
        node: Any = root
        for part in schema["$ref"].lstrip("#/").split("/"):
            node = node[part]
        return _chosen(node, root)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return _chosen(next(part for part in schema[key] if part.get("type") != "null"), root)
    return schema


async def _misbehave(request: web.Request, fault: Fault) -> web.StreamResponse:
    if fault.delay:
        await asyncio.sleep(fault.delay)
    if fault.drop:
        request.transport.close()
        return web.Response()
    body = fault.body.encode() if isinstance(fault.body, str) else orjson.dumps(fault.body)
    if not fault.drip:
        return web.Response(status=fault.status, body=body, headers=fault.headers)
    response = web.StreamResponse(status=fault.status, headers=fault.headers)
    await response.prepare(request)
    for byte in body:
        await response.write(bytes([byte]))
        await asyncio.sleep(fault.drip)
    return response


def _json(value: Any) -> web.Response:
    return web.Response(body=orjson.dumps(value), content_type="application/json")
