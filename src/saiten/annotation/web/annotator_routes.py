"""Routes of the annotators' pages: items, saving, skipping and undoing.

Items are numbered per annotator, so that no number leads to somebody else's item.
"""

from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from saiten.annotation.records import Assigned, Json, Login
from saiten.annotation.store.annotations import assigned_item, assigned_items, earlier_item
from saiten.annotation.store.assignment import expected_share, next_item
from saiten.annotation.store.progress import answered_count
from saiten.annotation.store.saving import save_annotation, skip_item, undo_last
from saiten.annotation.web.bodies import (
    Body,
    RequestRefused,
    checked_payload,
    field,
    json_reply,
    save_id_of,
    seconds_of,
)
from saiten.annotation.web.guards import Annotator, LoggedIn, Service, TheService
from saiten.annotation.web.pages import in_brief, language_of, render
from saiten.records import Language
from saiten.words import section

router = APIRouter()

_LARGEST_NUMBER = 2**31 - 1
_Numbers = Annotated[str, Query(alias="except", pattern="^,*([0-9]{1,9}(,+|$)){0,5}$")]
"""Up to five numbers, with commas between them: as many as an annotator has open items."""
_FIRST_WORDS = 80
"""Characters."""
_HIDDEN = frozenset({"ids", "filed", "id", "key", "system", "group"})
"""Fields of an item that identify its system."""


@router.get("/")
def grade(request: Request, service: TheService, session: LoggedIn) -> Response:
    """Show the grading page."""
    if session.person.role == "admin":
        return RedirectResponse("/admin", 303)
    data = _page_data(service, session, language_of(request))
    return render("grade", request, session=session, data=data)


@router.get("/mine")
def mine(request: Request, service: TheService, session: Annotator) -> Response:
    """List the annotator's items, newest first."""
    return render(
        "mine",
        request,
        session=session,
        data={**_page_data(service, session, language_of(request)), "texts": {}},
        items=assigned_items(service.project, session.person.id)[::-1],
        question=lambda item: in_brief(item.content.get("question", ""), _FIRST_WORDS),
    )


@router.get("/api/items/next")
def following_item(service: TheService, session: Annotator, without: _Numbers = "") -> Response:
    """Return the next item, or 204 if none is left; `except` lists numbers the page already has."""
    numbers = {int(number) for number in without.split(",") if number}
    assigned = next_item(service.project, session.person.id)
    while assigned is not None and assigned.number in numbers:
        assigned = next_item(service.project, session.person.id, after=assigned.number)
    return Response(status_code=204) if assigned is None else json_reply(_shown(assigned, service, session))


@router.get("/api/items/{number:int}")
def one_item(number: int, service: TheService, session: Annotator) -> Response:
    """Return one of the annotator's items."""
    return json_reply(_shown(_own(number, service, session), service, session))


@router.get("/api/items/{number:int}/earlier")
def earlier(number: int, service: TheService, session: Annotator) -> Response:
    """Return the part of the annotator's earlier annotation that applies to this item too, or 204."""
    _own(number, service, session)
    form = service.form
    found = earlier_item(service.project, session.person.id, number, form.shared) if form.shared else None
    if found and found.annotation and (payload := form.carried_over(found.annotation.payload)):
        return json_reply({"number": found.number, "payload": payload})
    return Response(status_code=204)


@router.put("/api/items/{number:int}")
def save(number: int, service: TheService, session: Annotator, body: Body) -> Response:
    """Store an annotation."""
    own = _own(number, service, session)
    save_id, unclear = save_id_of(body), field(body, "unclear", bool, "no_flag", default=False)
    seconds = seconds_of(body)
    payload = checked_payload(service.form, own.item.content, field(body, "payload", dict, "not_json"))
    saved = save_annotation(
        service.project, session.person.id, number, payload, save_id=save_id, unclear=unclear, seconds=seconds
    )
    return json_reply(asdict(saved))


@router.post("/api/items/{number:int}/skip")
def skip(number: int, service: TheService, session: Annotator, body: Body) -> Response:
    """Skip an item, so that somebody else gets it."""
    _own(number, service, session)
    return json_reply(asdict(skip_item(service.project, session.person.id, number, save_id=save_id_of(body))))


@router.post("/api/undo")
def undo(service: TheService, session: Annotator, body: Body) -> Response:
    """Undo the latest save or skip; 204 if there is nothing to undo."""
    assigned = undo_last(service.project, session.person.id, save_id=save_id_of(body))
    return Response(status_code=204) if assigned is None else json_reply({"number": assigned.number})


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
        "content": _shown_content(assigned, session.person.id, service.project.settings.seed),
        "answered": None
        if answered is None
        else {"payload": answered.payload, "revision": answered.revision, "unclear": answered.unclear},
        "prelabel": assigned.prelabel,
        "progress": {
            "done": answered_count(service.project, session.person.id),
            "total_for_me": expected_share(service.project, session.person.id),
        },
    }


def _shown_content(assigned: Assigned, person: int, seed: int) -> Json:
    """Return the content without ids and system names, with the answers in this annotator's order."""
    content = {name: value for name, value in assigned.item.content.items() if name not in _HIDDEN}
    if isinstance(content.get("answers"), list):
        content["answers"] = sorted(
            ({"key": answer["key"], "text": answer["text"]} for answer in content["answers"]),
            key=lambda answer: _drawn(seed, person, assigned.item.id, answer["key"]),
        )
    return content


def _drawn(*parts: Any) -> bytes:
    """Return a reproducible pseudo-random sort key."""
    return sha256(repr(parts).encode()).digest()


def _page_data(service: Service, session: Login, language: Language) -> Mapping[str, Any]:
    """Return the data the page's script starts with; `key` identifies project and person in the browser's drafts."""
    key = _drawn(service.project.identity, session.person.id).hex()[:16]
    return {
        "language": language,
        "words": section("annotation_page", language),
        "csrf": session.csrf,
        "person": {"name": session.person.name, "key": key},
        "form": service.form.title,
        "texts": service.form.texts(language),
        "shared": service.form.shared,
        "prelabels": service.project.settings.prelabels,
    }
