"""Access control: every route depends on one of these guards; a test tries each route in each role."""

import hmac
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from saiten.annotation.forms import Form
from saiten.annotation.live_agreement import LiveAgreement
from saiten.annotation.records import Login
from saiten.annotation.store.project import Project
from saiten.annotation.store.sessions import find_session
from saiten.annotation.web.limits import WrongJoins
from saiten.annotation.web.refusals import RequestRefused
from saiten.annotation.web.settings import WebSettings

CSRF = "x-csrf"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LONGEST_SECRET = 200
"""Characters; longer secrets are not looked up."""


@dataclass(frozen=True)
class Service:
    """One served project: the objects that every request works with."""

    project: Project
    form: Form
    settings: WebSettings
    wrong_joins: WrongJoins
    agreement: LiveAgreement


async def service_of(request: Request) -> Service:
    """Return the application's service. A coroutine, since FastAPI runs plain functions in a thread."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


def logged_in(request: Request, service: TheService) -> Login:
    """Return the login; requests that change something need this server's Origin and the session's CSRF token.

    Raises:
        RequestRefused: 401 if nobody is logged in, 403 if the request is forged.
    """
    secret = secret_of(request, service)
    session = find_session(service.project, secret) if secret else None
    if session is None:
        raise RequestRefused(401, "session_over")
    if request.method not in _SAFE:
        _require_own_page(request, service, session)
    return session


LoggedIn = Annotated[Login, Depends(logged_in)]


async def annotator(session: LoggedIn) -> Login:
    """Require an annotator; raises RequestRefused 403 for admins, who can see others' labels."""
    if session.person.role != "annotator":
        raise RequestRefused(403, "forbidden")
    return session


async def admin(session: LoggedIn) -> Login:
    """Require an admin; raises RequestRefused 403 for anybody else."""
    if session.person.role != "admin":
        raise RequestRefused(403, "forbidden")
    return session


Annotator = Annotated[Login, Depends(annotator)]
Admin = Annotated[Login, Depends(admin)]


def secret_of(request: Request, service: Service) -> str | None:
    """Return the secret of the session's cookie."""
    secret = request.cookies.get(service.settings.cookie)
    return secret if secret and len(secret) <= _LONGEST_SECRET and secret.isascii() else None


def _require_own_page(request: Request, service: Service, session: Login) -> None:
    """Raise RequestRefused unless a page of this server sent the request; scripts cannot forge the Origin header."""
    expected = service.settings.origin_of(request.headers.get("host", ""))
    given = request.headers.get(CSRF, "")
    if request.headers.get("origin", "").lower() != expected or not hmac.compare_digest(
        given.encode("utf-8", "replace"), session.csrf.encode()
    ):
        raise RequestRefused(403, "forged")
