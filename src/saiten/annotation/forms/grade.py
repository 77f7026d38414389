"""The form `grade`: 0 to 5 against the reference, as the judge of `correctness` grades (spec 01, section 1)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from saiten.annotation.forms.showing import SingleAnswer, differing, fields, reason_of, said_of
from saiten.annotation.forms.wrong import Wrong
from saiten.annotation.records import Json
from saiten.records import Label

ASPECT = "correctness"
GRADES = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True)
class GradeForm(SingleAnswer):
    """Payload: `{"grade": 0 … 5, "reason": "…"}`."""

    title = "grade"

    def check(self, content: Json, payload: Json) -> Json:
        fields(payload, "grade")
        grade = payload["grade"]
        if isinstance(grade, bool) or grade not in GRADES:
            raise Wrong("grade", lowest=GRADES[0], highest=GRADES[-1])
        return {"grade": int(grade), "reason": reason_of(payload, required=self.reason_required)}

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        yield Label(key, float(payload["grade"]), aspect=ASPECT)

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        label = said_of(labels, [ASPECT]).get(ASPECT)
        if label is None or round(label.value) not in GRADES:
            return None
        return {"grade": round(label.value), "reason": ""}

    def differences(self, payloads: Sequence[Json]) -> tuple[str, ...]:
        return differing(ASPECT, [payload["grade"] for payload in payloads])
