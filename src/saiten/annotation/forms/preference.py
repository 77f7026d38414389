"""The form `preference`: several answers to one question put into order, ties allowed (spec 06).

'None is good, but if I must choose' is a mark of its own beside the order.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from saiten.annotation.forms.showing import SingleAnswer, asked, content_of, fields, reason_of
from saiten.annotation.forms.wrong import Wrong
from saiten.annotation.records import Json, NewItem
from saiten.errors import BadInput
from saiten.meta_evaluation.outputs import VERSUS
from saiten.meta_evaluation.picks import ASPECT
from saiten.records import Label, Sample

GOOD = "good"
"""Labels of single answers: 0 for all where none is good, else 1 for the best."""
_MOST = 20
"""Answers to one question."""


@dataclass(frozen=True)
class PreferenceForm(SingleAnswer):
    """Payload: `{"order": [["a2"], ["a1", "a3"]], "none_good": false, "reason": "…"}`, the best first."""

    title = "preference"

    def items(self, samples: Iterable[Sample]) -> Iterator[NewItem]:
        """One item a question with two answers or more; a question with one is no matter of preference."""
        questions: dict[str, list[Sample]] = {}
        for sample in samples:
            content_of(sample)  # says what is wrong with it
            questions.setdefault(sample.question, []).append(sample)
        compared = {question: answers for question, answers in questions.items() if len(answers) > 1}
        if not compared:
            raise BadInput(
                f"none of the {len(questions)} questions has two answers, so there is nothing to compare; "
                "give the answers of several systems, with the same question word for word"
            )
        for question, answers in compared.items():
            if len(answers) > _MOST:
                raise BadInput(
                    f"the question {question[:60]!r} has {len(answers)} answers; at most {_MOST} are compared"
                )
            content = asked(answers[0])
            content.pop("contexts", None)  # each system saw others
            # Numbered as if drawn, so that no number stands for the same system in one question after the other.
            drawn = sorted(answers, key=lambda sample: hashlib.sha256(f"{question}\0{sample.id}".encode()).digest())
            key_of = {sample.id: f"a{number}" for number, sample in enumerate(drawn, 1)}
            content["answers"] = [{"key": key_of[sample.id], "text": sample.answer} for sample in drawn]
            content["ids"] = {key_of[sample.id]: sample.id for sample in answers}
            content["filed"] = [key_of[sample.id] for sample in answers]
            yield NewItem(VERSUS.join(sample.id for sample in answers), content)

    def check(self, content: Json, payload: Json) -> Json:
        fields(payload, "order", "none_good")
        order, none_good = payload["order"], payload["none_good"]
        if not isinstance(none_good, bool):
            raise ValueError("`none_good` must be true or false")  # noqa: TRY004 - told on the page
        if not _is_order(order):
            raise Wrong("order")
        named = [key for group in order for key in group]
        if sorted(named) != sorted(content["ids"]):
            raise Wrong("every_answer")
        return {
            "order": [sorted(group) for group in order],
            "none_good": none_good,
            "reason": reason_of(payload, required=self.reason_required),
        }

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        ids = {answer: content["ids"][answer] for answer in content["filed"]}  # pairs in the order of the file
        place = _places(payload["order"])
        for first, second in combinations(ids, 2):
            value = float((place[first] > place[second]) - (place[first] < place[second]))
            yield Label(f"{ids[first]}{VERSUS}{ids[second]}", value, aspect=ASPECT)
        judged = ids if payload["none_good"] else payload["order"][0]
        for answer in judged:
            yield Label(ids[answer], float(not payload["none_good"]), aspect=GOOD)

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        """The order that preferences between all pairs stand for; None where one is missing or they go in a circle."""
        ids: Mapping[str, str] = content["ids"]
        said = {label.item: label.value for label in labels if label.aspect in {ASPECT, ""}}
        values: dict[tuple[str, str], int] = {}
        for one, other in combinations(ids, 2):
            there, back = f"{ids[one]}{VERSUS}{ids[other]}", f"{ids[other]}{VERSUS}{ids[one]}"
            if there not in said and back not in said:
                return None
            value = said[there] if there in said else -said[back]
            values[one, other] = (value > 0) - (value < 0)
        worse = {key: sum(v if key == pair[0] else -v for pair, v in values.items() if key in pair) for key in ids}
        order = [[key for key in ids if worse[key] == rank] for rank in sorted(set(worse.values()))]
        place = _places(order)
        if any(value != (place[a] > place[b]) - (place[a] < place[b]) for (a, b), value in values.items()):
            return None
        return {"order": order, "none_good": False, "reason": ""}

    def differences(self, payloads: Sequence[Json]) -> tuple[str, ...]:
        first, *others = payloads
        order = tuple([ASPECT] if any(other["order"] != first["order"] for other in others) else [])
        none_good = any(other["none_good"] != first["none_good"] for other in others)
        return (*order, "none_good") if none_good else order


def _is_order(order: Any) -> bool:
    return isinstance(order, list) and all(
        isinstance(group, list) and group and all(isinstance(key, str) for key in group) for group in order
    )


def _places(order: Sequence[Sequence[str]]) -> dict[str, int]:
    return {key: place for place, group in enumerate(order) for key in group}
