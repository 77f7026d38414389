"""Routes of the annotators' pages: items, saving, skipping and undoing.

Items are numbered per annotator, so that no number leads to somebody else's item.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from saiten.annotation.records import Assigned, Json, Login
from saiten.annotation.store.assigned import assigned_item, assigned_items, earlier_item
from saiten.annotation.store.assignment import expected_share, next_item
from saiten.annotation.store.progress import answered_count
from saiten.annotation.store.saving import save_annotation, skip_item, undo_last
from saiten.annotation.web.blinding import person_key, shown_content
from saiten.annotation.web.bodies import (
    json_object,
    json_reply,
    nothing,
    payload_of,
    save_id_of,
    seconds_of,
    unclear_of,
)
from saiten.annotation.web.guards import Annotator, LoggedIn, TheService
from saiten.annotation.web.pages import language_of
from saiten.annotation.web.payload_text import in_brief
from saiten.annotation.web.refusals import RequestRefused
from saiten.annotation.web.service import Service
from saiten.annotation.words import words
from saiten.records import Language

router = APIRouter()

Body = Annotated[Json, Depends(json_object)]

_LARGEST_NUMBER = 2**31 - 1
_MOST_AHEAD = 5
"""Open items per annotator."""
_FIRST_WORDS = 80
"""Characters."""


@router.get("/")
def grade(request: Request, service: TheService, session: LoggedIn) -> Response:
    """Show the grading page."""
    if session.person.role == "admin":
        return RedirectResponse("/admin", 303)
    data = _page_data(service, session, language_of(request))
    return service.pages.render("grade.html", request, session=session, kind="grade", data=data)


@router.get("/mine")
def mine(request: Request, service: TheService, session: Annotator) -> Response:
    """List the annotator's items, newest first."""
    items = [_listed(each) for each in assigned_items(service.project, session.person.id)]
    data = _page_data(service, session, language_of(request))
    return service.pages.render(
        "mine.html", request, session=session, kind="mine", data={**data, "texts": {}}, items=items[::-1]
    )


@router.get("/api/items/next")
def following_item(request: Request, service: TheService, session: Annotator) -> Response:
    """Return the next item, or 204 if none is left; `except` lists numbers the page already has."""
    without = _numbers(request.query_params.get("except", ""))
    assigned = next_item(service.project, session.person.id)
    while assigned is not None and assigned.number in without:
        assigned = next_item(service.project, session.person.id, after=assigned.number)
    return nothing() if assigned is None else json_reply(_shown(assigned, service, session))


@router.get("/api/items/{number:int}")
def one_item(number: int, service: TheService, session: Annotator) -> Response:
    """Return one of the annotator's items."""
    return json_reply(_shown(_own(number, service, session), service, session))


@router.get("/api/items/{number:int}/earlier")
def earlier(number: int, service: TheService, session: Annotator) -> Response:
    """Return the part of the annotator's earlier annotation that applies to this item too, or 204."""
    _own(number, service, session)
    if service.form.shared is None:
        return nothing()
    found = earlier_item(service.project, session.person.id, number, service.form.shared)
    said = None if found is None or found.annotation is None else service.form.carried_over(found.annotation.payload)
    return nothing() if found is None or said is None else json_reply({"number": found.number, "payload": said})


@router.put("/api/items/{number:int}")
def save(number: int, service: TheService, session: Annotator, body: Body) -> Response:
    """Store an annotation."""
    own = _own(number, service, session)
    save_id, unclear, seconds = save_id_of(body), unclear_of(body), seconds_of(body)
    try:
        payload = service.form.check(own.item.content, payload_of(body))
    except ValueError as error:
        raise RequestRefused(422, error, field="payload") from None
    saved = save_annotation(
        service.project, session.person.id, number, payload, save_id=save_id, unclear=unclear, seconds=seconds
    )
    return json_reply({"revision": saved.revision, "again": saved.again})


@router.post("/api/items/{number:int}/skip")
def skip(number: int, service: TheService, session: Annotator, body: Body) -> Response:
    """Skip an item, so that somebody else gets it."""
    _own(number, service, session)
    saved = skip_item(service.project, session.person.id, number, save_id=save_id_of(body))
    return json_reply({"revision": saved.revision, "again": saved.again})


@router.post("/api/undo")
def undo(service: TheService, session: Annotator, body: Body) -> Response:
    """Undo the latest save or skip; 204 if there is nothing to undo."""
    assigned = undo_last(service.project, session.person.id, save_id=save_id_of(body))
    return nothing() if assigned is None else json_reply({"number": assigned.number})


def _own(number: int, service: Service, session: Login) -> Assigned:
    assigned = assigned_item(service.project, session.person.id, number) if 0 < number <= _LARGEST_NUMBER else None
    if assigned is None:
        raise RequestRefused(404, "no_number")
    return assigned


def _shown(assigned: Assigned, service: Service, session: Login) -> dict[str, Any]:
    """Return everything the page may know about an item."""
    answered = assigned.annotation
    return {
        "number": assigned.number,
        "state": assigned.state,
        "content": shown_content(assigned, session.person, service.project.settings.seed),
        "answered": None
        if answered is None
        else {"payload": answered.payload, "revision": answered.revision, "unclear": answered.unclear},
        "prelabel": assigned.prelabel if service.project.settings.prelabels == "shown" else None,
        "progress": _progress(service, session),
    }


def _progress(service: Service, session: Login) -> dict[str, int]:
    person = session.person.id
    return {"done": answered_count(service.project, person), "total_for_me": expected_share(service.project, person)}


def _listed(assigned: Assigned) -> dict[str, Any]:
    answered = assigned.annotation
    return {
        "number": assigned.number,
        "words": in_brief(assigned.item.content.get("question", ""), _FIRST_WORDS),
        "state": assigned.state,
        "unclear": answered is not None and answered.unclear,
        "saved_at": None if answered is None else answered.saved_at.isoformat(),
    }


def _page_data(service: Service, session: Login, language: Language) -> Mapping[str, Any]:
    """Return the data the page's script starts with."""
    return {
        "language": language,
        "words": words("page", language),
        "csrf": session.csrf,
        "person": {"name": session.person.name, "key": person_key(service.project.identity, session.person)},
        "form": service.form.title,
        "texts": service.form.texts(language),
        "shared": service.form.shared,
        "reason_required": service.form.reason_required,
        "prelabels": service.project.settings.prelabels,
    }


def _numbers(text: str) -> tuple[int, ...]:
    parts = [part for part in text.split(",") if part]
    if len(parts) > _MOST_AHEAD or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise RequestRefused(400, "bad_request", field="except")
    return tuple(map(int, parts))
