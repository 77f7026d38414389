"""The form `aspects`: a grade on each aspect of a rubric, the paper's four by default (spec 06)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from saiten.annotation.forms.form import InvalidPayload
from saiten.annotation.forms.showing import SingleAnswer, differing, labels_by_aspect, reason_of, require_fields
from saiten.annotation.records import Json
from saiten.annotation.words import words
from saiten.metrics.rubrics import Aspect, Rubric, read_rubric
from saiten.metrics.rubrics.rubric import Worded
from saiten.records import Label, Language


@dataclass(frozen=True)
class AspectsForm(SingleAnswer):
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

    def check(self, content: Json, payload: Json) -> Json:
        require_fields(payload, "grades")
        return {
            "grades": checked_grades(self.rubric, payload["grades"]),
            "reason": reason_of(payload, required=self.reason_required),
        }

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        for aspect, grade in payload["grades"].items():
            yield Label(key, float(grade), aspect=aspect)

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        grades = grades_of(self.rubric, labels)
        return None if grades is None else {"grades": grades, "reason": ""}

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
    return (worded and worded.title) or words("axes", language).get(aspect.name, aspect.name)


def plain_rubric(rubric: Rubric) -> Json:
    """Convert a rubric to the form stored in a project; the inverse of `rubric_of`."""
    return {
        "name": rubric.name,
        "overall": rubric.overall,
        "digest": rubric.digest,
        "aspects": [
            {
                "name": aspect.name,
                "best": aspect.best,
                "values": list(aspect.values),
                "texts": {each: _worded(text) for each, text in aspect.texts.items()},
            }
            for aspect in rubric.aspects
        ],
    }


def _worded(text: Worded) -> Json:
    return {"asks": text.asks, "grades": text.grades} | ({"title": text.title} if text.title else {})


def rubric_of(plain: Json) -> Rubric:
    """Rebuild a rubric, without its worked examples, which are for judges."""

    def aspect(found: Mapping[str, Any]) -> Aspect:
        texts: dict[Language, Worded] = {each: Worded(**text) for each, text in found["texts"].items()}
        return Aspect(found["name"], found["best"], tuple(found["values"]), texts)

    return Rubric(plain["name"], tuple(map(aspect, plain["aspects"])), plain["overall"], plain["digest"])
