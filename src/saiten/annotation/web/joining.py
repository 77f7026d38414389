"""Logging in by personal link, choosing the language, and logging out."""

import hmac

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from saiten.annotation.store.people import begin_session, end_session, person_by_token, server_admin
from saiten.annotation.web.bodies import Body, RequestRefused
from saiten.annotation.web.guards import LoggedIn, TheService, secret_of
from saiten.annotation.web.pages import LANGUAGE_COOKIE, LANGUAGES
from saiten.annotation.web.settings import WebSettings

router = APIRouter()

_MONTH = 30 * 86_400
_YEAR = 365 * 86_400


@router.get("/join/{token}")
def join(token: str, request: Request, service: TheService) -> Response:
    """Log in by a personal link, and redirect to the person's page.

    After too many wrong links, an address has to wait, except with a personal link: its 256 random bits cannot be
    guessed, and behind one address there may be a whole team. The admin's token may be one that somebody made up.
    """
    address = request.client.host if request.client else ""
    person = person_by_token(service.project, token)
    if person is None and service.wrong_joins.too_many(address):
        raise RequestRefused(429, "too_many_links", headers={"retry-after": "60"})
    if hmac.compare_digest(token.encode("utf-8", "replace"), service.settings.admin_token.encode()):
        person = server_admin(service.project)
    if person is None:
        service.wrong_joins.count(address)
        raise RequestRefused(404, "no_such_link")
    if former := secret_of(request, service):
        end_session(service.project, former)
    secret, _ = begin_session(service.project, person.id)
    response = RedirectResponse("/admin" if person.role == "admin" else "/", 303)
    _set_cookie(response, service.settings, service.settings.cookie, secret, seconds=_MONTH)
    return response


@router.post("/api/language")
def language(session: LoggedIn, service: TheService, body: Body) -> Response:
    """Set the language of the pages."""
    wanted = body.get("language")
    if wanted not in LANGUAGES:
        raise RequestRefused(422, "no_language", field="language")
    response = Response(status_code=204, headers={"hx-refresh": "true"})
    _set_cookie(response, service.settings, LANGUAGE_COOKIE, wanted, seconds=_YEAR)
    return response


@router.post("/api/leave")
def leave(request: Request, session: LoggedIn, service: TheService) -> Response:
    """Log out; the link stays valid."""
    if secret := secret_of(request, service):
        end_session(service.project, secret)
    response = Response(status_code=204, headers={"hx-redirect": "/"})
    _set_cookie(response, service.settings, service.settings.cookie, "", seconds=0)
    return response


def _set_cookie(response: Response, settings: WebSettings, name: str, value: str, *, seconds: int) -> None:
    # not strict, with which a link in an email would open a page without login
    response.set_cookie(name, value, max_age=seconds, secure=settings.secure, httponly=True, samesite="lax")
