"""What is bounded: the size of a body and how long it takes, and how many wrong links an address may try."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from threading import Lock

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saiten.annotation.web.refusals import RequestRefused

_MINUTE = 60.0
_MOST_ADDRESSES = 10_000
"""That are remembered; the one not seen for longest is forgotten first."""


class BoundedBody:
    """An ASGI middleware: reading on beyond so many bytes, or so many seconds, raises `RequestRefused`.

    Whether the size was told beforehand (Content-Length) or not (chunks) is no matter.
    """

    def __init__(self, app: ASGIApp, *, most: int, seconds: float) -> None:
        self._app = app
        self._most = most
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        came = 0
        finished = False
        until: float | None = None

        async def bounded() -> Message:
            nonlocal came, finished, until
            if finished:  # from here on it only tells that the browser is gone
                return await receive()
            if len(told) > 10 or int(told) > self._most:
                raise RequestRefused(413, "too_big")
            loop = asyncio.get_running_loop()
            until = until or loop.time() + self._seconds
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                raise RequestRefused(408, "too_slow") from None
            came += len(message.get("body", b""))
            finished = not message.get("more_body", False)
            if came > self._most:
                raise RequestRefused(413, "too_big")
            return message

        await self._app(scope, bounded, send)


class WrongJoins:
    """How many wrong links each address tried of late. Remembers; one is made for a server."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`most`: within a minute."""
        self._most = most
        self._clock = clock
        self._tried: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._lock = Lock()

    def too_many(self, address: str) -> bool:
        """Whether the address has to wait."""
        with self._lock:
            since, tried = self._tried.get(network_of(address), (0.0, 0))
            return tried >= self._most and self._clock() - since < _MINUTE

    def count(self, address: str) -> None:
        """One more wrong link from there."""
        network, now = network_of(address), self._clock()
        with self._lock:
            since, tried = self._tried.pop(network, (now, 0))
            self._tried[network] = (since, tried + 1) if now - since < _MINUTE else (now, 1)
            while len(self._tried) > _MOST_ADDRESSES:
                self._tried.popitem(last=False)


def network_of(address: str) -> str:
    """Whose address it is: of IPv6 the first half, since one connection has the whole second half to choose from."""
    try:
        found = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found)
