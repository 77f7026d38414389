"""Forms with a rubric, and the form `aspects`: a grade on each aspect, the paper's four by default (spec 06)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from saiten.annotation.forms.form import Form, InvalidPayload, labels_by_aspect
from saiten.annotation.records import Json
from saiten.metrics.rubrics import Aspect, Rubric, read_rubric
from saiten.records import Label, Language
from saiten.words import section


@dataclass(frozen=True)
class RubricForm(Form):
    """A form on which answers are graded on the aspects of a rubric."""

    rubric: Rubric | None = None
    """None for no grades."""

    @property
    def options(self) -> Json:
        return {**super().options, **({"rubric": _plain(self.rubric)} if self.rubric else {})}

    @property
    def aspects(self) -> Sequence[Aspect]:
        """The aspects to grade."""
        return self.rubric.aspects if self.rubric else ()

    def aspect_titles(self, language: Language) -> Mapping[str, str]:
        return {aspect.name: _title(aspect, language) for aspect in self.aspects}

    def texts(self, language: Language) -> Mapping[str, object]:
        shown = [_shown(aspect, language) for aspect in self.aspects]
        return {**super().texts(language), **({"aspects": shown} if shown else {})}

    def checked_grades(self, grades: Any) -> Json:
        """Validate a grade per aspect, in the rubric's order; raises ValueError."""
        if not isinstance(grades, Mapping):
            raise ValueError("`grades` must name each aspect and its grade")  # noqa: TRY004 - shown on the page
        names = [aspect.name for aspect in self.aspects]
        if unknown := grades.keys() - set(names):
            raise ValueError(f"{min(unknown)!r} is not an aspect; expected one of {', '.join(names)}")
        for aspect in self.aspects:
            grade = grades.get(aspect.name)
            if isinstance(grade, bool) or grade not in aspect.values:
                raise InvalidPayload("aspect", name=partial(_title, aspect))
        return {name: int(grades[name]) for name in names}

    def grades_of(self, labels: Sequence[Label]) -> Json | None:
        """Convert labels to the grades of one answer; None if an aspect has none."""
        found = labels_by_aspect(labels, [aspect.name for aspect in self.aspects])
        grades = {name: round(label.value) for name, label in found.items()}
        complete = all(grades.get(aspect.name) in aspect.values for aspect in self.aspects)
        return {aspect.name: grades[aspect.name] for aspect in self.aspects} if complete else None


@dataclass(frozen=True)
class AspectsForm(RubricForm):
    """Payload: `{"grades": {"formality": 0, …}, "reason": "…"}`, every aspect of the rubric graded."""

    title = "aspects"

    rubric: Rubric | None = field(default_factory=read_rubric)

    @property
    def fields(self) -> tuple[str, ...]:
        return ("grades",)

    def checked(self, content: Json, payload: Json) -> Json:
        return {"grades": self.checked_grades(payload["grades"])}

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        for aspect, grade in payload["grades"].items():
            yield Label(key, float(grade), aspect=aspect)

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        grades = self.grades_of(labels)
        return None if grades is None else {"grades": grades, "reason": ""}

    def rows(self, content: Json, payload: Json) -> Iterator[tuple[str, str]]:
        for aspect, grade in payload["grades"].items():
            yield aspect, str(grade)

    def values(self, payload: Json) -> Json:
        return {aspect.name: payload["grades"][aspect.name] for aspect in self.aspects}


def _shown(aspect: Aspect, language: Language) -> Json:
    """Return name, title, question, and the grades with their meanings as far as the rubric has them."""
    worded = aspect.worded(language)
    meanings = dict(line.split(": ", 1) for line in worded.grades.splitlines() if ": " in line)
    grades = [{"value": value, "text": meanings.get(str(value), "")} for value in aspect.values]
    title = _title(aspect, language)
    return {"name": aspect.name, "title": title, "asks": worded.asks, "best": aspect.best, "grades": grades}


def _title(aspect: Aspect, language: Language) -> str:
    """Return the rubric's own title, else the catalog's, else the name."""
    worded = aspect.texts.get(language)
    return (worded and worded.title) or section("aspect", language).get(aspect.name, aspect.name)


def _plain(rubric: Rubric) -> Json:
    """Convert a rubric to what a project stores: all but the worked examples, which are for judges."""

    def stored(fields: list[tuple[str, Any]]) -> dict[str, Any]:
        return {
            name: value for name, value in fields if name not in {"example", "ungraded"} and (value or name != "title")
        }

    return asdict(rubric, dict_factory=stored)
