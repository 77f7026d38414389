"""What an admin sees: how far everybody is, how far they agree, where they differ, and all of it as a file."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from itertools import chain, islice
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from saiten.annotation.export import export_lines
from saiten.annotation.records import Json, Progress
from saiten.annotation.store.annotated import annotated_items
from saiten.annotation.store.progress import annotator_progress, item_counts
from saiten.annotation.web.bodies import json_object
from saiten.annotation.web.guards import Admin, TheService
from saiten.annotation.web.names import aspect_names, named, no_phrases
from saiten.annotation.web.pages import language_of
from saiten.annotation.web.replies import json_reply
from saiten.annotation.web.service import Service

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
        settings=service.project.settings,
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


@router.get("/admin/export.jsonl")
def export(service: TheService, session: Admin) -> Response:
    """All labels as JSON lines; what fails before the first of them fails as a whole."""
    lines = export_lines(service.form, annotated_items(service.project))
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
    counts = item_counts(service.project)
    return {
        "items": {"total": counts.total, "finished": counts.finished, "untouched": counts.untouched},
        "people": [_of_person(each) for each in annotator_progress(service.project)],
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
