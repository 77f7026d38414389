"""Remaining capacity: how many more annotators an item takes, and the project's totals that follow from it.

All of it changes only while the project's row is locked, so that two people never get an item's last place.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, select, update

from saiten.annotation.store.project import Transaction
from saiten.annotation.store.schema import assignments, items, projects, workloads

HOLDS = frozenset({"given", "done"})
"""States in which an assignment takes up a place of its item."""
COUNTS = frozenset({"given", "done", "skipped"})
"""States in which an assignment counts toward the annotator's workload."""


def totals(tx: Transaction, *, lock: bool = False) -> tuple[int, int, int]:
    """Return the project's numbers of items, of items in the overlap, and of annotations still to be assigned."""
    chosen = select(projects.c.size, projects.c.overlapping, projects.c.places).where(projects.c.id == tx.project)
    found = tx.connection.execute(chosen.with_for_update(key_share=True) if lock else chosen)
    return tuple(found.one())


def lock_project(tx: Transaction) -> tuple[int, int, int]:
    """Return the totals; nobody else assigns or releases items until the transaction ends."""
    return totals(tx, lock=True)


def move(tx: Transaction, person: int, item: int, *, old: str | None, new: str) -> None:
    """Update the totals after an assignment changed its state; `old` is None for a new assignment."""
    if places := (new in HOLDS) - (old in HOLDS):
        room = tx.connection.execute(
            update(items).where(items.c.id == item).values(room=items.c.room - places).returning(items.c.room)
        ).scalar_one()
        opened = max(room, 0) - max(room + places, 0)
        tx.connection.execute(
            update(projects).where(projects.c.id == tx.project).values(places=projects.c.places + opened)
        )
    if got := (new in COUNTS) - (old in COUNTS):
        tx.connection.execute(
            update(workloads).where(workloads.c.person_id == person).values(had=workloads.c.had + got)
        )


def release_stale(tx: Transaction, person: int, before: datetime) -> int | None:
    """Release an item assigned to somebody else before this time and not answered; None if nothing qualifies.

    Only items that `person` never had qualify. With whole questions, the other annotator loses everything unanswered of
    the same question. The project is locked by the caller.
    """
    stale = (
        select(assignments.c.id, assignments.c.person_id, assignments.c.item_id)
        .join(items, items.c.id == assignments.c.item_id)
        .where(
            assignments.c.state == "given",
            assignments.c.given_at < before,
            assignments.c.person_id != person,
            items.c.project_id == tx.project,
            items.c.room >= 0,  # a negative room stays closed even after a release
            ~had_by(person),
        )
        .order_by(assignments.c.given_at, assignments.c.id)
        .limit(20)
    )
    for row in tx.connection.execute(stale).all():
        if release(tx, row.person_id, assignments.c.id == row.id):  # not answered this very moment
            if tx.settings.whole_questions:
                release(tx, row.person_id, assignments.c.item_id.in_(same_question(tx, row.item_id)))
            return int(row.item_id)
    return None


def had_by(person: int) -> ColumnElement[bool]:
    """Return the condition that this person has had an item, and it was not reassigned."""
    own = assignments.alias()
    return exists().where(own.c.item_id == items.c.id, own.c.person_id == person, own.c.state != "released")


def same_question(tx: Transaction, item: int) -> Select[Any]:
    """Select the ids of all items with the same question as this one."""
    topic = select(items.c.topic).where(items.c.id == item).scalar_subquery()
    return select(items.c.id).where(items.c.project_id == tx.project, items.c.topic == topic)


def release(tx: Transaction, person: int, *conditions: ColumnElement[bool]) -> int:
    """Release what this person has not answered, and return how much; the project is locked by the caller."""
    released = (
        update(assignments)
        .where(assignments.c.person_id == person, assignments.c.state == "given", *conditions)
        .values(state="released")
        .returning(assignments.c.item_id)
    )
    found = tx.connection.scalars(released).all()
    for item in found:
        move(tx, person, item, old="given", new="released")
    return len(found)
