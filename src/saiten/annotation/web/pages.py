"""HTML pages: auto-escaped templates in the reader's language."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from saiten.annotation.records import Login
from saiten.annotation.words import words
from saiten.records import Language
from saiten.version import __version__

LANGUAGE_COOKIE = "saiten-language"
LANGUAGES: tuple[Language, ...] = ("en", "ja")
_WISH = re.compile(r"([a-zA-Z]{1,8})(?:-[\w-]{1,32})?(?:;q=([01](?:\.\d{0,3})?))?")
_MOST_WISHES = 20


@cache
def templates() -> Environment:
    """Return the template environment."""
    return Environment(
        loader=PackageLoader("saiten.annotation.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@dataclass(frozen=True)
class Pages:
    """Renders pages; `always` are values passed to every template."""

    always: Mapping[str, Any]

    def render(
        self, name: str, request: Request, *, session: Login | None = None, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """Render a template.

        Every template gets `language`, `words` (of the annotators' pages), `say` (of the server and the admin's pages),
        `version`, `person` and `csrf` (None and empty where nobody is logged in), and `always`.
        """
        language = language_of(request)
        text = (
            templates()
            .get_template(name)
            .render(
                **self.always,
                language=language,
                words=words("page", language),
                say={**words("server", language), **words("admin", language)},
                version=__version__,
                person=session.person if session else None,
                csrf=session.csrf if session else "",
                **values,
            )
        )
        # A lone surrogate cannot be encoded; a question mark can.
        return HTMLResponse(text.encode("utf-8", "replace"), status, {"vary": "accept-language, cookie"})


def language_of(request: Request) -> Language:
    """Return the chosen language, else the browser's, else English."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    return next((each for each in LANGUAGES if each == chosen), None) or wished(
        request.headers.get("accept-language", "")
    )


def wished(header: str) -> Language:
    """Return the supported language that an Accept-Language header prefers; else English."""
    best: tuple[float, Language] = (0.0, "en")
    for wish in header.split(",")[:_MOST_WISHES]:
        found = _WISH.fullmatch(wish.replace(" ", ""))
        language = next((each for each in LANGUAGES if found and each == found[1].lower()), None)
        weight = float(found[2] or 1.0) if found else 0.0
        if language is not None and weight > best[0]:
            best = (weight, language)
    return best[1]
