"""The admin pages: progress, live agreement, participants and the export."""

from collections.abc import AsyncIterator, Iterator
from itertools import chain, islice

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from saiten.annotation.export import export_lines
from saiten.annotation.records import Login, Participant
from saiten.annotation.store.annotations import annotated_items
from saiten.annotation.store.people import SERVER_ADMIN, all_people, create_person, renew_token, set_active
from saiten.annotation.store.progress import annotator_progress, item_counts
from saiten.annotation.web.bodies import Body, RequestRefused, field
from saiten.annotation.web.guards import Admin, Service, TheService
from saiten.annotation.web.pages import aspect_names, language_of, render
from saiten.errors import BadInput
from saiten.words import in_language

router = APIRouter()

_LINES_AT_ONCE = 64


@router.get("/admin")
def overview(request: Request, service: TheService, session: Admin) -> Response:
    """Show the progress; the page polls itself, and loads the agreement afterwards."""
    return render(
        "admin",
        request,
        session=session,
        counts=item_counts(service.project),
        progress=annotator_progress(service.project),
        settings=service.project.settings,
        asked=service.form.texts(language_of(request))["title"],
    )


@router.get("/admin/agreement")
def agreement(request: Request, service: TheService, session: Admin) -> Response:
    """Return the rows of the agreement table, in the language of the page."""
    language = language_of(request)
    return render(
        "admin_agreement",
        request,
        session=session,
        figures=service.agreement.figures(),
        names=aspect_names(service.form, language),
        in_words=lambda message: in_language(message, language),
    )


@router.get("/admin/export.jsonl")
def export(service: TheService, session: Admin) -> Response:
    """Return all labels as JSON lines; an error before the first line fails the whole response."""
    lines = export_lines(service.form, annotated_items(service.project))
    first = list(islice(lines, 1))
    return StreamingResponse(
        _in_chunks(chain(first, lines)),
        media_type="application/x-ndjson",
        headers={"content-disposition": 'attachment; filename="labels.jsonl"'},
    )


@router.get("/admin/people")
def people(request: Request, service: TheService, session: Admin) -> Response:
    """Show all participants, and a form to add one."""
    return _people_page(request, service, session)


@router.post("/api/admin/people")
def add_person(request: Request, service: TheService, session: Admin, body: Body) -> Response:
    """Add a participant; the page shows their link this once."""
    name, role = field(body, "name", str, "no_name"), body.get("role", "annotator")
    if role not in ("annotator", "admin"):
        raise RequestRefused(422, "no_role", field="role")
    try:
        person, token = create_person(service.project, name, role)
    except BadInput:
        taken = any(each.name.casefold() == name.strip().casefold() for each in all_people(service.project))
        raise RequestRefused(422, "name_taken" if taken else "name_unfit", field="name") from None
    return _people_page(request, service, session, made=(person.name, service.settings.link(token)), status=201)


@router.post("/api/admin/people/{identity:int}/link")
def new_link(identity: int, request: Request, service: TheService, session: Admin) -> Response:
    """Replace a person's link; the old one and their sessions end."""
    person = _person(identity, service)
    link = service.settings.link(renew_token(service.project, person.id))
    return _people_page(request, service, session, made=(person.name, link))


@router.put("/api/admin/people/{identity:int}")
def change_access(identity: int, request: Request, service: TheService, session: Admin, body: Body) -> Response:
    """Lock a person out, or let them in again."""
    active = field(body, "active", bool, "no_active")
    person = _person(identity, service)
    if person.id == session.person.id and not active:
        raise RequestRefused(422, "not_yourself", field="active")
    set_active(service.project, person.id, active=active)
    return _people_page(request, service, session)


def _people_page(
    request: Request, service: Service, session: Login, *, made: tuple[str, str] | None = None, status: int = 200
) -> Response:
    """Render the page; `made` is the name and link of a new or renewed participant."""
    return render(
        "admin_people",
        request,
        session=session,
        status=status,
        people=all_people(service.project),
        the_admin=SERVER_ADMIN,
        made=made,
    )


def _person(identity: int, service: Service) -> Participant:
    found = next((person for person in all_people(service.project) if person.id == identity), None)
    if found is None:
        raise RequestRefused(404, "no_person")
    return found


async def _in_chunks(lines: Iterator[bytes]) -> AsyncIterator[bytes]:
    while chunk := await run_in_threadpool(lambda: b"".join(islice(lines, _LINES_AT_ONCE))):
        yield chunk
