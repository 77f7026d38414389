"""The ASGI middleware around the application: security headers, host names, and limits of request bodies."""

import asyncio
from collections.abc import Iterable

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saiten.annotation.web.bodies import RequestRefused, json_reply
from saiten.annotation.web.pages import language_of
from saiten.annotation.web.settings import WebSettings

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
SECURITY = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Envelope:
    """Set the headers of every response, refuse other hosts, and bound request bodies."""

    def __init__(self, app: ASGIApp, *, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = with_security(message["headers"], scope["path"], message["status"])
            await send(message)

        request = Request(scope)
        hosts = request.headers.getlist("host")
        if len(hosts) == 1 and self._settings.answers_to(hosts[0]):
            await self._app(scope, self._bounded(request, receive), send_with_headers)
        else:
            message = RequestRefused(421, "wrong_host").message(language_of(request))
            await json_reply({"message": message}, 421)(scope, receive, send_with_headers)

    def _bounded(self, request: Request, receive: Receive) -> Receive:
        """Raise `RequestRefused` beyond a number of bytes or seconds, with and without a Content-Length header."""
        announced = request.headers.get("content-length", "0")
        received = 0
        finished = False
        until: float | None = None

        async def bounded() -> Message:
            nonlocal received, finished, until
            if finished:  # from here on it only reports a disconnect
                return await receive()
            if len(announced) > 10 or int(announced) > self._settings.largest_body:
                raise RequestRefused(413, "too_big")
            until = until or asyncio.get_running_loop().time() + self._settings.body_seconds
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                raise RequestRefused(408, "too_slow") from None
            received += len(message.get("body", b""))
            finished = not message.get("more_body", False)
            if received > self._settings.largest_body:
                raise RequestRefused(413, "too_big")
            return message

        return bounded


def with_security(headers: Iterable[tuple[bytes, bytes]], path: str, status: int) -> list[tuple[bytes, bytes]]:
    """Return the headers with saiten's, which take precedence.

    Scripts and styles are cached but revalidated, so that updates of saiten take effect; pages are personal.
    """
    cached = path.startswith("/static/") and status in {200, 304}
    ours = {**SECURITY, "cache-control": "no-cache" if cached else "no-store"}
    others = [(name, value) for name, value in headers if name.lower().decode("latin-1") not in ours]
    return others + [(name.encode(), value.encode()) for name, value in ours.items()]
