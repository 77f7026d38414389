"""The form `correct`: true or false against the reference, as people judged in the papers (spec 01, section 2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from saiten.annotation.forms.form import InvalidPayload
from saiten.annotation.forms.showing import SingleAnswer, differing, labels_by_aspect, reason_of, require_fields
from saiten.annotation.records import Json
from saiten.records import Label

ASPECT = "correct"


@dataclass(frozen=True)
class CorrectForm(SingleAnswer):
    """Payload: `{"correct": true, "reason": "…"}`."""

    title = "correct"

    def check(self, content: Json, payload: Json) -> Json:
        require_fields(payload, "correct")
        if not isinstance(payload["correct"], bool):
            raise InvalidPayload("correct")
        return {"correct": payload["correct"], "reason": reason_of(payload, required=self.reason_required)}

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        yield Label(key, float(payload["correct"]), aspect=ASPECT)

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        label = labels_by_aspect(labels, [ASPECT]).get(ASPECT)
        if label is None or label.value not in {0.0, 1.0}:
            return None
        return {"correct": label.value == 1.0, "reason": ""}

    def differences(self, payloads: Sequence[Json]) -> tuple[str, ...]:
        return differing(ASPECT, [payload["correct"] for payload in payloads])
