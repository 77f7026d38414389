"""The headers of every response: what a browser may load, whom it may tell, and that nothing personal is kept."""

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

STATIC = "/static/"
_KEPT = "no-cache"
"""For our own scripts and styles: kept, and asked about each time, so that an update of saiten is seen."""
_PERSONAL = "no-store"


class SecurityHeaders:
    """An ASGI middleware that sets them, whatever the application says."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = with_security(message["headers"], scope["path"], message["status"])
            await send(message)

        await self._app(scope, receive, send_with_headers)


def with_security(headers: Iterable[tuple[bytes, bytes]], path: str, status: int) -> list[tuple[bytes, bytes]]:
    """The headers and ours; ours count."""
    caching = _KEPT if path.startswith(STATIC) and status in {200, 304} else _PERSONAL
    ours = {**SECURITY, "cache-control": caching}
    others = [(name, value) for name, value in headers if name.lower().decode("latin-1") not in ours]
    return others + [(name.encode(), value.encode()) for name, value in ours.items()]
