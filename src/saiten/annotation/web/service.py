"""The objects that every request works with."""

from dataclasses import dataclass

from starlette.requests import Request

from saiten.annotation.forms import Form
from saiten.annotation.live_agreement import LiveAgreement
from saiten.annotation.store.project import Project
from saiten.annotation.web.limits import WrongJoins
from saiten.annotation.web.names import Phrases
from saiten.annotation.web.pages import Pages
from saiten.annotation.web.settings import WebSettings


@dataclass(frozen=True)
class Service:
    """One served project."""

    project: Project
    form: Form
    settings: WebSettings
    pages: Pages
    wrong_joins: WrongJoins
    agreement: LiveAgreement
    phrases: Phrases
    """Japanese of figures and remarks."""


async def service_of(request: Request) -> Service:
    """Return the application's service. A coroutine, since FastAPI runs plain functions in a thread."""
    service: Service = request.app.state.service
    return service
