"""The form `aspects`: a grade on each aspect of a rubric, the paper's four by default (spec 06)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Self

from pydantic import TypeAdapter

from saiten.annotation.forms.form import Form, InvalidPayload, differing, labels_by_aspect
from saiten.annotation.records import Json
from saiten.metrics.rubrics import Aspect, Rubric, read_rubric
from saiten.records import Label, Language
from saiten.words import section


@dataclass(frozen=True)
class AspectsForm(Form):
    """Payload: `{"grades": {"formality": 0, …}, "reason": "…"}`, every aspect of the rubric graded."""

    title = "aspects"

    rubric: Rubric = field(default_factory=read_rubric)

    @classmethod
    def from_options(cls, options: Json) -> Self:
        rubric = rubric_of(options["rubric"]) if "rubric" in options else read_rubric()
        return cls(reason_required=bool(options.get("reason_required", False)), rubric=rubric)

    @property
    def options(self) -> Json:
        return {**super().options, "rubric": plain_rubric(self.rubric)}

    @property
    def fields(self) -> tuple[str, ...]:
        return ("grades",)

    def checked(self, content: Json, payload: Json) -> Json:
        return {"grades": checked_grades(self.rubric, payload["grades"])}

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        for aspect, grade in payload["grades"].items():
            yield Label(key, float(grade), aspect=aspect)

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        grades = grades_of(self.rubric, labels)
        return None if grades is None else {"grades": grades, "reason": ""}

    def rows(self, content: Json, payload: Json) -> Iterator[tuple[str, str]]:
        for aspect, grade in payload["grades"].items():
            yield aspect, str(grade)

    def differences(self, payloads: Sequence[Json]) -> tuple[str, ...]:
        return tuple(
            aspect
            for name in self.rubric.names
            for aspect in differing(name, [payload["grades"][name] for payload in payloads])
        )

    def aspect_titles(self, language: Language) -> Mapping[str, str]:
        return titles(self.rubric, language)

    def texts(self, language: Language) -> Mapping[str, object]:
        return {**super().texts(language), "aspects": shown_aspects(self.rubric, language)}


def checked_grades(rubric: Rubric, grades: Any) -> Json:
    """Validate a grade per aspect, in the rubric's order; raises ValueError."""
    if not isinstance(grades, Mapping):
        raise ValueError("`grades` must name each aspect and its grade")  # noqa: TRY004 - shown on the page
    if unknown := grades.keys() - set(rubric.names):
        raise ValueError(f"{min(unknown)!r} is no aspect; there are {', '.join(rubric.names)}")
    for aspect in rubric.aspects:
        grade = grades.get(aspect.name)
        if isinstance(grade, bool) or grade not in aspect.values:
            raise InvalidPayload("aspect", name=partial(_title, aspect))
    return {name: int(grades[name]) for name in rubric.names}


def grades_of(rubric: Rubric, labels: Sequence[Label]) -> Json | None:
    """Convert labels to the grades of one answer; None if an aspect has none."""
    said = labels_by_aspect(labels, rubric.names)
    grades = {name: round(said[name].value) for name in rubric.names if name in said}
    return grades if all(grades.get(aspect.name) in aspect.values for aspect in rubric.aspects) else None


def titles(rubric: Rubric, language: Language) -> dict[str, str]:
    """Map aspects to titles."""
    return {aspect.name: _title(aspect, language) for aspect in rubric.aspects}


def shown_aspects(rubric: Rubric, language: Language) -> list[Json]:
    """Return the aspects as shown on the page."""
    return [_shown(aspect, language) for aspect in rubric.aspects]


def _shown(aspect: Aspect, language: Language) -> Json:
    """Return name, title, question, and the grades with their meanings as far as the rubric has them."""
    worded = aspect.worded(language)
    meanings = dict(line.split(": ", 1) for line in worded.grades.splitlines() if ": " in line)
    grades = [{"value": value, "text": meanings.get(str(value), "")} for value in aspect.values]
    title = _title(aspect, language)
    return {"name": aspect.name, "title": title, "asks": worded.asks, "best": aspect.best, "grades": grades}


def _title(aspect: Aspect, language: Language) -> str:
    """Return the rubric's own title, else the catalogue's, else the name."""
    worded = aspect.texts.get(language)
    return (worded and worded.title) or section("aspect", language).get(aspect.name, aspect.name)


def plain_rubric(rubric: Rubric) -> Json:
    """Convert a rubric to what a project stores: all but the worked examples, which are for judges."""
    return asdict(
        rubric,
        dict_factory=lambda fields: {
            name: value for name, value in fields if name != "example" and (value or name != "title")
        },
    )


def rubric_of(plain: Json) -> Rubric:
    """Rebuild a rubric from `plain_rubric`."""
    return TypeAdapter(Rubric).validate_python(plain)
