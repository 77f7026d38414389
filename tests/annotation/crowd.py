"""Annotators who all work at once over HTTP on bad connections: some saves are sent twice, some replies are never read.

Each one opens a link, requests the next item, saves, and so on until nothing is left. What was acknowledged is
recorded, so that it can be compared with what is stored afterwards.
"""

import asyncio
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from served import ServedProject

_CSRF = re.compile(r'data-csrf="([^"]+)"|"csrf": ?"([^"]+)"')
_AWAY = (OSError, EOFError, asyncio.IncompleteReadError)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of the server."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Line:
    """A connection that is kept open, as a browser does, and reopened when it was lost."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> Reply:
        """The reply; raises one of `_AWAY` if the connection or the server was lost."""
        try:
            await self._send(request)
            return await self._reply()
        except _AWAY:
            self.cut()
            raise

    async def ask_and_hang_up(self, request: bytes, after: float) -> None:
        """Send the request and hang up before the reply can be read."""
        await self._send(request)
        await asyncio.sleep(after)
        self.cut()

    def cut(self) -> None:
        """Close without a proper shutdown."""
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None

    async def _send(self, request: bytes) -> None:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self.port)
        self._streams[1].write(request)
        await self._streams[1].drain()

    async def _reply(self) -> Reply:
        reader = self._streams[0]
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = b""
        if headers.get("transfer-encoding") == "chunked":
            while size := int(await reader.readuntil(b"\r\n"), 16):
                body += (await reader.readexactly(size + 2))[:-2]
            await reader.readexactly(2)
        else:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.cut()
        return Reply(int(head[0].split()[1]), headers, body)


@dataclass
class Worker:
    """A person at a browser."""

    name: str
    token: str
    port: int
    cookie: str = ""
    csrf: str = ""
    line: Line = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is opened yet."""
        self.line = Line(self.port)

    async def join(self) -> None:
        """Log in by the link and load the page."""
        reply = await self.line.ask(self.request("GET", f"/join/{self.token}"))
        assert reply.status == 303, reply
        self.cookie = reply.headers["set-cookie"].partition(";")[0]
        page = (await self.line.ask(self.request("GET", reply.headers["location"]))).body.decode()
        found = _CSRF.search(page)
        self.csrf = found[1] or found[2]

    def request(self, method: str, path: str, body: Any = None) -> bytes:
        """A request as our own page sends it."""
        host = f"127.0.0.1:{self.port}"
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {self.cookie}\r\n"
        if method != "GET":
            head += f"Origin: http://{host}\r\nX-CSRF: {self.csrf}\r\nContent-Length: {len(data)}\r\n"
        return head.encode() + b"\r\n" + data


@dataclass
class Crowd:
    """Many workers, and what became of their work."""

    dice: random.Random
    pause: float = 0.0
    """Mean of the seconds that somebody thinks about an item."""
    sent_twice: float = 0.1
    """Share of the saves that come a second time, at the same moment by another connection, or later."""
    cut: float = 0.1
    """Share of the saves whose reply is never read, and that are sent again."""
    undone: float = 0.0
    """Share of the saves that are undone, and made anew."""
    gone: float = 0.0
    """Share of the saves after which somebody closes the page, and opens it again later."""
    enough: Callable[[], bool] = lambda: False
    """Whether everybody goes home."""
    patience: float = 90.0
    """Seconds for which somebody tries again while the server is away."""
    acknowledged: dict[tuple[str, str], str] = field(default_factory=dict)
    """(name, item) → what the server said that it had saved."""
    joins: list[float] = field(default_factory=list)
    nexts: list[float] = field(default_factory=list)
    saves: list[float] = field(default_factory=list)
    """Seconds."""
    counted: Counter[str] = field(default_factory=Counter)
    """How many replies said that the save was there already, how many lines were cut, …"""

    async def work(self, worker: Worker, *, most: int | None = None) -> None:
        """Work until nothing is left, or until this many are saved."""
        if not worker.csrf:
            begun = time.perf_counter()
            await worker.join()
            self.joins.append(time.perf_counter() - begun)
        while (most is None or most > 0) and not self.enough():
            reply = await self._insist(worker, worker.request("GET", "/api/items/next"), self.nexts)
            if reply.status == 204:
                return
            assert reply.status == 200, reply
            found = json.loads(reply.body)
            if self.pause:
                await asyncio.sleep(self.dice.uniform(0, 2 * self.pause))
            item = found["content"]["answer"].partition(">")[0].strip("<")
            await self._save(worker, found["number"], item)
            if self.undone and self.dice.random() < self.undone:
                await self._undo(worker, item)
                await self._save(worker, found["number"], item, revision=2)
            if self.gone and self.dice.random() < self.gone:
                await self._leave(worker)
            most = None if most is None else most - 1

    async def _undo(self, worker: Worker, item: str) -> None:
        """Undo the last save, by two equal requests as from a second click."""
        request = worker.request("POST", "/api/undo", {"save_id": str(uuid4())})
        del self.acknowledged[worker.name, item]  # from now on the server may have undone it
        for _ in range(2):
            reply = await self._insist(worker, request)
            assert reply.status == 200, reply
        self.counted["undone"] += 1

    async def _leave(self, worker: Worker) -> None:
        """Close the page, and load it again after a while, with the cookie of before."""
        worker.line.cut()
        await asyncio.sleep(self.dice.uniform(0, 4 * self.pause))
        reply = await self._insist(worker, worker.request("GET", "/"))
        assert reply.status == 200, reply
        self.counted["gone"] += 1

    async def _save(self, worker: Worker, number: int, item: str, *, revision: int = 1) -> None:
        save_id = str(uuid4())
        said = f"{worker.name} of {item} by {save_id}"
        body = {"payload": {"grade": self.dice.randrange(6), "reason": said}, "save_id": save_id, "seconds": 1.5}
        request = worker.request("PUT", f"/api/items/{number}", body)
        if self.dice.random() < self.cut:
            self.counted["cut"] += 1
            try:
                await worker.line.ask_and_hang_up(request, self.dice.choice([0.0, 0.001, 0.01, 0.03]))
            except _AWAY:
                worker.line.cut()
        twin = None
        if self.dice.random() < self.sent_twice:
            self.counted["twice"] += 1
            other = Worker(worker.name, worker.token, worker.port, worker.cookie, worker.csrf)
            twin = asyncio.create_task(self._insist(other, request))
        replies = [await self._insist(worker, request, self.saves)]
        if twin is not None:
            replies.append(await twin)
            other.line.cut()
        for reply in replies:
            assert reply.status == 200, reply
            saved = json.loads(reply.body)
            assert saved["revision"] == revision, saved
            self.counted["again"] += saved["again"]
        self.acknowledged[worker.name, item] = said

    async def _insist(self, worker: Worker, request: bytes, seconds: list[float] | None = None) -> Reply:
        """The reply; resends the request while the server or its database is away, as the page does."""
        until = time.monotonic() + self.patience
        while True:
            begun = time.perf_counter()
            try:
                reply = await worker.line.ask(request)
            except _AWAY:
                if time.monotonic() > until:
                    raise
                self.counted["away"] += 1
                await asyncio.sleep(0.05)
                continue
            if reply.status != 503 or time.monotonic() > until:
                if seconds is not None:
                    seconds.append(time.perf_counter() - begun)
                return reply
            self.counted["503"] += 1
            await asyncio.sleep(0.2)


@dataclass(frozen=True, slots=True)
class Kept:
    """The export compared with what was acknowledged."""

    rows: int
    lost: int
    """Acknowledged, but missing or different."""
    double: int
    """Rows of an annotator about an item beyond the first."""
    unasked: int
    """Rows that were stored but never acknowledged."""
    per_item: Mapping[int, int]
    """Annotators of an item → number of items."""
    per_person: Mapping[int, int]
    """Items of an annotator → number of annotators."""


def held_against(rows: Iterable[Mapping[str, Any]], acknowledged: Mapping[tuple[str, str], str]) -> Kept:
    """What is stored, and what should be."""
    said = [(row["annotator"], row["item"].removeprefix("item "), row["reason"]) for row in rows]
    there = {(name, item): reason for name, item, reason in said}
    return Kept(
        rows=len(said),
        lost=sum(there.get(key) != reason for key, reason in acknowledged.items()),
        double=len(said) - len(there),
        unasked=len(there.keys() - acknowledged.keys()),
        per_item=Counter(Counter(item for _, item, _ in said).values()),
        per_person=Counter(Counter(name for name, _, _ in said).values()),
    )


async def exported(project: ServedProject) -> list[dict[str, Any]]:
    """The rows exported from the admin's page."""
    admin = Worker("admin", project.tokens["admin"], project.port)
    await admin.join()
    reply = await admin.line.ask(admin.request("GET", "/admin/export.jsonl"))
    admin.line.cut()
    return [json.loads(line) for line in reply.body.splitlines()]


async def work_off(project: ServedProject, crowd: Crowd, names: Iterable[str]) -> None:
    """Everyone works at once until nothing is left."""
    workers = [Worker(name, project.tokens[name], project.port) for name in names]
    try:
        await asyncio.gather(*map(crowd.work, workers))
    finally:
        for worker in workers:
            worker.line.cut()
