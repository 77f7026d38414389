"""Slots: the questions to be written, before they are."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from saiten.choices import Difficulty, QuestionKind
from saiten.records import Language
from saiten.testsets.items import SetPassage


@dataclass(frozen=True, slots=True)
class Slot:
    """A question to be written: its kind, the passages to write it from, for whom, and how difficult."""

    __pydantic_config__ = ConfigDict(extra="ignore")
    id: str
    """Kind and number: `single-1`; the id of the item."""
    kind: QuestionKind
    passages: tuple[SetPassage, ...]
    """The passages that the question is about, without quotes; the first one is the one chosen for coverage. For an
    unanswerable question, those that come near to an answer."""
    language: Language
    """The language of the question."""
    difficulty: Difficulty
    persona: str = ""
    """Who asks, in a few words; "" for nobody in particular."""


_SLOT = TypeAdapter(Slot)


def slot_to_json(slot: Slot) -> dict[str, Any]:
    """Return the slot's line in `plan.jsonl`."""
    return asdict(slot)


def slot_from_json(value: Mapping[str, Any]) -> Slot:
    """Return the slot of a line; raises ValueError if the line is not one."""
    return _SLOT.validate_python(value)
