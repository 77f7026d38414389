"""Refused requests: one exception, shown in the reader's language as JSON or as a page."""

from collections.abc import Mapping

from saiten.annotation.forms.form import InvalidPayload
from saiten.annotation.words import words
from saiten.records import Language

RETRY_AFTER = "5"
"""Seconds after which pages retry while the database is unavailable."""


class RequestRefused(Exception):
    """A refused request."""

    def __init__(
        self, status: int, why: str | ValueError, *, field: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        """`why`: a key of the catalogue's `server` section, or a form's error; `field`: the field at fault."""
        super().__init__(why)
        self.status = status
        self.why = why
        self.field = field
        self.headers = dict(headers or {})

    def message(self, language: Language) -> str:
        """Return the message."""
        if isinstance(self.why, InvalidPayload):
            return self.why.message(language)
        text: str = words("server", language).get(str(self.why), str(self.why))
        return text


def why_of(status: int) -> str:
    """Return the key of the message for a status."""
    known = {401: "session_over", 403: "forbidden", 404: "not_found", 405: "not_found", 413: "too_big", 503: "away"}
    return known.get(status, "failed" if status >= 500 else "bad_request")
