"""Access control: every route depends on one of these guards; a test tries each route in each role."""

import hmac
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from saiten.annotation.records import Login
from saiten.annotation.web.hosts import origin_of
from saiten.annotation.web.refusals import RequestRefused
from saiten.annotation.web.service import Service, service_of
from saiten.annotation.web.sessions import session_of

CSRF = "x-csrf"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

TheService = Annotated[Service, Depends(service_of)]


def logged_in(request: Request, service: TheService) -> Login:
    """Return the login; requests that change something need this server's Origin and the session's CSRF token.

    Raises:
        RequestRefused: 401 if nobody is logged in, 403 if the request is forged.
    """
    session = session_of(request, service)
    if session is None:
        raise RequestRefused(401, "session_over")
    if request.method not in _SAFE:
        _not_forged(request, service, session)
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


def _not_forged(request: Request, service: Service, session: Login) -> None:
    """Raise RequestRefused unless a page of this server sent the request; scripts cannot forge the Origin header."""
    expected = origin_of(request.headers.get("host", ""), service.settings)
    given = request.headers.get(CSRF, "")
    if request.headers.get("origin", "").lower() != expected or not hmac.compare_digest(
        given.encode("utf-8", "replace"), session.csrf.encode()
    ):
        raise RequestRefused(403, "forged")
