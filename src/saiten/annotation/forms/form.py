"""The interface of a form: items from samples, validation of payloads, labels from payloads."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from saiten.annotation.records import Json, NewItem
from saiten.annotation.words import words
from saiten.records import Label, Language, Sample


class InvalidPayload(ValueError):
    """An error that an annotator can correct, with its message in both languages (`wrong` in the catalogue).

    A payload that the pages never send is a plain ValueError in English.
    """

    def __init__(self, key: str, **values: Any) -> None:
        """`key`: of the message; `values` fill its gaps, functions are called with the language."""
        self.key = key
        self.values = values
        super().__init__(self.message("en"))

    def message(self, language: Language) -> str:
        """Return the message."""
        text: str = words("wrong", language)[self.key]
        return text.format(**{name: each(language) if callable(each) else each for name, each in self.values.items()})


@dataclass(frozen=True)
class Form(ABC):
    """One kind of annotation task, independent of database and page.

    An annotation is a JSON object, the *payload*. Offsets in it count code points.
    """

    title: ClassVar[str]
    """Value of --form."""
    reason_required: bool = False
    """Whether annotators must give a reason."""

    shared: ClassVar[str | None] = None
    """Content field that part of the payload is about: for an item with the same field, that part is carried over."""

    @classmethod
    @abstractmethod
    def from_options(cls, options: Json) -> Self:
        """Build the form from the options a project stores; the inverse of `options`."""

    @property
    @abstractmethod
    def options(self) -> Json:
        """Everything needed to rebuild an equal form, with the text of rubrics instead of paths."""

    @abstractmethod
    def items(self, samples: Iterable[Sample]) -> Iterator[NewItem]:
        """Build the items to annotate; streams, unless the form groups samples.

        Raises:
            BadInput: a sample lacks a field that the form needs; the message names both.
        """

    @abstractmethod
    def check(self, content: Json, payload: Json) -> Json:
        """Validate a payload against the item and return its normal form.

        Raises:
            ValueError: something is missing or wrong; the message is shown to the annotator.
        """

    @abstractmethod
    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        """Convert a payload to labels without annotator; `key` is the item's."""

    @abstractmethod
    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        """Convert labels (a judge's pre-labels) to a payload; None if they are incomplete."""

    def carried_over(self, payload: Json) -> Json | None:
        """Return the part of a payload about the shared field, for another item with the same field; None if empty."""
        return None

    @abstractmethod
    def differences(self, payloads: Sequence[Json]) -> tuple[str, ...]:
        """Return the aspects on which annotators differ; empty if they agree. Reasons are ignored."""

    def aspect_titles(self, language: Language) -> Mapping[str, str]:
        """Return titles of aspects, as far as the form has its own."""
        return {}

    @abstractmethod
    def texts(self, language: Language) -> Mapping[str, object]:
        """Return the form's texts on the page: title, instructions, grades and their meanings."""
