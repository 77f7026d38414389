"""The form `aspects`: a grade on each aspect of a rubric, the paper's four by default (spec 06)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from saiten.annotation.forms.showing import SingleAnswer, differing, fields, reason_of, said_of
from saiten.annotation.forms.words import words
from saiten.annotation.forms.wrong import Wrong
from saiten.annotation.records import Json
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
        rubric = _rubric(options["rubric"]) if "rubric" in options else read_rubric()
        return cls(reason_required=bool(options.get("reason_required", False)), rubric=rubric)

    @property
    def options(self) -> Json:
        return {**super().options, "rubric": _plain(self.rubric)}

    def check(self, content: Json, payload: Json) -> Json:
        fields(payload, "grades")
        grades = payload["grades"]
        if not isinstance(grades, Mapping):
            raise ValueError("`grades` must name each aspect and its grade")  # noqa: TRY004 - told on the page
        if unknown := grades.keys() - set(self.rubric.names):
            raise ValueError(f"{min(unknown)!r} is no aspect; there are {', '.join(self.rubric.names)}")
        for aspect in self.rubric.aspects:
            grade = grades.get(aspect.name)
            if isinstance(grade, bool) or grade not in aspect.values:
                raise Wrong("aspect", name=partial(_title, aspect))
        return {
            "grades": {name: int(grades[name]) for name in self.rubric.names},
            "reason": reason_of(payload, required=self.reason_required),
        }

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        for aspect, grade in payload["grades"].items():
            yield Label(key, float(grade), aspect=aspect)

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        said = said_of(labels, self.rubric.names)
        grades = {name: round(said[name].value) for name in self.rubric.names if name in said}
        if any(grades.get(aspect.name) not in aspect.values for aspect in self.rubric.aspects):
            return None
        return {"grades": grades, "reason": ""}

    def differences(self, payloads: Sequence[Json]) -> tuple[str, ...]:
        return tuple(
            aspect
            for name in self.rubric.names
            for aspect in differing(name, [payload["grades"][name] for payload in payloads])
        )

    def aspect_titles(self, language: Language) -> Mapping[str, str]:
        return {aspect.name: _title(aspect, language) for aspect in self.rubric.aspects}

    def texts(self, language: Language) -> Mapping[str, object]:
        return {**super().texts(language), "aspects": [_shown(aspect, language) for aspect in self.rubric.aspects]}


def _shown(aspect: Aspect, language: Language) -> Json:
    """Name, title, question, and the grades that can be given, with what each means where the rubric says so."""
    worded = aspect.worded(language)
    meanings = dict(line.split(": ", 1) for line in worded.grades.splitlines() if ": " in line)
    grades = [{"value": value, "text": meanings.get(str(value), "")} for value in aspect.values]
    title = _title(aspect, language)
    return {"name": aspect.name, "title": title, "asks": worded.asks, "best": aspect.best, "grades": grades}


def _title(aspect: Aspect, language: Language) -> str:
    """The rubric's own, else ours of this name, else the name."""
    worded = aspect.texts.get(language)
    return (worded and worded.title) or words("axes", language).get(aspect.name, aspect.name)


def _plain(rubric: Rubric) -> Json:
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


def _rubric(plain: Json) -> Rubric:
    """The rubric without its worked examples, which are for judges."""

    def aspect(found: Mapping[str, Any]) -> Aspect:
        texts: dict[Language, Worded] = {each: Worded(**text) for each, text in found["texts"].items()}
        return Aspect(found["name"], found["best"], tuple(found["values"]), texts)

    return Rubric(plain["name"], tuple(map(aspect, plain["aspects"])), plain["overall"], plain["digest"])
