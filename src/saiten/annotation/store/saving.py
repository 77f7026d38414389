"""An annotator's acts on an item: save, skip, undo.

Each act adds a row, and rows never change. An undone act no longer counts; the last counting act on an item determines
its state:

    act     state of the assignment        its place among the item's annotators
    save    done, with this annotation     kept, or taken again
    skip    skipped                        released to somebody else
    undo    as after the previous act;     kept, released or taken again
            `given` without one

A released place may be somebody else's when the person comes back to the item. Their annotation is kept all the same,
since work is never discarded: the item then has one more annotation than needed.
"""

import math
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, Select, exists, insert, select, update

from saiten.annotation.records import Assigned, Json, Saved
from saiten.annotation.store.annotations import assigned_item
from saiten.annotation.store.capacity import COUNTS, HOLDS, lock_project, move
from saiten.annotation.store.database import NotAssigned, SaveConflict
from saiten.annotation.store.json_text import plain, to_text
from saiten.annotation.store.people import lock_person
from saiten.annotation.store.project import Project, Transaction
from saiten.annotation.store.schema import acts, assignments
from saiten.errors import BadInput

_AFTER = {"save": "done", "skip": "skipped"}
_undoing = acts.alias("undoing")


def save_annotation(
    project: Project,
    person: int,
    number: int,
    payload: Json,
    *,
    save_id: str,
    unclear: bool = False,
    seconds: float | None = None,
) -> Saved:
    """Store a person's annotation of their item of this number; once, however often it is sent.

    Raises:
        NotAssigned: they have no item of this number.
        SaveConflict: something else was stored under this id, and is kept.
        BadInput: the person may no longer take part, or the payload is not JSON.
        StoreUnavailable: it may or may not be stored; send it again.
    """
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
        raise BadInput(f"seconds are 0 or more, not {seconds}")
    act = {"kind": "save", "payload": to_text(payload, "the annotation"), "unclear": unclear, "seconds": seconds}
    return project.write(lambda tx: _perform(tx, person, number, save_id, act))


def skip_item(project: Project, person: int, number: int, *, save_id: str) -> Saved:
    """Skip a person's item, answered or not, so that somebody else gets it; raises as `save_annotation`."""
    act = {"kind": "skip", "payload": None, "unclear": False}
    return project.write(lambda tx: _perform(tx, person, number, save_id, act))


def undo_last(project: Project, person: int, *, save_id: str) -> Assigned | None:
    """Undo a person's latest save or skip and return its item; None if there is nothing to undo.

    The next undo takes back the act before.

    Raises:
        SaveConflict: something else was stored under this id; nothing is undone.
        BadInput: the person may no longer take part.
    """
    number = project.write(lambda tx: _undo(tx, person, save_id))
    return None if number is None else assigned_item(project, person, number)


def _perform(tx: Transaction, person: int, number: int, save_id: str, act: Mapping[str, Any]) -> Saved:
    """Store a save or skip, given by its columns."""
    plain(save_id, "a save's id", 100)
    lock_person(tx, person)
    kind = act["kind"]
    if kind == "skip":  # releases a place, and the project's lock comes before the assignment's
        lock_project(tx)
    chosen = select(assignments).where(assignments.c.person_id == person, assignments.c.number == number)
    assignment = tx.connection.execute(chosen.with_for_update()).one_or_none()
    if assignment is None:
        raise NotAssigned(f"you have no item number {number}")
    if (before := _stored(tx, person, save_id)) is not None:
        same = (before.kind, before.assignment_id, before.payload, before.unclear)
        if same != (kind, assignment.id, act["payload"], act["unclear"]):
            raise SaveConflict("something else was stored under this save's id; this was not stored")
        return Saved(before.revision, again=True)
    revision = assignment.revision + 1
    added = insert(acts).values(
        person_id=person, save_id=save_id, assignment_id=assignment.id, revision=revision, at=tx.now, **act
    )
    _set_state(tx, assignment, tx.connection.execute(added.returning(acts.c.id, acts.c.kind)).one(), revision)
    return Saved(revision, again=False)


def _undo(tx: Transaction, person: int, save_id: str) -> int | None:
    plain(save_id, "a save's id", 100)
    lock_person(tx, person)
    if (before := _stored(tx, person, save_id)) is not None:
        if before.kind != "undo":
            raise SaveConflict("something else was stored under this save's id; nothing was undone")
        number = select(assignments.c.number).where(assignments.c.id == before.assignment_id)
        return tx.connection.scalar(number)
    lock_project(tx)
    last = tx.connection.execute(_counting().where(acts.c.person_id == person)).first()
    undone = {} if last is None else {"assignment_id": last.assignment_id, "undoes_id": last.id}
    tx.connection.execute(insert(acts).values(person_id=person, save_id=save_id, kind="undo", at=tx.now, **undone))
    if last is None:
        return None
    chosen = select(assignments).where(assignments.c.id == last.assignment_id)
    assignment = tx.connection.execute(chosen.with_for_update()).one()
    act = tx.connection.execute(_counting().where(acts.c.assignment_id == assignment.id)).first()
    _set_state(tx, assignment, act, assignment.revision)
    return int(assignment.number)


def _counting() -> Select[Any]:
    """Select the latest save or skip that was not undone."""
    undone = exists().where(_undoing.c.undoes_id == acts.c.id)
    return select(acts).where(acts.c.kind != "undo", ~undone).order_by(acts.c.id.desc()).limit(1)


def _set_state(tx: Transaction, assignment: Row[Any], act: Row[Any] | None, revision: int) -> None:
    """Set what follows from the last counting act on the item; None if there is no such act."""
    old, state = assignment.state, "given" if act is None else _AFTER[act.kind]
    standing = act.id if act is not None and act.kind == "save" else None
    if (old in HOLDS) != (state in HOLDS) or (old in COUNTS) != (state in COUNTS):
        lock_project(tx)
        move(tx, assignment.person_id, assignment.item_id, old=old, new=state)
    tx.connection.execute(
        update(assignments)
        .where(assignments.c.id == assignment.id)
        .values(state=state, standing_id=standing, revision=revision)
    )


def _stored(tx: Transaction, person: int, save_id: str) -> Row[Any] | None:
    chosen = select(acts).where(acts.c.person_id == person, acts.c.save_id == save_id)
    return tx.connection.execute(chosen).one_or_none()
