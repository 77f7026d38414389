"""The form `preference`: answers to one question ordered, ties allowed, or the best picked (spec 06).

'None is good, but if I must choose' is recorded separately from the order. With a rubric, each answer is also graded on
its aspects.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Self

from saiten.annotation.forms.aspects import RubricForm
from saiten.annotation.forms.form import InvalidPayload, Row, content_of, sample_of
from saiten.annotation.records import Json, NewItem
from saiten.errors import BadInput
from saiten.records import Label, Language, Sample, Turn
from saiten.trust.inputs.outputs import VERSUS
from saiten.trust.inputs.picks import ASPECT, GOOD

_MOST = 20
"""Answers to one question."""


@dataclass(frozen=True)
class PreferenceForm(RubricForm):
    """Payload: `{"order": [["a2"], ["a1", "a3"]], "none_good": false, "reason": "…"}`, the best first.

    A pick is an order of one answer, which says nothing about the others. With a rubric there is also
    `"grades": {"a1": {"formality": 0, …}, …}`.
    """

    title = "preference"

    contexts: bool = True
    """Whether contexts are shown; False for projects created by older versions."""
    pick: bool = False
    """Whether only the best answer is asked for."""

    def __post_init__(self) -> None:
        taken = {ASPECT, GOOD}.intersection(self.rubric.names if self.rubric else ())
        if taken:
            raise BadInput(f"the rubric has an aspect {min(taken)!r}, which labels of preferences have; rename it")

    @classmethod
    def from_options(cls, options: Json) -> Self:
        return super().from_options({"contexts": False, **options})

    @property
    def options(self) -> Json:
        chosen = {"contexts": self.contexts, "pick": self.pick}
        return {**super().options, **{name: value for name, value in chosen.items() if value}}

    def items(self, rows: Iterable[Row]) -> Iterator[NewItem]:
        """Build one item per question with two or more answers; others are skipped."""
        questions: dict[tuple[str, tuple[Turn, ...]], list[Sample]] = {}
        for sample in map(sample_of, rows):
            content_of(sample)  # raises BadInput without an answer
            questions.setdefault((sample.question, sample.history), []).append(sample)
        compared = {question: answers for question, answers in questions.items() if len(answers) > 1}
        if not compared:
            raise BadInput(
                f"none of the {len(questions)} questions has two answers, so there is nothing to compare; "
                "give the answers of several systems, with the same question word for word"
            )
        for (question, _), answers in compared.items():
            if len(answers) > _MOST:
                raise BadInput(
                    f"the question {question[:60]!r} has {len(answers)} answers; at most {_MOST} are compared"
                )
            content = {
                name: value for name, value in content_of(answers[0]).items() if name not in {"answer", "contexts"}
            }
            # Numbered pseudo-randomly, so that a number does not identify a system across questions.
            drawn = sorted(answers, key=lambda sample: hashlib.sha256(f"{question}\0{sample.id}".encode()).digest())
            key_of = {sample.id: f"a{number}" for number, sample in enumerate(drawn, 1)}
            content["answers"] = [{"key": key_of[sample.id], "text": sample.answer} for sample in drawn]
            content["ids"] = {key_of[sample.id]: sample.id for sample in answers}
            content["filed"] = [key_of[sample.id] for sample in answers]
            # The union over systems, since a context's owner would identify systems.
            if self.contexts and (found := dict.fromkeys(each for one in drawn for each in one.contexts or ())):
                content["contexts"] = list(found)
            yield NewItem(VERSUS.join(sample.id for sample in answers), content)

    @property
    def fields(self) -> tuple[str, ...]:
        return ("order", "none_good", *(("grades",) if self.rubric else ()))

    def checked(self, content: Json, payload: Json) -> Json:
        order, none_good = payload["order"], payload["none_good"]
        if not isinstance(none_good, bool):
            raise ValueError("`none_good` must be true or false")  # noqa: TRY004 - shown on the page
        if not _is_order(order):
            raise InvalidPayload("order")
        named = [key for group in order for key in group]
        if self.pick and (len(named) != 1 or named[0] not in content["ids"]):
            raise InvalidPayload("pick")
        if not self.pick and sorted(named) != sorted(content["ids"]):
            raise InvalidPayload("every_answer")
        grades = {} if self.rubric is None else {"grades": self._grades_each(content, payload["grades"])}
        return {"order": [sorted(group) for group in order], "none_good": none_good, **grades}

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        ids = {answer: content["ids"][answer] for answer in content["filed"]}  # pairs in the order of the file
        place = _places(payload["order"])
        last = len(ids)  # the answers behind a pick are not compared with each other
        for first, second in combinations(ids, 2):
            one, other = place.get(first, last), place.get(second, last)
            if not one == other == last:
                value = float((one > other) - (one < other))
                yield Label(f"{ids[first]}{VERSUS}{ids[second]}", value, aspect=ASPECT)
        judged = ids if payload["none_good"] else payload["order"][0]
        for answer in judged:
            yield Label(ids[answer], float(not payload["none_good"]), aspect=GOOD)
        for answer, grades in payload.get("grades", {}).items():
            yield from (Label(ids[answer], float(grade), aspect=aspect) for aspect, grade in grades.items())

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        """Convert pairwise preferences to an order or pick, with the grades of each answer.

        None if one is missing or the preferences are cyclic.
        """
        ids: Mapping[str, str] = content["ids"]
        values = _values(ids, {label.item: label.value for label in labels if label.aspect in {ASPECT, ""}})
        order = _picked(ids, values) if self.pick else _ordered(ids, values)
        if order is None:
            return None
        payload = {"order": order, "none_good": False, "reason": ""}
        if self.rubric is None:
            return payload
        grades = {key: self.grades_of([each for each in labels if each.item == name]) for key, name in ids.items()}
        return None if None in grades.values() else {**payload, "grades": grades}

    def rows(self, content: Json, payload: Json) -> Iterator[tuple[str, str]]:
        letter = {answer["key"]: letter_of(place) for place, answer in enumerate(content["answers"])}
        yield "", " > ".join(" = ".join(sorted(letter[key] for key in group)) for group in payload["order"])
        if payload["none_good"]:
            yield "none_good", "○"
        grades = {letter[key]: of for key, of in payload.get("grades", {}).items()}
        for aspect in next(iter(grades.values()), {}):
            yield aspect, " · ".join(f"{name} {grades[name][aspect]}" for name in sorted(grades))

    def values(self, payload: Json) -> Json:
        grades = payload.get("grades", {})
        by_aspect = {each.name: {key: of[each.name] for key, of in grades.items()} for each in self.aspects}
        return {ASPECT: payload["order"], "none_good": payload["none_good"], **by_aspect}

    def texts(self, language: Language) -> Mapping[str, object]:
        words = self.words(language)
        found = {**super().texts(language), "none_good": words["none_good"], "pick": self.pick}
        if self.pick:
            found |= {"title": words["pick_title"], "instructions": words["pick_instructions"]}
        if self.rubric is not None:
            between = "" if language == "ja" else " "
            found["instructions"] = f"{words['graded_instructions']}{between}{found['instructions']}"
        return found

    def _grades_each(self, content: Json, grades: Any) -> Json:
        """Validate the grades of each answer; raises ValueError."""
        if not isinstance(grades, Mapping) or grades.keys() - set(content["ids"]):
            raise ValueError("`grades` must name each answer and its grades")
        return {key: self.checked_grades(grades.get(key, {})) for key in sorted(content["ids"])}


def letter_of(place: int) -> str:
    """Return an answer's letter on the page: A, B and so on."""
    return chr(ord("A") + place)


def _values(ids: Mapping[str, str], said: Mapping[str, float]) -> dict[tuple[str, str], int]:
    """Return -1, 0 or 1 for each pair of answers with a label."""
    values: dict[tuple[str, str], int] = {}
    for one, other in combinations(ids, 2):
        there, back = f"{ids[one]}{VERSUS}{ids[other]}", f"{ids[other]}{VERSUS}{ids[one]}"
        if there in said or back in said:
            value = said[there] if there in said else -said[back]
            values[one, other] = (value > 0) - (value < 0)
    return values


def _picked(ids: Mapping[str, str], values: Mapping[tuple[str, str], int]) -> list[list[str]] | None:
    """Return the answer that beats all others."""
    won = Counter(one if value < 0 else other for (one, other), value in values.items() if value)
    best = [key for key in ids if won[key] == len(ids) - 1]
    return [best] if best else None


def _ordered(ids: Mapping[str, str], values: Mapping[tuple[str, str], int]) -> list[list[str]] | None:
    """Return all answers, best first."""
    if len(values) < comb(len(ids), 2):
        return None
    worse = {key: sum(v if key == pair[0] else -v for pair, v in values.items() if key in pair) for key in ids}
    order = [[key for key in ids if worse[key] == rank] for rank in sorted(set(worse.values()))]
    place = _places(order)
    if any(value != (place[a] > place[b]) - (place[a] < place[b]) for (a, b), value in values.items()):
        return None
    return order


def _is_order(order: Any) -> bool:
    return isinstance(order, list) and all(
        isinstance(group, list) and group and all(isinstance(key, str) for key in group) for group in order
    )


def _places(order: Sequence[Sequence[str]]) -> dict[str, int]:
    return {key: place for place, group in enumerate(order) for key in group}
