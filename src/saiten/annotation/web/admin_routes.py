"""What an admin sees: how far everybody is, how far they agree, where they differ, and all of it as a file."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from itertools import chain, islice
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from saiten.annotation.differences import differences, is_finished
from saiten.annotation.export import export_lines
from saiten.annotation.forms import Form
from saiten.annotation.records import Json, Progress, Settled
from saiten.annotation.web.bodies import json_object
from saiten.annotation.web.guards import Admin, TheService
from saiten.annotation.web.names import aspect_names, named, no_phrases
from saiten.annotation.web.pages import language_of
from saiten.annotation.web.refusals import Refused
from saiten.annotation.web.replies import json_reply
from saiten.annotation.web.said import answers_in_brief, in_brief, said_in_words
from saiten.annotation.web.saves import note_of, payload_of
from saiten.annotation.web.service import Service
from saiten.annotation.web.words import words_of

router = APIRouter()

Body = Annotated[Json, Depends(json_object)]

_A_PAGE = 50
"""Items of the list of differences."""
_LARGEST_ID = 2**31 - 1
_LINES_AT_ONCE = 64
_LONGEST_QUESTION = 160
"""Characters that stand in a list."""
_LONGEST_ANSWERS = 320
"""Of all answers to one question together."""


@router.get("/admin")
def overview(request: Request, service: TheService, session: Admin) -> Response:
    """How far everybody is; the page asks for the agreement itself."""
    return service.pages.render(
        "admin.html",
        request,
        session=session,
        kind="admin",
        progress=_progress(service),
        settings=service.store.settings,
        asked=service.form.texts(language_of(request))["title"],
    )


@router.get("/admin/progress.json")
def progress(service: TheService, session: Admin) -> Response:
    """How far everybody is."""
    return json_reply(_progress(service))


@router.get("/admin/agreement.json")
def agreement(request: Request, service: TheService, session: Admin) -> Response:
    """How far annotators agree so far, in the words of the page."""
    language = language_of(request)
    names, phrases = aspect_names(service.form, language), service.phrases if language == "ja" else no_phrases
    return json_reply([asdict(named(figure, names, phrases)) for figure in service.agreement.figures()])


@router.get("/admin/differences")
def differing(request: Request, service: TheService, session: Admin) -> Response:
    """The items on which annotators differ, those without a decision first."""
    page = _page(request.query_params.get("page", "1"))
    first = (page - 1) * _A_PAGE
    numbers: dict[bool, list[int]] = {False: [], True: []}  # by whether there is a decision
    for each in differences(service.form, service.store.settled()):
        numbers[each.settled.decision is not None].append(each.settled.item.id)
    there, decided = sum(map(len, numbers.values())), len(numbers[True])
    chosen = [*numbers[False], *numbers[True]][first : first + _A_PAGE]
    kept = [_listed(_settled(number, service), service.form) for number in chosen]
    items = service.store.item_counts()
    return service.pages.render(
        "admin_differences.html",
        request,
        session=session,
        kind="admin",
        names=aspect_names(service.form, language_of(request)),
        items=kept,
        counts={
            "there": there,
            "decided": decided,
            "finished": items.finished,
            "unfinished": items.total - items.finished,
        },
        page=page,
        pages=max(1, -(-there // _A_PAGE)),
    )


@router.get("/admin/differences/next")
def next_difference(request: Request, service: TheService, session: Admin) -> Response:
    """To the next item to decide about, from the one after `after` on and then from the first; else to the list."""
    after = _page(request.query_params.get("after", "1"), digits=10)
    first = 0
    for each in differences(service.form, service.store.settled()):
        if each.settled.decision is None:
            identity = each.settled.item.id
            first = first or identity
            if identity > after:
                return RedirectResponse(f"/admin/items/{identity}", 303)
    return RedirectResponse(f"/admin/items/{first}" if first else "/admin/differences", 303)


@router.get("/admin/items/{identity:int}")
def one_item(identity: int, request: Request, service: TheService, session: Admin) -> Response:
    """All that was said about one item, side by side, and the form of the decision."""
    settled = _settled(identity, service)
    form, language = service.form, language_of(request)
    content = settled.item.content
    said = [
        {
            "name": person.name,
            "rows": said_in_words(form, content, answered.payload),
            "reason": answered.payload.get("reason", ""),
            "unclear": answered.unclear,
            "saved_at": answered.saved_at.isoformat(timespec="minutes"),
            "payload": answered.payload,
        }
        for person, answered in settled.said
    ]
    decision = settled.decision
    beforehand = settled.prelabel
    finished = is_finished(settled)
    return service.pages.render(
        "admin_item.html",
        request,
        session=session,
        kind="admin",
        names=aspect_names(form, language),
        item=settled.item,
        said=said,
        missing=max(0, settled.item.needed - len(settled.said)),
        differs=form.differences([each["payload"] for each in said]) if finished and len(said) > 1 else (),
        decision=None
        if decision is None
        else {
            "rows": said_in_words(form, content, decision.payload),
            "reason": decision.payload.get("reason", ""),
            "note": decision.note,
            "by": decision.by,
            "decided_at": decision.decided_at.isoformat(timespec="minutes"),
            "payload": decision.payload,
        },
        prelabel=None
        if beforehand is None
        else {"by": beforehand[0], "rows": said_in_words(form, content, beforehand[1]), "shown": beforehand[2]},
        data={
            "form": form.title,
            "item": settled.item.id,
            "said": [{"payload": each["payload"]} for each in said],
            "marked": {
                **{str(place): each["payload"] for place, each in enumerate(said)},
                **({} if decision is None else {"decision": decision.payload}),
                **({} if beforehand is None else {"prelabel": beforehand[1]}),
            },
            "decision": None if decision is None else decision.payload,
            "content": content,
            "texts": form.texts(language),
            "language": language,
            "words": words_of("words", language),
        },
    )


@router.put("/api/admin/items/{identity:int}/decision")
def decide(identity: int, service: TheService, session: Admin, body: Body) -> Response:
    """Keep a third decision; what annotators said stays as it is."""
    settled = _settled(identity, service)
    note = note_of(body)
    payload = dict(payload_of(body))
    if not payload.get("reason"):
        payload["reason"] = note  # a form may require a reason; a decision's is its note
    try:
        checked = service.form.check(settled.item.content, payload)
    except ValueError as error:
        raise Refused(422, error, field="payload") from None
    service.store.decide(identity, checked, note, session.person.id)
    return json_reply({"item": identity})


@router.get("/admin/export.jsonl")
def export(service: TheService, session: Admin) -> Response:
    """All labels as JSON lines; what fails before the first of them fails as a whole."""
    lines = export_lines(service.form, service.store.settled())
    first = list(islice(lines, 1))
    return StreamingResponse(
        _in_pieces(chain(first, lines)),
        media_type="application/x-ndjson",
        headers={"content-disposition": 'attachment; filename="labels.jsonl"'},
    )


async def _in_pieces(lines: Iterator[bytes]) -> AsyncIterator[bytes]:
    while piece := await run_in_threadpool(lambda: b"".join(islice(lines, _LINES_AT_ONCE))):
        yield piece


def _progress(service: Service) -> dict[str, Any]:
    counts = service.store.item_counts()
    return {
        "items": {"total": counts.total, "finished": counts.finished, "untouched": counts.untouched},
        "people": [_of_person(each) for each in service.store.progress()],
    }


def _of_person(progress: Progress) -> dict[str, Any]:
    last = progress.last_saved
    return {
        "id": progress.person.id,
        "name": progress.person.name,
        "active": progress.person.active,
        "done": progress.done,
        "skipped": progress.skipped,
        "unclear": progress.unclear,
        "given": progress.given,
        "last_saved": None if last is None else last.isoformat(timespec="seconds"),
    }


def _listed(settled: Settled, form: Form) -> dict[str, Any]:
    content = settled.item.content
    return {
        "id": settled.item.id,
        "question": in_brief(content.get("question", ""), _LONGEST_QUESTION),
        "answers": answers_in_brief(content, _LONGEST_ANSWERS),
        "aspects": form.differences([answered.payload for _, answered in settled.said]),
        "people": [person.name for person, _ in settled.said],
        "unclear": any(answered.unclear for _, answered in settled.said),
        "decided": settled.decision is not None,
    }


def _settled(identity: int, service: Service) -> Settled:
    settled = service.store.item_settled(identity) if 0 < identity <= _LARGEST_ID else None
    if settled is None:
        raise Refused(404, "no_item")
    return settled


def _page(text: str, *, digits: int = 6) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= digits and int(text)):
        raise Refused(400, "bad_request", field="page")
    return int(text)
