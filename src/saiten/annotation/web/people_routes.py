"""The admin's people: making them, their links, letting them in or not."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from saiten.annotation.records import Json, Participant
from saiten.annotation.store.people import SERVER_ADMIN, all_people, create_person, renew_token, set_active
from saiten.annotation.web.bodies import json_object
from saiten.annotation.web.guards import Admin, TheService
from saiten.annotation.web.refusals import Refused
from saiten.annotation.web.replies import json_reply
from saiten.annotation.web.service import Service
from saiten.errors import BadInput

router = APIRouter()

Body = Annotated[Json, Depends(json_object)]


@router.get("/admin/people")
def people(request: Request, service: TheService, session: Admin) -> Response:
    """Everybody, and a form for one more."""
    return service.pages.render(
        "admin_people.html",
        request,
        session=session,
        kind="admin",
        people=all_people(service.project),
        the_admin=SERVER_ADMIN,
    )


@router.post("/api/admin/people")
def add_person(service: TheService, session: Admin, body: Body) -> Response:
    """One more person; the link is told this once."""
    name, role = body.get("name"), body.get("role", "annotator")
    if not isinstance(name, str):
        raise Refused(422, "no_name", field="name")
    if role not in ("annotator", "admin"):
        raise Refused(422, "no_role", field="role")
    try:
        person, token = create_person(service.project, name, role)
    except BadInput:
        taken = any(each.name.casefold() == name.strip().casefold() for each in all_people(service.project))
        raise Refused(422, "name_taken" if taken else "name_unfit", field="name") from None
    return json_reply({"person": _shown(person), "link": service.settings.link(token)}, 201)


@router.post("/api/admin/people/{identity:int}/link")
def new_link(identity: int, service: TheService, session: Admin) -> Response:
    """A new link; the former one, and whoever is logged in by it, is out."""
    person = _person(identity, service)
    return json_reply(
        {"person": _shown(person), "link": service.settings.link(renew_token(service.project, person.id))}
    )


@router.put("/api/admin/people/{identity:int}")
def change_access(identity: int, service: TheService, session: Admin, body: Body) -> Response:
    """Let somebody in, or no more."""
    active: Any = body.get("active")
    if not isinstance(active, bool):
        raise Refused(422, "no_active", field="active")
    person = _person(identity, service)
    if person.id == session.person.id and not active:
        raise Refused(422, "not_yourself", field="active")
    set_active(service.project, person.id, active=active)
    return json_reply({"person": _shown(_person(identity, service))})


def _person(identity: int, service: Service) -> Participant:
    found = next((person for person in all_people(service.project) if person.id == identity), None)
    if found is None:
        raise Refused(404, "no_person")
    return found


def _shown(person: Participant) -> dict[str, Any]:
    return {"id": person.id, "name": person.name, "role": person.role, "active": person.active}
