"""HTML pages: auto-escaped templates in the reader's language."""

import re
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from saiten.annotation.forms import Form
from saiten.annotation.live_agreement import ALL_MARKS
from saiten.annotation.records import Login
from saiten.records import Language
from saiten.text.templates import templates
from saiten.words import section

LANGUAGE_COOKIE = "saiten-language"
LANGUAGES: tuple[Language, ...] = ("en", "ja")
_RANGE = re.compile(r"([a-zA-Z]{1,8})(?:-[\w-]{1,32})?(?:;q=([01](?:\.\d{0,3})?))?")
_MOST_RANGES = 20


def render(
    name: str, request: Request, *, session: Login | None = None, status: int = 200, **values: Any
) -> HTMLResponse:
    """Render the template of this name.

    Every template gets its name as `kind`, `language`, `words` (of the annotators' pages), `say` (of the server and the
    admin's pages), and `person` and `csrf` (None and empty if nobody is logged in).
    """
    language = language_of(request)
    template = templates("saiten.annotation.web").get_template(f"{name}.html")
    text = template.render(
        kind=name,
        language=language,
        words=section("annotation_page", language),
        say={**section("annotation_server", language), **section("annotation_admin", language)},
        person=session.person if session else None,
        csrf=session.csrf if session else "",
        **values,
    )
    # A lone surrogate cannot be encoded; a question mark can.
    return HTMLResponse(text.encode("utf-8", "replace"), status, {"vary": "accept-language, cookie"})


def language_of(request: Request) -> Language:
    """Return the chosen language, else the browser's, else English."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    return next((each for each in LANGUAGES if each == chosen), None) or preferred_language(
        request.headers.get("accept-language", "")
    )


def preferred_language(header: str) -> Language:
    """Return the supported language that an Accept-Language header prefers; else English."""
    best: tuple[float, Language] = (0.0, "en")
    for found in map(_RANGE.fullmatch, header.replace(" ", "").split(",")[:_MOST_RANGES]):
        for language in LANGUAGES:
            if found and language == found[1].lower():
                best = max(best, (float(found[2] or 1.0), language), key=lambda each: each[0])
    return best[1]


def aspect_names(form: Form, language: Language) -> Mapping[str, str]:
    """Map aspects to their names: the rubric's title, or the catalog's word; aspects with neither are missing."""
    found = {
        key.removeprefix(prefix): text
        for name, prefix in (("annotation_page", "kind_"), ("annotation_admin", "aspect_"))
        for key, text in section(name, language).items()
        if key.startswith(prefix)
    }
    found[ALL_MARKS] = found.pop("all")
    return {**found, **form.aspect_titles(language)}


def in_brief(text: Any, most: int) -> str:
    """Return the first `most` characters on one line."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else f"{line[:most]}…"
