"""Access control: every route depends on one of these guards; a test tries each route in each role."""

import hmac
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from threading import Lock
from typing import Annotated, Any

from fastapi import Depends
from starlette.requests import Request

from saiten.annotation.forms import Form
from saiten.annotation.live_agreement import LiveAgreement
from saiten.annotation.records import Login, Role
from saiten.annotation.store.people import find_session
from saiten.annotation.store.project import Project
from saiten.annotation.web.bodies import RequestRefused
from saiten.annotation.web.settings import WebSettings

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_MINUTE = 60.0
_MOST_ADDRESSES = 10_000
"""Addresses remembered; the least recent is forgotten first."""


class WrongJoins:
    """Counts recent wrong links per address; one per server."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`most`: wrong links per minute."""
        self._most = most
        self._clock = clock
        self._tried: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._lock = Lock()

    def too_many(self, address: str) -> bool:
        """Return whether the address has to wait."""
        with self._lock:
            since, tried = self._tried.get(network_of(address), (0.0, 0))
            return tried >= self._most and self._clock() - since < _MINUTE

    def count(self, address: str) -> None:
        """Count a wrong link."""
        network, now = network_of(address), self._clock()
        with self._lock:
            since, tried = self._tried.pop(network, (now, 0))
            self._tried[network] = (since, tried + 1) if now - since < _MINUTE else (now, 1)
            while len(self._tried) > _MOST_ADDRESSES:
                self._tried.popitem(last=False)


def network_of(address: str) -> str:
    """Return the network of an address: for IPv6 the first half, since a connection can use any second half."""
    try:
        found = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found)


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
    if request.method not in _SAFE:  # scripts cannot forge the Origin header
        origin = service.settings.origin_of(request.headers.get("host", ""))
        token = request.headers.get("x-csrf", "").encode("utf-8", "replace")
        own_page = request.headers.get("origin", "").lower() == origin
        if not (own_page and hmac.compare_digest(token, session.csrf.encode())):
            raise RequestRefused(403, "forged")
    return session


LoggedIn = Annotated[Login, Depends(logged_in)]


def _require(role: Role) -> Any:
    async def check(session: LoggedIn) -> Login:
        if session.person.role != role:
            raise RequestRefused(403, "forbidden")
        return session

    return Depends(check)


Annotator = Annotated[Login, _require("annotator")]
"""Not for admins, who can see others' labels."""
Admin = Annotated[Login, _require("admin")]


def secret_of(request: Request, service: Service) -> str | None:
    """Return the secret of the session's cookie."""
    return request.cookies.get(service.settings.cookie)
