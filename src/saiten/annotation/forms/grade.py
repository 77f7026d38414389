"""The forms with one value per answer: `grade` and `correct` (spec 01)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from saiten.annotation.forms.form import Form, InvalidPayload, labels_by_aspect
from saiten.annotation.records import Json
from saiten.records import Label, Language


@dataclass(frozen=True)
class _ValueForm(Form):
    """Payload: the value, under the form's title, and the reason."""

    aspect: ClassVar[str]
    choices: ClassVar[tuple[int, ...]]
    """In the order shown."""

    def checked(self, content: Json, payload: Json) -> Json:
        value = payload[self.title]
        if isinstance(value, bool) != isinstance(self.choices[0], bool) or value not in self.choices:
            raise InvalidPayload(self.title, lowest=min(self.choices), highest=max(self.choices))
        return {self.title: type(self.choices[0])(value)}

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        yield Label(key, float(payload[self.title]), aspect=self.aspect)

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        label = labels_by_aspect(labels, [self.aspect]).get(self.aspect)
        if label is None or label.value not in self.choices:
            return None
        return {self.title: type(self.choices[0])(label.value), "reason": ""}

    def rows(self, content: Json, payload: Json) -> Iterator[tuple[str, str]]:
        value = payload[self.title]
        yield "", ("○" if value else "×") if isinstance(value, bool) else str(value)

    def values(self, payload: Json) -> Json:
        return {self.aspect: payload[self.title]}

    def texts(self, language: Language) -> Mapping[str, object]:
        words = self.words(language)
        grades = [{"value": value, "text": words[f"grade_{value}".lower()]} for value in self.choices]
        return {**super().texts(language), "grades": grades}


@dataclass(frozen=True)
class GradeForm(_ValueForm):
    """0 to 5 against the reference, as the judge of `correctness` grades (spec 01, section 1)."""

    title = "grade"
    aspect = "correctness"
    choices = (5, 4, 3, 2, 1, 0)

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        return super().payload_of(content, [replace(label, value=float(round(label.value))) for label in labels])


@dataclass(frozen=True)
class CorrectForm(_ValueForm):
    """True or false against the reference, as people judged in the papers (spec 01, section 2)."""

    title = "correct"
    aspect = "correct"
    choices = (True, False)
