"""The form `grade`: 0 to 5 against the reference, as the judge of `correctness` grades (spec 01, section 1)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from saiten.annotation.forms.form import InvalidPayload
from saiten.annotation.forms.showing import SingleAnswer, differing, labels_by_aspect, reason_of, require_fields
from saiten.annotation.records import Json
from saiten.records import Label

ASPECT = "correctness"
GRADES = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True)
class GradeForm(SingleAnswer):
    """Payload: `{"grade": 0 … 5, "reason": "…"}`."""

    title = "grade"

    def check(self, content: Json, payload: Json) -> Json:
        require_fields(payload, "grade")
        grade = payload["grade"]
        if isinstance(grade, bool) or grade not in GRADES:
            raise InvalidPayload("grade", lowest=GRADES[0], highest=GRADES[-1])
        return {"grade": int(grade), "reason": reason_of(payload, required=self.reason_required)}

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        yield Label(key, float(payload["grade"]), aspect=ASPECT)

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        label = labels_by_aspect(labels, [ASPECT]).get(ASPECT)
        if label is None or round(label.value) not in GRADES:
            return None
        return {"grade": round(label.value), "reason": ""}

    def differences(self, payloads: Sequence[Json]) -> tuple[str, ...]:
        return differing(ASPECT, [payload["grade"] for payload in payloads])
