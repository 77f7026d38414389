"""The interface of a form: items from rows, validation of payloads, labels from payloads."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from pydantic import TypeAdapter

from saiten.annotation.records import Json, NewItem
from saiten.errors import BadInput
from saiten.records import Label, Language, Sample
from saiten.testsets.items import SetItem
from saiten.words import Message, in_language, section

Row = Sample | SetItem
"""A row of the data: an answer, or an item of a test set, which is a sample without an answer."""

LONGEST_REASON = 10_000
"""Characters."""


class InvalidPayload(ValueError):
    """An error that an annotator can correct, with its message in both languages (section `annotation_wrong`).

    A payload that the pages never send is a plain ValueError in English.
    """

    def __init__(self, key: str, **values: Any) -> None:
        """`key`: of the message; `values` fill its gaps, functions are called with the language."""
        self.key = key
        self.values = values
        super().__init__(self.message("en"))

    def message(self, language: Language) -> str:
        """Return the message."""
        values = {name: each(language) if callable(each) else each for name, each in self.values.items()}
        return in_language(Message("annotation_wrong", self.key, **values), language)


@dataclass(frozen=True)
class Form(ABC):
    """One kind of annotation task, independent of database and page: by default one item per row.

    An annotation is a JSON object, the *payload*, with an optional `reason`. Offsets in it count code points.
    """

    title: ClassVar[str]
    """Value of --form."""
    shared: ClassVar[str | None] = None
    """Content field that part of the payload is about: for an item with the same field, that part is carried over."""

    reads: ClassVar[Literal["answers", "questions"]] = "answers"
    """What the data has: answers of systems, or questions with references, such as those of a test set."""
    needs: ClassVar[tuple[Literal["answer", "question", "reference"], ...]] = ("answer",)
    """Fields without which a row cannot be annotated."""

    reason_required: bool = False
    """Whether annotators must give a reason."""

    @classmethod
    def from_options(cls, options: Json) -> Self:
        """Build the form from the options a project stores; the inverse of `options`."""
        return TypeAdapter(cls).validate_python(options)

    @property
    def options(self) -> Json:
        """Everything needed to rebuild an equal form, with the text of rubrics instead of paths."""
        return {"reason_required": self.reason_required}

    def items(self, rows: Iterable[Row]) -> Iterator[NewItem]:
        """Build the items to annotate; streams, unless the form groups rows.

        Raises:
            BadInput: a row lacks a field that the form needs; the message names both.
        """
        for sample in map(sample_of, rows):
            yield NewItem(sample.id, content_of(sample))

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of a payload in addition to the reason: by default one, called as the form."""
        return (self.title,)

    def check(self, content: Json, payload: Json) -> Json:
        """Validate a payload against the item and return its normal form.

        Raises:
            ValueError: something is missing or wrong; the message is shown to the annotator.
        """
        for name in self.fields:
            if name not in payload:
                raise ValueError(f"`{name}` is missing")
        if unknown := payload.keys() - {*self.fields, "reason"}:
            raise ValueError(
                f"{min(unknown)!r} is not a field of this form; its fields are {', '.join([*self.fields, 'reason'])}"
            )
        checked = self.checked(content, payload)
        return {**checked, "reason": self._reason(payload.get("reason", ""), required=self.needs_reason(checked))}

    @abstractmethod
    def checked(self, content: Json, payload: Json) -> Json:
        """Validate the payload's fields, all of them present, without the reason; raises ValueError."""

    def needs_reason(self, payload: Json) -> bool:
        """Return whether a payload, checked except for the reason, requires one."""
        return self.reason_required

    @abstractmethod
    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        """Convert a payload to labels without annotator; `key` is the item's."""

    @abstractmethod
    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        """Convert labels (a judge's pre-labels) to a payload; None if they are incomplete."""

    def exported(self, key: str, content: Json, payload: Json) -> Json:
        """Return further fields of each exported row, in addition to those of the label; `key` is the item's."""
        return {}

    @abstractmethod
    def rows(self, content: Json, payload: Json) -> Iterator[tuple[str, str | Message]]:
        """Yield the payload in words for the admin pages: aspect (empty if there is only one) and value."""

    def carried_over(self, payload: Json) -> Json | None:
        """Return the part of a payload about the shared field, for another item with the same field; None if empty."""
        return None

    def differences(self, payloads: Sequence[Json]) -> tuple[str, ...]:
        """Return the aspects on which annotators differ; empty if they agree. Reasons are ignored."""
        first, *others = map(self.values, payloads)
        return tuple(aspect for aspect, value in first.items() if any(other[aspect] != value for other in others))

    @abstractmethod
    def values(self, payload: Json) -> Json:
        """Return what is compared between annotators, by aspect."""

    def aspect_titles(self, language: Language) -> Mapping[str, str]:
        """Return titles of aspects, as far as the form has its own."""
        return {}

    def texts(self, language: Language) -> Mapping[str, object]:
        """Return the form's texts on the page: title, instructions, grades and their meanings."""
        words = self.words(language)
        return {name: words[name] for name in ("title", "instructions")} | {"reason_required": self.reason_required}

    def words(self, language: Language) -> Mapping[str, str]:
        """Return the form's section of the catalog."""
        return section(f"form_{self.title}", language)

    def _reason(self, reason: Any, *, required: bool) -> str:
        if not isinstance(reason, str):
            raise ValueError("`reason` must be a text")  # noqa: TRY004 - shown on the page
        text = reason.replace("\0", "").strip()
        if required and not text:
            raise InvalidPayload("reason_required")
        if len(text) > LONGEST_REASON:
            raise InvalidPayload("reason_long", n=len(text), most=LONGEST_REASON)
        return text


def sample_of(row: Row) -> Sample:
    """Return the row as a sample."""
    return row.sample if isinstance(row, SetItem) else row


def content_of(sample: Sample) -> dict[str, Any]:
    """Return what is shown of a sample, nothing that identifies its system; raises BadInput without an answer."""
    if sample.answer is None:
        raise BadInput(f"sample {sample.id!r} has no answer, and there is nothing to grade; leave it out, or answer it")
    shown: dict[str, Any] = {"answer": sample.answer, "question": sample.question, "language": sample.language}
    if sample.history:
        shown["history"] = [[turn.question, turn.answer] for turn in sample.history]
    if sample.reference is not None:
        shown["reference"] = sample.reference
    if sample.alternatives:
        shown["alternatives"] = list(sample.alternatives)
    if sample.contexts:
        shown["contexts"] = list(sample.contexts)
    return shown


def labels_by_aspect(labels: Iterable[Label], aspects: Sequence[str]) -> dict[str, Label]:
    """Return the last label of each aspect; a nameless aspect belongs to a form with a single one."""
    alone = aspects[0] if len(aspects) == 1 else None
    return {label.aspect or alone or "": label for label in labels if (label.aspect or alone) in aspects}
