"""Content of items, and the common part of forms about single answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from saiten.annotation.forms.form import Form, InvalidPayload
from saiten.annotation.records import Json, NewItem
from saiten.annotation.words import words
from saiten.errors import BadInput
from saiten.records import Label, Language, Sample

LONGEST_REASON = 10_000
"""Characters."""


@dataclass(frozen=True)
class SingleAnswer(Form):
    """A form about one answer: one item per sample, and a written reason."""

    @classmethod
    def from_options(cls, options: Json) -> Self:
        return cls(reason_required=bool(options.get("reason_required", False)))

    @property
    def options(self) -> Json:
        return {"reason_required": self.reason_required}

    def items(self, samples: Iterable[Sample]) -> Iterator[NewItem]:
        for sample in samples:
            yield NewItem(sample.id, content_of(sample))

    def texts(self, language: Language) -> Mapping[str, object]:
        return {**words(self.title, language), "reason_required": self.reason_required}


def content_of(sample: Sample) -> Json:
    """Return question, answer, references, contexts and language: nothing that identifies the system.

    Raises:
        BadInput: there is no answer to grade.
    """
    if sample.answer is None:
        raise BadInput(f"sample {sample.id!r} has no answer, and there is nothing to grade; leave it out, or answer it")
    return {"answer": sample.answer, **asked(sample)}


def asked(sample: Sample) -> dict[str, Any]:
    """Return the fields shown next to the answer, without missing ones."""
    shown: dict[str, Any] = {"question": sample.question, "language": sample.language}
    if sample.reference is not None:
        shown["reference"] = sample.reference
    if sample.alternatives:
        shown["alternatives"] = list(sample.alternatives)
    if sample.contexts:
        shown["contexts"] = list(sample.contexts)
    return shown


def require_fields(payload: Json, *names: str) -> None:
    """Raise ValueError unless the payload has these fields and at most a reason in addition."""
    for name in names:
        if name not in payload:
            raise ValueError(f"`{name}` is missing")
    if unknown := payload.keys() - {*names, "reason"}:
        raise ValueError(f"{min(unknown)!r} is no field of this form; it has {', '.join([*names, 'reason'])}")


def reason_of(payload: Json, *, required: bool) -> str:
    """Validate and strip the reason; raises ValueError."""
    reason = payload.get("reason", "")
    if not isinstance(reason, str):
        raise ValueError("`reason` must be a text")  # noqa: TRY004 - shown on the page
    reason = reason.replace("\0", "").strip()
    if required and not reason:
        raise InvalidPayload("reason_required")
    if len(reason) > LONGEST_REASON:
        raise InvalidPayload("reason_long", n=len(reason), most=LONGEST_REASON)
    return reason


def differing(aspect: str, said: Sequence[Any]) -> tuple[str, ...]:
    """Return the aspect if annotators differ."""
    return (aspect,) if any(one != said[0] for one in said[1:]) else ()


def labels_by_aspect(labels: Iterable[Label], aspects: Sequence[str]) -> dict[str, Label]:
    """Return the last label of each aspect; a nameless aspect belongs to a form with a single one."""
    alone = aspects[0] if len(aspects) == 1 else None
    return {label.aspect or alone or "": label for label in labels if (label.aspect or alone) in aspects}
