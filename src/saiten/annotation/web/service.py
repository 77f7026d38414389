"""What every request works with."""

from dataclasses import dataclass

from starlette.requests import Request

from saiten.annotation.forms import Form
from saiten.annotation.store import Store
from saiten.annotation.web.agreed import AgreementSoFar
from saiten.annotation.web.limits import WrongJoins
from saiten.annotation.web.names import Phrases
from saiten.annotation.web.pages import Pages
from saiten.annotation.web.settings import WebSettings


@dataclass(frozen=True)
class Service:
    """One project, as it is served."""

    store: Store
    form: Form
    settings: WebSettings
    pages: Pages
    wrong_joins: WrongJoins
    agreement: AgreementSoFar
    phrases: Phrases
    """What tables' own words are in Japanese."""


async def service_of(request: Request) -> Service:
    """The service of the application that got this request. A coroutine: a plain function would be run in a thread."""
    service: Service = request.app.state.service
    return service
