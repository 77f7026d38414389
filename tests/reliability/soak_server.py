"""A server that speaks OpenAI's protocol, spoils one request in twenty, and keeps its own account of what it did.

    python soak_server.py FOLDER SEED

It writes its port into `FOLDER/port`, and to `FOLDER/ledger.jsonl` two lines per request: `got` when it is there,
`sent` when its whole reply is with the operating system. No two replies have the same numbers of tokens, so that each
can be found again in the account of whoever paid for it.
"""

import asyncio
import json
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web
from soak_set import Kind, kind_of, verdict

LATENCY = 0.05
_PART = re.compile(rb"machine part P(\d+)")
_SILENT = 30.0  # seconds; the client gives up long before


class SoakServer:
    """The state of the server: how often each sample was asked about, and the ledger."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._seed = seed
        self._earlier: Counter[int] = Counter()
        self._requests = 0
        self._ledger = (folder / "ledger.jsonl").open("wb", buffering=0)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        found = _PART.search(body)
        part = int(found[1]) if found else -1
        kind = "good" if part < 0 else kind_of(self._seed, part, self._earlier[part])
        self._earlier[part] += 1
        number, self._requests = self._requests, self._requests + 1
        tokens = {"prompt_tokens": 1000 + number // 1000, "completion_tokens": 1 + number % 1000}
        life = int(request.headers["Authorization"].removeprefix("Bearer life-"))
        self._note({"got": number, "life": life, "part": part, "kind": kind, **tokens})
        await asyncio.sleep(LATENCY)
        if kind.startswith("cut"):
            return await _cut(request, half=kind == "cut within")
        if kind == "silence":
            await asyncio.sleep(_SILENT)
        reply = self._reply(kind, part, tokens)
        await reply.prepare(request)
        await reply.write_eof()
        self._note({"sent": number})
        return reply

    def _reply(self, kind: Kind, part: int, tokens: dict[str, int]) -> web.Response:
        if kind in ("429", "429 with Retry-After", "500", "503"):
            headers = {"Retry-After": "1"} if kind.endswith("After") else {}
            error = {"error": {"message": "try again", "type": "server_error"}}
            return web.json_response(error, status=int(kind[:3]), headers=headers)
        message: dict[str, Any] = {"role": "assistant", "content": self._text(kind, part)}
        if kind == "refusal":
            message |= {"content": None, "refusal": "I would rather not judge this."}
        choice = {"index": 0, "message": message, "finish_reason": "length" if kind == "half a reply" else "stop"}
        whole = orjson.dumps({"object": "chat.completion", "model": "m", "choices": [choice], "usage": tokens})
        if kind == "half a body":
            whole = whole[: len(whole) // 2]
        return web.Response(body=whole, content_type="application/json")

    def _text(self, kind: Kind, part: int) -> str:
        if part < 0:
            return '{"ok": true}'
        if kind in ("rubbish", "empty"):
            return "I would need to see the machine." if kind == "rubbish" else ""
        said = json.dumps({"explanation": f"As measured at part {part}.", "correct": verdict(self._seed, part)})
        return said[:12] if kind == "half a reply" else said

    def _note(self, line: dict[str, Any]) -> None:
        self._ledger.write(orjson.dumps({**line, "at": time.time()}) + b"\n")


async def _cut(request: web.Request, *, half: bool) -> web.StreamResponse:
    """End the connection, before the reply or within it."""
    reply = web.StreamResponse(headers={"Content-Length": "200", "Content-Type": "application/json"})
    if half:
        await reply.prepare(request)
        await reply.write(b'{"object": "chat.completion", "choices": [{"index": 0, ')
    if request.transport is not None:
        request.transport.close()
    return reply if half else web.Response()


async def serve(folder: Path, seed: int) -> None:
    """Serve until the process is ended."""
    server = SoakServer(folder, seed)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", server.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    (folder / "port.new").write_text(str(runner.addresses[0][1]))
    (folder / "port.new").rename(folder / "port")
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2])))
