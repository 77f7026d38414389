"""What people decided on the items of a test set, as tables: by kind of question, and the items that stay open."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from saiten.choices import QuestionKind
from saiten.testsets.people.decisions import SetOutcome, Settled, WhyOpen
from saiten.views.table import Cell, Table
from saiten.words import Message

_EXAMPLES = 5
"""Ids of open items listed per reason."""


def approval_tables(settled: Sequence[Settled]) -> list[Table]:
    """Return the number of items per kind and outcome, and the open items by reason if there are any."""
    kinds = [kind for kind in (*get_args(QuestionKind), "") if any(each.item.kind == kind for each in settled)]
    rows = [(_title(kind), *_counts([each for each in settled if each.item.kind == kind])) for kind in kinds]
    if len(kinds) > 1:
        rows.append((Message("cell", "all_kinds"), *_counts(settled)))
    columns = ("kind", "items", "approved_as_is", "edited", "rejected", "open_items")
    tables = [Table(Message("title", "approvals"), columns, tuple(rows))]
    if any(each.outcome == "open" for each in settled):
        tables.append(Table(Message("title", "open_items"), ("why_open", "items", "examples"), _open(settled)))
    return tables


def _title(kind: str) -> Cell:
    return Message("question_kind", kind) if kind else None


def _counts(settled: Sequence[Settled]) -> tuple[int, ...]:
    counts = Counter(each.outcome for each in settled)
    return (len(settled), *(counts[outcome] for outcome in get_args(SetOutcome)))


def _open(settled: Sequence[Settled]) -> tuple[tuple[Cell, ...], ...]:
    rows: list[tuple[Cell, ...]] = []
    for why in get_args(WhyOpen):
        ids = [each.item.id for each in settled if each.why == why]
        if ids:
            more = ", …" if len(ids) > _EXAMPLES else ""
            rows.append((Message("cell", f"open_{why}"), len(ids), ", ".join(ids[:_EXAMPLES]) + more))
    return tuple(rows)
