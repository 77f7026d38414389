"""The ASGI application: routes, middleware and error responses."""

from collections.abc import Awaitable, Callable
from importlib.resources import files

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from saiten.annotation.forms import Form
from saiten.annotation.live_agreement import LiveAgreement
from saiten.annotation.store.failures import LockedOut, NotAssigned, SaveConflict, StoreUnavailable
from saiten.annotation.store.project import Project
from saiten.annotation.web import adjudication, admin_routes, annotator_routes, joining
from saiten.annotation.web.bodies import json_reply
from saiten.annotation.web.headers import SecurityHeaders, with_security
from saiten.annotation.web.hosts import answers_to
from saiten.annotation.web.limits import BoundedBody, WrongJoins
from saiten.annotation.web.names import Phrases, no_phrases
from saiten.annotation.web.pages import Pages, language_of
from saiten.annotation.web.refusals import RETRY_AFTER, RequestRefused, why_of
from saiten.annotation.web.service import Service
from saiten.annotation.web.settings import WebSettings
from saiten.errors import BadInput


def make_app(project: Project, form: Form, *, settings: WebSettings, phrases: Phrases = no_phrases) -> FastAPI:
    """Build the annotation server as an ASGI application.

    Args:
        project: stays open while the application is served; the caller closes it.
        form: form of the project.
        settings: address and limits.
        phrases: Japanese of remarks on figures; without it they stay English.
    """
    app = FastAPI(
        title="saiten annotate",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # would redirect /join/TOKEN/ behind an HTTPS proxy to plain HTTP
        # traces would contain URLs, and links are secret; older FastAPI versions ignore this
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.service = Service(
        project,
        form,
        settings,
        Pages({"form_title": form.title}),
        WrongJoins(settings.wrong_joins),
        LiveAgreement(form, project),
        phrases,
    )
    for routes in (joining, annotator_routes, admin_routes, adjudication):
        app.include_router(routes.router)
    app.mount("/static", StaticFiles(directory=str(files(__package__) / "static")), name="static")
    for kind, handle in _HANDLERS.items():
        app.add_exception_handler(kind, handle)
    # The last middleware added is the outermost.
    app.add_middleware(BoundedBody, most=settings.largest_body, seconds=settings.body_seconds)
    app.add_middleware(KnownHost, service=app.state.service)
    app.add_middleware(SecurityHeaders)
    return app


class KnownHost:
    """ASGI middleware that refuses requests for other hosts; see `hosts`."""

    def __init__(self, app: ASGIApp, *, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            request = Request(scope)
            hosts = request.headers.getlist("host")
            if len(hosts) != 1 or not answers_to(hosts[0], self._service.settings):
                await json_reply({"message": RequestRefused(421, "wrong_host").message(language_of(request))}, 421)(
                    scope, receive, send
                )
                return
        await self._app(scope, receive, send)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestRefused)  # noqa: S101 - for the type checker
    service: Service = request.app.state.service
    language = language_of(request)
    path = request.url.path
    if path.startswith("/api/") or path.endswith(".jsonl") or "hx-request" in request.headers:
        body = {"message": error.message(language)} | ({"field": error.field} if error.field else {})
        return json_reply(body, error.status, error.headers)
    name, kind = ("message.html", "message")
    if error.status == 401:
        name, kind = "welcome.html", "welcome"
    elif error.why == "no_such_link":
        name, kind = "join_failed.html", "join_failed"
    page = service.pages.render(name, request, status=error.status, kind=kind, message=error.message(language))
    page.headers.update(error.headers)
    return page


async def _away(request: Request, error: Exception) -> Response:
    return await _refused(request, RequestRefused(503, "away", headers={"retry-after": RETRY_AFTER}))


async def _not_assigned(request: Request, error: Exception) -> Response:
    return await _refused(request, RequestRefused(404, "no_number"))


async def _locked_out(request: Request, error: Exception) -> Response:
    """The person was just locked out: respond as to all their later requests, and the page keeps its work."""
    return await _refused(request, RequestRefused(401, "session_over"))


async def _conflict(request: Request, error: Exception) -> Response:
    return await _refused(request, RequestRefused(409, "conflict"))


async def _bad_input(request: Request, error: Exception) -> Response:
    return await _refused(request, RequestRefused(422, str(error)))


async def _of_starlette(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - for the type checker
    return await _refused(request, RequestRefused(error.status_code, why_of(error.status_code), headers=error.headers))


async def _unreadable(request: Request, error: Exception) -> Response:
    return await _refused(request, RequestRefused(400, "bad_request"))


async def _failed(request: Request, error: Exception) -> Response:
    """Respond to an unexpected error, which is logged. This response bypasses the middleware that sets headers."""
    reply = await _refused(request, RequestRefused(500, "failed"))
    reply.raw_headers = with_security(reply.raw_headers, request.url.path, 500)
    return reply


_HANDLERS: dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
    RequestRefused: _refused,
    StoreUnavailable: _away,
    NotAssigned: _not_assigned,
    LockedOut: _locked_out,
    SaveConflict: _conflict,
    BadInput: _bad_input,
    HTTPException: _of_starlette,
    RequestValidationError: _unreadable,
    Exception: _failed,
}
