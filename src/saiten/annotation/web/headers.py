"""Security and caching headers of every response."""

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
"""Scripts and styles are cached but revalidated, so that updates of saiten take effect."""
_PERSONAL = "no-store"


class SecurityHeaders:
    """ASGI middleware that sets the headers, overriding the application's."""

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
    """Return the headers with saiten's, which take precedence."""
    caching = _KEPT if path.startswith(STATIC) and status in {200, 304} else _PERSONAL
    ours = {**SECURITY, "cache-control": caching}
    others = [(name, value) for name, value in headers if name.lower().decode("latin-1") not in ours]
    return others + [(name.encode(), value.encode()) for name, value in ours.items()]
