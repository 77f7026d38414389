r"""A TCP server on loopback that records every byte it receives and answers each request with the same bytes.

    with Recorder(b"HTTP/1.1 200 Connection established\r\n\r\n") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)

It serves as a proxy that logs, as a server that redirects, and as the host that must not get a key.
"""

import asyncio
import threading
from typing import Self

TUNNEL = b"HTTP/1.1 200 Connection established\r\n\r\n"
"""The answer of a proxy to CONNECT. What the client sends next is kept too, and the connection is closed."""


def response(status: str, *headers: str) -> bytes:
    """A response without a body."""
    return "\r\n".join([f"HTTP/1.1 {status}", "Content-Length: 0", "Connection: close", *headers, "", ""]).encode()


class Recorder:
    """The server; use it as a context manager."""

    def __init__(self, reply: bytes = response("200 OK")) -> None:
        self.reply = reply
        self.received = b""
        """All that was sent to it, over all connections."""
        self.port = 0
        self._started = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._started.wait(100):
            raise RuntimeError("the server does not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._handle, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        await self._stop.wait()
        server.close()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.received += await reader.readuntil(b"\r\n\r\n")
            writer.write(self.reply)
            await writer.drain()
            self.received += await reader.read(2**16)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
