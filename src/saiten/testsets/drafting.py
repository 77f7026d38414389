"""Drafting a question with a model: one task per kind, and the item made of its reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from saiten.choices import QuestionKind
from saiten.errors import SaitenError
from saiten.protocols import Judge, Task
from saiten.records import FREE, Turn, Usage
from saiten.tasks.questions import (
    AnyDraft,
    DraftComparison,
    DraftFalsePremise,
    DraftFollowUp,
    DraftSeveral,
    DraftSingle,
    DraftUnanswerable,
    FalsePremiseDraft,
    FollowUpDraft,
    UnanswerableDraft,
)
from saiten.testsets.items import SetItem, SetPassage
from saiten.testsets.plan.slots import Slot
from saiten.text.alignment import place

TASKS: Mapping[QuestionKind, Any] = {
    "single": DraftSingle,
    "several": DraftSeveral,
    "across": DraftSeveral,
    "comparison": DraftComparison,
    "unanswerable": DraftUnanswerable,
    "false_premise": DraftFalsePremise,
    "follow_up": DraftFollowUp,
}
"""The task that writes each kind of question."""

DRAFTING: tuple[type[Task[Any]], ...] = tuple(dict.fromkeys(TASKS.values()))
"""The tasks of the writer."""


class NothingToAsk(SaitenError):
    """The passages of a slot give no question of its kind; the text says why."""

    def __init__(self, message: str, usage: Usage = FREE) -> None:
        super().__init__(message)
        self.usage = usage


@dataclass(frozen=True, slots=True)
class Drafted:
    """A new item, unchecked, with the cost of writing it."""

    item: SetItem
    usage: Usage = FREE


class Writer(Protocol):
    """Writes the question of a slot."""

    @property
    def kinds(self) -> tuple[QuestionKind, ...]:
        """The kinds of questions it can write."""

    async def write(self, slot: Slot) -> Drafted:
        """Return a new item, unchecked.

        Raises:
            NothingToAsk: its passages give no question of this kind.
            JudgeError: the model failed, or its reply could not be read.
        """


@dataclass(frozen=True, slots=True)
class ModelWriter:
    """Has a model write the questions."""

    judge: Judge
    name: str
    """The model, as in `made`."""
    kinds: tuple[QuestionKind, ...] = tuple(TASKS)

    async def write(self, slot: Slot) -> Drafted:
        """Ask for the question, and find its quotes in the passages."""
        draft: AnyDraft = await self.judge.perform(drafting_task(slot))
        if draft.is_empty:
            raise NothingToAsk("the model found nothing in the passages to ask", draft.usage)
        return Drafted(item_of_draft(slot, draft, self.name), draft.usage)


def drafting_task(slot: Slot) -> Any:
    """Return the task that writes the slot's question."""
    texts = tuple(passage.shown for passage in slot.passages)
    return TASKS[slot.kind](texts, slot.difficulty, slot.persona, language=slot.language)


def item_of_draft(slot: Slot, draft: AnyDraft, by: str) -> SetItem:
    """Return the item of a reply.

    Its passages are those with quotes; of an unanswerable question all, since none of them answers it. Raises
    NothingToAsk if a question across documents took passages of one document only.
    """
    marked = with_quotes(slot.passages, draft.quotes)
    quoted = tuple(passage for passage in marked if passage.quotes)
    if slot.kind == "across" and len({passage.source for passage in quoted}) < 2:
        raise NothingToAsk("the question takes passages of one document only", draft.usage)
    made = {"by": by, "difficulty": slot.difficulty, "persona": slot.persona, **_said_of(draft)}
    return SetItem(
        slot.id,
        draft.question.strip(),
        draft.reference.strip(),
        slot.kind,
        slot.language,
        marked if slot.kind == "unanswerable" else quoted or marked[:1],
        _opening(draft),
        {key: value for key, value in made.items() if value},
    )


def with_quotes(passages: Sequence[SetPassage], quotes: Sequence[str]) -> tuple[SetPassage, ...]:
    """Return the passages with the places of the quotes in them; each quote counts for the first that has it."""
    left, found = [quote for quote in quotes if quote.strip()], []
    for passage in passages:
        placed = place(passage.text, left)
        spans = {(one.start, one.end) for one in placed if one.start is not None and one.end is not None}
        found.append(replace(passage, quotes=tuple(sorted(spans))))
        left = [quote for quote, one in zip(left, placed, strict=True) if one.start is None]
    return tuple(found)


def _said_of(draft: AnyDraft) -> dict[str, str]:
    said = {"situation": draft.situation.strip()}
    if isinstance(draft, UnanswerableDraft):
        return {**said, "missing": draft.missing.strip()}
    return {**said, "premise": draft.premise.strip()} if isinstance(draft, FalsePremiseDraft) else said


def _opening(draft: AnyDraft) -> tuple[Turn, ...]:
    if not isinstance(draft, FollowUpDraft):
        return ()
    return (Turn(draft.first_question.strip(), draft.first_answer.strip()),)
