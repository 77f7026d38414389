"""Payloads in words for the admin pages: one row per grade, mark or order."""

from collections.abc import Iterator
from typing import Any

from saiten.annotation.forms import Form
from saiten.annotation.forms.gist import ASPECTS
from saiten.annotation.records import Json

Row = tuple[str, str]
"""Aspect (empty if there is only one) and value."""


def payload_rows(form: Form, content: Json, payload: Json) -> list[Row]:
    """Return the rows; payloads of unknown forms are shown field by field."""
    return list(_ROWS.get(form.title, _plain)(content, payload))


def _grade(content: Json, payload: Json) -> Iterator[Row]:
    yield "", str(payload["grade"])


def _correct(content: Json, payload: Json) -> Iterator[Row]:
    yield "", "○" if payload["correct"] else "×"


def _aspects(content: Json, payload: Json) -> Iterator[Row]:
    for aspect, grade in payload["grades"].items():
        yield aspect, str(grade)


def _gist(content: Json, payload: Json) -> Iterator[Row]:
    for name in ASPECTS:
        spans = payload["spans"].get(name, ())
        text: Any = content["answer"] if name.startswith("extra") else content["reference"]
        if not spans:
            yield name, "–"
        for start, end in spans:
            yield name, f"{text[start:end]} ({start}-{end})"


def _preference(content: Json, payload: Json) -> Iterator[Row]:
    letter = {answer["key"]: _letter(place) for place, answer in enumerate(content["answers"])}
    yield "", " > ".join(" = ".join(sorted(letter[key] for key in group)) for group in payload["order"])
    if payload["none_good"]:
        yield "none_good", "○"
    grades = {letter[key]: of for key, of in payload.get("grades", {}).items()}
    for aspect in next(iter(grades.values()), {}):
        yield aspect, " · ".join(f"{name} {grades[name][aspect]}" for name in sorted(grades))


def answers_in_brief(content: Json, most: int) -> list[Row]:
    """Return the beginning of each answer with its letter on the page; a single answer has no letter."""
    if "answers" not in content:
        return [("", in_brief(content.get("answer", ""), most))]
    answers = content["answers"]
    return [(_letter(place), in_brief(each["text"], most // len(answers))) for place, each in enumerate(answers)]


def in_brief(text: Any, most: int) -> str:
    """Return the first `most` characters on one line."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else f"{line[:most]}…"


def _letter(place: int) -> str:
    """Return an answer's letter on the page: A, B and so on."""
    return chr(ord("A") + place)


def _plain(content: Json, payload: Json) -> Iterator[Row]:
    for name, value in payload.items():
        if name != "reason":
            yield name, str(value)


_ROWS = {"grade": _grade, "correct": _correct, "aspects": _aspects, "gist": _gist, "preference": _preference}
