"""What is not done, and why: one exception, told in the reader's language as JSON or as a page."""

from collections.abc import Mapping

from saiten.annotation.forms.wrong import Wrong
from saiten.annotation.web.words import words_of
from saiten.records import Language

RETRY_AFTER = "5"
"""Seconds after which a page sends again what the database could not take."""


class Refused(Exception):
    """A request is refused with a sentence."""

    def __init__(
        self, status: int, why: str | ValueError, *, field: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        """`why`: a key of the server's words, or what a form refused; `field`: of the request, if it is about one."""
        super().__init__(why)
        self.status = status
        self.why = why
        self.field = field
        self.headers = dict(headers or {})

    def told(self, language: Language) -> str:
        """The sentence."""
        if isinstance(self.why, Wrong):
            return self.why.told(language)
        return words_of("server_words", language).get(str(self.why), str(self.why))


def why_of(status: int) -> str:
    """The key of the sentence for a bare status."""
    known = {401: "session_over", 403: "forbidden", 404: "not_found", 405: "not_found", 413: "too_big", 503: "away"}
    return known.get(status, "failed" if status >= 500 else "bad_request")
