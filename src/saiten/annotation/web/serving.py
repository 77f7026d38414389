"""The HTTP server: one socket, in this process, until Ctrl-C; requests in progress are completed."""

import asyncio
import errno
import socket

import uvicorn
from anyio.to_thread import current_default_thread_limiter
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from saiten.annotation.store.engines import DATABASE_CONNECTIONS
from saiten.errors import ConfigurationError

_CONNECTIONS = 400
"""Concurrent connections; further ones are asked to retry."""
_LONGEST_HEAD = 32 * 1024
"""Bytes of a request line and headers."""
_GRACE_SECONDS = 20
"""For requests in progress when the server stops."""


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free one.

    Raises:
        ConfigurationError: the port is in use, or the address is not this machine's.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=1024)
    except OverflowError:
        raise ConfigurationError(f"--port {port}: ports go from 0 to 65535") from None
    except OSError as error:
        raise ConfigurationError(_why(error, host, port)) from error


def server_of(app: ASGIApp, *, behind_proxy: bool = False) -> uvicorn.Server:
    """Build the server, which runs until Ctrl-C or SIGTERM, and completes requests in progress.

    It logs no URLs: links are secret.
    """
    return ThreadBoundServer(
        uvicorn.Config(
            app,
            http=HeaderTimeoutProtocol,
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=behind_proxy,  # from 127.0.0.1 only, uvicorn's default
            limit_concurrency=_CONNECTIONS,
            h11_max_incomplete_event_size=_LONGEST_HEAD,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
    )


class ThreadBoundServer(uvicorn.Server):
    """Executes requests in as many threads as there are connections to the database.

    More threads would only wait for a connection, and cost memory: the C library spreads threads over many heaps, whose
    free parts others do not use. With forty threads, they grew by 19 MB per 10,000 saves.
    """

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until `should_exit`."""
        current_default_thread_limiter().total_tokens = DATABASE_CONNECTIONS  # of this event loop
        await super().serve(sockets)


class HeaderTimeoutProtocol(H11Protocol):
    """Closes connections whose request headers do not arrive; uvicorn alone would wait forever."""

    head_seconds = 15.0
    """From the connection, or the first byte of the headers, to the last byte of the headers."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._unset()
        elif self._late is None and not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unset()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._late = self.loop.call_later(self.head_seconds, self._give_up)

    def _unset(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use, perhaps by another `saiten annotate`; choose another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} is not for this user; choose one above 1023 with --port"
    return f"cannot listen on {host}, port {port}: {error.strerror}; --host names an address of this machine"
