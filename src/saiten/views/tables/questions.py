"""A test set being made, as a table: what became of the tries, by kind of question."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saiten.choices import QUESTION_CHECKS, QUESTION_KINDS, CheckName, QuestionKind
from saiten.testsets.checking import TAKES_A_MODEL
from saiten.testsets.items import SetItem
from saiten.views.table import Cell, Heading, Table
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Yield:
    """What a test set's tries gave."""

    items: Sequence[SetItem]
    """Kept and dropped ones."""
    without_question: Mapping[QuestionKind, int]
    """Tries whose passages gave no question."""
    documents: int
    """Number of documents in the knowledge base."""
    offline: bool
    """Whether the questions were made without a model."""


def question_tables(made: Yield) -> list[Table]:
    """Return one row per kind, and one for all, with what was dropped by which check."""
    there = {*(item.kind for item in made.items), *made.without_question}
    kinds = [kind for kind in QUESTION_KINDS if kind in there]
    dropped = Counter((item.kind, item.dropped.check) for item in made.items if item.dropped is not None)
    checks = [check for check in QUESTION_CHECKS if any(found == check for _, found in dropped)]
    columns: tuple[Heading, ...] = (
        "kind",
        "questions_tried",
        "questions_kept",
        "share_kept",
        *(Message("column", "dropped_by", check=Message("question_check", check)) for check in checks),
        "without_question",
    )
    rows = [_row(made, [kind], checks, Message("question_kind", kind)) for kind in kinds]
    if len(kinds) > 1:
        rows.append(_row(made, kinds, checks, Message("cell", "all")))
    return [Table(Message("title", "questions_made"), columns, tuple(rows), tuple(_captions(made)))]


def _row(made: Yield, kinds: Sequence[QuestionKind], checks: Sequence[CheckName], name: Cell) -> tuple[Cell, ...]:
    items = [item for item in made.items if item.kind in kinds]
    kept = sum(item.dropped is None for item in items)
    without = sum(made.without_question.get(kind, 0) for kind in kinds)
    by_check = Counter(item.dropped.check for item in items if item.dropped is not None)
    tried = len(items) + without
    return (name, tried, kept, kept / tried if tried else None, *(by_check[check] for check in checks), without)


def _captions(made: Yield) -> list[Message]:
    kept = [item for item in made.items if item.dropped is None]
    sources = {passage.source for item in kept for passage in item.passages}
    captions = [Message("caption", "set_covers", n=len(sources), documents=made.documents)] if kept else []
    open_checks = dict.fromkeys(check for item in kept for check in _not_made(item))
    if made.offline and kept:
        captions.append(Message("caption", "set_offline"))
    if open_checks:
        captions.append(Message("caption", "set_not_checked", checks=", ".join(open_checks)))
    return captions


def _not_made(item: SetItem) -> list[str]:
    """Return the checks that were not made for want of a model."""
    return [each.check for each in item.checks if each.passed is None and each.reason == TAKES_A_MODEL]
