"""The session cookie: set when somebody logs in by their link, read with every request."""

from starlette.requests import Request
from starlette.responses import Response

from saiten.annotation.records import Login
from saiten.annotation.store.sessions import find_session
from saiten.annotation.web.service import Service

_DAYS = 30
_LONGEST_SECRET = 200
"""Characters; longer secrets are not looked up."""


def give_cookie(response: Response, secret: str, service: Service) -> None:
    """Set the cookie, out of reach of scripts."""
    settings = service.settings
    response.set_cookie(
        settings.cookie,
        secret,
        max_age=_DAYS * 86_400,
        path="/",
        secure=settings.secure,
        httponly=True,
        samesite="lax",  # not strict, with which a link in an email would open a page without login
    )


def take_cookie(response: Response, service: Service) -> None:
    """Delete the cookie."""
    settings = service.settings
    response.delete_cookie(settings.cookie, path="/", secure=settings.secure, httponly=True, samesite="lax")


def secret_of(request: Request, service: Service) -> str | None:
    """Return the cookie's secret."""
    secret = request.cookies.get(service.settings.cookie)
    return secret if secret and len(secret) <= _LONGEST_SECRET and secret.isascii() else None


def session_of(request: Request, service: Service) -> Login | None:
    """Return the login; None if nobody is logged in, or no longer may be."""
    secret = secret_of(request, service)
    session = find_session(service.project, secret) if secret else None
    return session if session and session.person.active else None
