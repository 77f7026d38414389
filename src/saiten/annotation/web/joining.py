"""Logging in by personal link, choosing the language, and logging out."""

import hmac

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from saiten.annotation.records import Participant
from saiten.annotation.store.people import begin_session, end_session, person_by_token, server_admin
from saiten.annotation.web.bodies import Body, RequestRefused
from saiten.annotation.web.guards import LoggedIn, Service, TheService, secret_of
from saiten.annotation.web.pages import LANGUAGE_COOKIE, LANGUAGES

router = APIRouter()

_LONGEST_TOKEN = 200
_MONTH = 30 * 86_400
_YEAR = 365 * 86_400


@router.get("/join/{token}")
def join(token: str, request: Request, service: TheService) -> Response:
    """Log in by a personal link, and redirect to the person's page."""
    address = request.client.host if request.client else ""
    if service.wrong_joins.too_many(address):
        raise RequestRefused(429, "too_many_links", headers={"retry-after": "60"})
    person = _person(token, service)
    if person is None:
        service.wrong_joins.count(address)
        raise RequestRefused(404, "no_such_link")
    former = secret_of(request, service)
    if former:
        end_session(service.project, former)
    secret, _ = begin_session(service.project, person.id)
    response = RedirectResponse("/admin" if person.role == "admin" else "/", 303)
    response.set_cookie(
        service.settings.cookie,
        secret,
        max_age=_MONTH,
        secure=service.settings.secure,
        httponly=True,
        samesite="lax",  # not strict, with which a link in an email would open a page without login
    )
    return response


@router.post("/api/language")
def language(session: LoggedIn, service: TheService, body: Body) -> Response:
    """Set the language of the pages."""
    wanted = body.get("language")
    if wanted not in LANGUAGES:
        raise RequestRefused(422, "no_language", field="language")
    response = Response(status_code=204, headers={"hx-refresh": "true"})
    response.set_cookie(
        LANGUAGE_COOKIE, wanted, max_age=_YEAR, secure=service.settings.secure, httponly=True, samesite="lax"
    )
    return response


@router.post("/api/leave")
def leave(request: Request, session: LoggedIn, service: TheService) -> Response:
    """Log out; the link stays valid."""
    secret = secret_of(request, service)
    if secret:
        end_session(service.project, secret)
    response = Response(status_code=204, headers={"hx-redirect": "/"})
    settings = service.settings
    response.delete_cookie(settings.cookie, secure=settings.secure, httponly=True, samesite="lax")
    return response


def _person(token: str, service: Service) -> Participant | None:
    if len(token) > _LONGEST_TOKEN or not token.isascii():
        return None
    if hmac.compare_digest(token.encode(), service.settings.admin_token.encode()):
        return server_admin(service.project)
    return person_by_token(service.project, token)
