"""The ASGI application: routes, middleware and error responses."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from saiten.annotation.forms import Form
from saiten.annotation.live_agreement import LiveAgreement
from saiten.annotation.store.database import LockedOut, NotAssigned, SaveConflict, StoreFull, StoreUnavailable
from saiten.annotation.store.project import Project
from saiten.annotation.web import adjudication, admin_routes, annotator_routes, joining
from saiten.annotation.web.bodies import RequestRefused, json_reply
from saiten.annotation.web.guards import Service, WrongJoins
from saiten.annotation.web.middleware import Envelope, with_security
from saiten.annotation.web.pages import language_of, render
from saiten.annotation.web.settings import WebSettings
from saiten.errors import BadInput

_WHY = {401: "session_over", 403: "forbidden", 404: "not_found", 405: "not_found", 413: "too_big", 503: "away"}
"""Messages by status."""


def make_app(project: Project, form: Form, *, settings: WebSettings) -> FastAPI:
    """Build the annotation server as an ASGI application; the caller closes the project after serving."""
    app = FastAPI(
        title="saiten annotate",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # would redirect /join/TOKEN/ behind an HTTPS proxy to plain HTTP
        # traces would contain URLs, and links are secret; older FastAPI versions ignore this
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.service = Service(project, form, settings, WrongJoins(settings.wrong_joins), LiveAgreement(form, project))
    for routes in (joining, annotator_routes, admin_routes, adjudication):
        app.include_router(routes.router)
    app.mount("/static", StaticFiles(directory=str(files(__package__) / "static")), name="static")
    for kind in _REFUSALS:
        app.add_exception_handler(kind, _refuse)
    app.add_exception_handler(Exception, _fail)
    app.add_middleware(Envelope, settings=settings)
    return app


def _of_starlette(error: HTTPException) -> RequestRefused:
    why = _WHY.get(error.status_code, "failed" if error.status_code >= 500 else "bad_request")
    return RequestRefused(error.status_code, why, headers=error.headers)


_REFUSALS: dict[type[Exception], Callable[[Any], RequestRefused]] = {
    RequestRefused: lambda refused: refused,
    StoreFull: lambda _: RequestRefused(507, "disk_full", headers={"retry-after": "15"}),
    # pages retry after the seconds given
    StoreUnavailable: lambda _: RequestRefused(503, "away", headers={"retry-after": "5"}),
    NotAssigned: lambda _: RequestRefused(404, "no_number"),
    # locked out just now: respond as to all later requests, and the page keeps its work
    LockedOut: lambda _: RequestRefused(401, "session_over"),
    SaveConflict: lambda _: RequestRefused(409, "conflict"),
    BadInput: lambda error: RequestRefused(422, str(error)),
    HTTPException: _of_starlette,
    RequestValidationError: lambda _: RequestRefused(400, "bad_request"),
}
"""Refusals by error, subclasses first."""


async def _refuse(request: Request, error: Exception) -> Response:
    """Respond as JSON to scripts, and with a page to people."""
    refused = next(refusal(error) for kind, refusal in _REFUSALS.items() if isinstance(error, kind))
    message = refused.message(language_of(request))
    path = request.url.path
    if path.startswith("/api/") or path.endswith(".jsonl") or "hx-request" in request.headers:
        body = {"message": message} | ({"field": refused.field} if refused.field else {})
        return json_reply(body, refused.status, refused.headers)
    name = "welcome" if refused.status == 401 else "join_failed" if refused.why == "no_such_link" else "message"
    page = render(name, request, status=refused.status, message=message)
    page.headers.update(refused.headers)
    return page


async def _fail(request: Request, error: Exception) -> Response:
    """Respond to an unexpected error, which is logged. This response bypasses the middleware that sets headers."""
    reply = await _refuse(request, RequestRefused(500, "failed"))
    reply.raw_headers = with_security(reply.raw_headers, request.url.path, 500)
    return reply
