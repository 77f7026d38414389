"""Tables specific to a run of dialogues: how they ended, the leak, the cost."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from saiten.dialogue.dialogue import Ended
from saiten.dialogue.outcomes import Outcomes
from saiten.records import Usage
from saiten.views.table import Cell, Table
from saiten.views.tables.answer import latency_cells
from saiten.words import Message

_ENDS: tuple[Ended, ...] = tuple(end for end in get_args(Ended) if end != "failed")
_FAULTS = {"system_failed", "system_timeout", "system_unreadable", "judge_failed", "judge_unreadable"}


def dialogue_tables(found: Outcomes, currency: str = "USD") -> list[Table]:
    """Return the tables except empty ones."""
    return [_ended(found), _leaked(found), _took(found, currency)] if found.dialogues else []


def without_repeats(tables: Sequence[Table]) -> list[Table]:
    """Return the summary's tables, with each failed dialogue's reason once instead of once per score."""
    return [_once(table) if table.key == "missing" else table for table in tables]


def _once(table: Table) -> Table:
    failed = Message("status", "failed")
    rows = [row for row in table.rows if row[0] not in {"lscore", "mscore"} and row[:2] != ("leak", failed)]
    return replace(table, rows=tuple(rows), caption=(Message("caption", "missing_of_dialogues"),))


def _ended(found: Outcomes) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (Message("ended", end.replace(" ", "_")), n, n / found.dialogues)
        for end in _ENDS
        if (n := found.ended.get(end))
    ]
    rows += [
        (Message("ended", "failed", fault=_fault(fault)), n, n / found.dialogues)
        for fault, n in sorted(found.failures.items())
    ]
    seen = Message("caption", "grader_without_evidence")
    if found.with_evidence:
        seen = Message("caption", "grader_with_evidence", n=found.with_evidence, of=found.dialogues)
    captions = (Message("caption", "failed_dialogues"), seen)
    return Table(Message("title", "dialogues_ended"), ("ended", "dialogues", "share"), tuple(rows), captions)


def _fault(fault: tuple[str, str]) -> str | Message:
    key = "_".join(fault)
    return Message("fault", key) if key in _FAULTS else " ".join(fault)


def _leaked(found: Outcomes) -> Table:
    cells: dict[str, Cell] = {
        "mean_leak": found.leak,
        "dialogues": found.measured,
        "with_leak": found.leaking,
        "most_in": found.worst or None,
        "questions_asked": found.asked,
        "stating_questions": found.stating,
        "refused_questions": found.refused,
    }
    captions = (Message("caption", "leak_check"),)
    return Table(Message("title", "leak_check"), tuple(cells), (tuple(cells.values()),), captions)


def _took(found: Outcomes, currency: str) -> Table:
    rows = (
        (Message("cell", "system"), found.turns, *_spent(found.of_system), *latency_cells(found.latency)),
        (Message("cell", "agents"), None, *_spent(found.of_agents), None, None, None, None),
    )
    cost = Message("column", "cost", currency=currency)
    spent = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", cost)
    columns = ("who", "answers", *spent, "median_seconds", "mean_seconds", "p95_seconds", "n")
    return Table(Message("title", "spent"), columns, rows, (Message("caption", "spent_by_dialogues"),))


def _spent(usage: Usage) -> tuple[Cell, ...]:
    return (usage.calls, *usage.tokens, usage.known_cost)
