"""Refused requests: one exception, shown in the reader's language as JSON or as a page."""

from collections.abc import Mapping

from saiten.annotation.forms.form import InvalidPayload
from saiten.records import Language
from saiten.words import section


class RequestRefused(Exception):
    """A refused request."""

    def __init__(
        self, status: int, why: str | ValueError, *, field: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        """`why`: a key of the section `annotation_server`, or a form's error; `field`: the field at fault."""
        super().__init__(why)
        self.status = status
        self.why = why
        self.field = field
        self.headers = dict(headers or {})

    def message(self, language: Language) -> str:
        """Return the message."""
        if isinstance(self.why, InvalidPayload):
            return self.why.message(language)
        return section("annotation_server", language).get(str(self.why), str(self.why))
