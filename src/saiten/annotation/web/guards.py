"""Who may do what. Each route stands behind one of these; a test walks all routes and tries each as everybody."""

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
    """Somebody, and what changes something comes from our own page: right Origin, and the secret of the session.

    Raises:
        RequestRefused: 401 nobody is logged in; 403 the request is forged.
    """
    session = session_of(request, service)
    if session is None:
        raise RequestRefused(401, "session_over")
    if request.method not in _SAFE:
        _not_forged(request, service, session)
    return session


LoggedIn = Annotated[Login, Depends(logged_in)]


async def annotator(session: LoggedIn) -> Login:
    """An annotator; raises RequestRefused 403 for an admin, who would grade with others' labels before their eyes."""
    if session.person.role != "annotator":
        raise RequestRefused(403, "forbidden")
    return session


async def admin(session: LoggedIn) -> Login:
    """An admin; raises RequestRefused 403 for anybody else."""
    if session.person.role != "admin":
        raise RequestRefused(403, "forbidden")
    return session


Annotator = Annotated[Login, Depends(annotator)]
Admin = Annotated[Login, Depends(admin)]


def _not_forged(request: Request, service: Service, session: Login) -> None:
    """Nothing, if our own page sent this; browsers say truly where a request comes from, and cannot be made to lie."""
    expected = origin_of(request.headers.get("host", ""), service.settings)
    given = request.headers.get(CSRF, "")
    if request.headers.get("origin", "").lower() != expected or not hmac.compare_digest(
        given.encode("utf-8", "replace"), session.csrf.encode()
    ):
        raise RequestRefused(403, "forged")
