"""Adjudication: the admin's list of items on which annotators disagree, and decisions about them."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from saiten.annotation.forms import Form
from saiten.annotation.forms.preference import letter_of
from saiten.annotation.records import AnnotatedItem, Json
from saiten.annotation.store.annotations import annotated_item, annotated_items, decide
from saiten.annotation.store.progress import item_counts
from saiten.annotation.web.bodies import Body, RequestRefused, checked_payload, field, json_reply
from saiten.annotation.web.guards import Admin, Service, TheService
from saiten.annotation.web.pages import aspect_names, in_brief, language_of, render
from saiten.words import in_language, section

router = APIRouter()

_PER_PAGE = 50
_LARGEST_ID = 2**31 - 1
_LONGEST_NOTE = 10_000
"""Characters of a decision's note."""
_LONGEST_QUESTION = 160
"""Characters in the list."""
_LONGEST_ANSWERS = 320
"""Characters in the list, all answers to one question together."""


@router.get("/admin/differences")
def list_differences(
    request: Request, service: TheService, session: Admin, page: Annotated[int, Query(ge=1, le=999_999)] = 1
) -> Response:
    """Show the items on which annotators disagree, undecided ones first."""
    first = (page - 1) * _PER_PAGE
    numbers: dict[bool, list[int]] = {False: [], True: []}  # by whether there is a decision
    for each in _differing(service):
        numbers[each.decision is not None].append(each.item.id)
    total, decided = sum(map(len, numbers.values())), len(numbers[True])
    chosen = [*numbers[False], *numbers[True]][first : first + _PER_PAGE]
    counts = item_counts(service.project)
    return render(
        "admin_differences",
        request,
        session=session,
        names=aspect_names(service.form, language_of(request)),
        reads=service.form.reads,
        items=[_item(number, service) for number in chosen],
        question=lambda each: in_brief(each.item.content.get("question", ""), _LONGEST_QUESTION),
        answers=lambda each: _answers(each.item.content),
        aspects=lambda each: _differences(each, service.form),
        counts={
            "there": total,
            "decided": decided,
            "finished": counts.finished,
            "unfinished": counts.total - counts.finished,
        },
        page=page,
        pages=max(1, -(-total // _PER_PAGE)),
    )


@router.get("/admin/differences/next")
def next_difference(
    service: TheService, session: Admin, after: Annotated[int, Query(ge=1, le=_LARGEST_ID)] = 1
) -> Response:
    """Redirect to the next undecided item after `after`, else to the first, else to the list."""
    first = 0
    for each in _differing(service):
        if each.decision is None:
            first = first or each.item.id
            if each.item.id > after:
                return RedirectResponse(f"/admin/items/{each.item.id}", 303)
    return RedirectResponse(f"/admin/items/{first}" if first else "/admin/differences", 303)


@router.get("/admin/items/{identity:int}")
def one_item(identity: int, request: Request, service: TheService, session: Admin) -> Response:
    """Show all annotations of one item side by side, and the form for the decision."""
    found = _item(identity, service)
    form, language, content = service.form, language_of(request), found.item.content
    payloads = [annotation.payload for _, annotation in found.annotations]
    marked = {str(place): payload for place, payload in enumerate(payloads)}
    if found.decision is not None:
        marked["decision"] = found.decision.payload
    if found.prelabel is not None:
        marked["prelabel"] = found.prelabel[1]
    return render(
        "admin_item",
        request,
        session=session,
        names=aspect_names(form, language),
        found=found,
        in_words=lambda payload: [(name, in_language(text, language)) for name, text in form.rows(content, payload)],
        missing=max(0, found.item.needed - len(payloads)),
        differs=_differences(found, form),
        data={
            "form": form.title,
            "item": found.item.id,
            "annotations": [{"payload": payload} for payload in payloads],
            "marked": marked,
            "decision": found.decision and found.decision.payload,
            "content": content,
            "texts": form.texts(language),
            "language": language,
            "words": section("annotation_page", language),
        },
    )


@router.put("/api/admin/items/{identity:int}/decision")
def store_decision(identity: int, service: TheService, session: Admin, body: Body) -> Response:
    """Store a decision; the annotations do not change."""
    found = _item(identity, service)
    note = field(body, "note", str, "no_note", default="")
    if len(note) > _LONGEST_NOTE:
        raise RequestRefused(422, "no_note", field="note")
    note = note.strip()
    payload = field(body, "payload", dict, "not_json")
    if not payload.get("reason"):
        payload = {**payload, "reason": note}  # the form may require a reason; a decision's is its note
    checked = checked_payload(service.form, found.item.content, payload)
    decide(service.project, identity, checked, note, admin=session.person.id)
    return json_reply({"item": identity})


def _differing(service: Service) -> Iterator[AnnotatedItem]:
    return (each for each in annotated_items(service.project) if _differences(each, service.form))


def _differences(found: AnnotatedItem, form: Form) -> tuple[str, ...]:
    """Return the aspects that differ; none of an unfinished item, since others still decide freely."""
    payloads = [annotation.payload for _, annotation in found.annotations]
    return form.differences(payloads) if found.is_finished and len(payloads) > 1 else ()


def _answers(content: Json) -> list[tuple[str, str]]:
    """Return the beginning of each answer with its letter on the page; a single answer has no letter."""
    if "answers" not in content:
        text = content.get("answer", content.get("reference", ""))  # a test set has no answers
        return [("", in_brief(text, _LONGEST_ANSWERS))]
    texts = [answer["text"] for answer in content["answers"]]
    return [(letter_of(place), in_brief(text, _LONGEST_ANSWERS // len(texts))) for place, text in enumerate(texts)]


def _item(identity: int, service: Service) -> AnnotatedItem:
    found = annotated_item(service.project, identity) if 0 < identity <= _LARGEST_ID else None
    if found is None:
        raise RequestRefused(404, "no_item")
    return found
