"""What an annotator says about an item: saved, passed over, taken back.

Each act is one more row, and none is ever changed. An act that was taken back counts no more; of those that count, the
last one on an item says how it stands:

    act     then the item is        its place among the item's annotators
    save    done, with this answer  kept, or taken again
    skip    skipped                 given to somebody else
    undo    as the act before left  kept, given back or taken again
            it; `given` if none

A place that was given back may be somebody else's when a person comes back to the item. What they say is kept all the
same, since work is not thrown away: then one more than needed has answered.
"""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, Select, exists, insert, select, update

from saiten.annotation.records import Saved
from saiten.annotation.store.failures import NotTheirs, SaveConflict
from saiten.annotation.store.json_text import plain
from saiten.annotation.store.people import locked
from saiten.annotation.store.room import COUNTS, HOLDS, lock_project, move
from saiten.annotation.store.schema import acts, assignments
from saiten.errors import BadInput

_AFTER = {"save": "done", "skip": "skipped"}
_undoing = acts.alias("undoing")


@dataclass(frozen=True, slots=True)
class Act:
    """A save or a skip, as it comes from the page."""

    save_id: str
    """Made by the page; the same when it sends the same again."""
    kind: Literal["save", "skip"]
    payload: str | None = None
    """As text; None for a skip."""
    unclear: bool = False
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Raise BadInput for what cannot be."""
        plain(self.save_id, "a save's id", 100)
        if self.seconds is not None and not (math.isfinite(self.seconds) and self.seconds >= 0):
            raise BadInput(f"seconds are 0 or more, not {self.seconds}")


def perform(connection: Connection, project: int, person: int, number: int, act: Act, *, now: datetime) -> Saved:
    """Write it down, or find that it was written down before.

    Raises:
        NotTheirs: the person has no item of this number.
        SaveConflict: something else was written down under this id.
        BadInput: the person does not take part (any more).
    """
    locked(connection, project, person, now)
    if act.kind == "skip":  # gives a place back, and the project's lock comes before the assignment's
        lock_project(connection, project)
    chosen = select(assignments).where(assignments.c.person_id == person, assignments.c.number == number)
    held = connection.execute(chosen.with_for_update()).one_or_none()
    if held is None:
        raise NotTheirs(f"you have no item number {number}")
    if (before := _written(connection, person, act.save_id)) is not None:
        same = (before.kind, before.assignment_id, before.payload, before.unclear)
        if same != (act.kind, held.id, act.payload, act.unclear):
            raise SaveConflict("something else was stored under this save's id; this was not stored")
        return Saved(before.revision, again=True)
    revision = held.revision + 1
    added = insert(acts).values(
        person_id=person,
        save_id=act.save_id,
        assignment_id=held.id,
        kind=act.kind,
        revision=revision,
        payload=act.payload,
        unclear=act.unclear,
        seconds=act.seconds,
        at=now,
    )
    number_of_act = connection.execute(added.returning(acts.c.id)).scalar_one()
    standing = number_of_act if act.kind == "save" else None
    _stand(connection, project, held, state=_AFTER[act.kind], standing=standing, revision=revision)
    return Saved(revision, again=False)


def undo(connection: Connection, project: int, person: int, save_id: str, now: datetime) -> int | None:
    """Take back the person's latest act that counts; the number of its item, or None where there is none.

    Raises:
        SaveConflict: something else was written down under this id.
        BadInput: the person does not take part (any more).
    """
    plain(save_id, "a save's id", 100)
    locked(connection, project, person, now)
    if (before := _written(connection, person, save_id)) is not None:
        if before.kind != "undo":
            raise SaveConflict("something else was stored under this save's id; nothing was taken back")
        return None if before.assignment_id is None else _number(connection, before.assignment_id)
    lock_project(connection, project)
    last = connection.execute(_counting().where(acts.c.person_id == person)).first()
    added = insert(acts).values(
        person_id=person,
        save_id=save_id,
        assignment_id=None if last is None else last.assignment_id,
        kind="undo",
        undoes_id=None if last is None else last.id,
        unclear=False,
        at=now,
    )
    connection.execute(added)
    if last is None:
        return None
    chosen = select(assignments).where(assignments.c.id == last.assignment_id)
    held = connection.execute(chosen.with_for_update()).one()
    stands = connection.execute(_counting().where(acts.c.assignment_id == held.id)).first()
    state = "given" if stands is None else _AFTER[stands.kind]
    standing = stands.id if stands is not None and stands.kind == "save" else None
    _stand(connection, project, held, state=state, standing=standing, revision=held.revision)
    return int(held.number)


def _counting() -> Select[Any]:
    """Saves and skips that were not taken back, the last one first."""
    taken_back = exists().where(_undoing.c.undoes_id == acts.c.id)
    return select(acts).where(acts.c.kind != "undo", ~taken_back).order_by(acts.c.id.desc()).limit(1)


def _stand(
    connection: Connection, project: int, held: Row[Any], *, state: str, standing: int | None, revision: int
) -> None:
    """Let the assignment stand so."""
    if (held.state in HOLDS) != (state in HOLDS) or (held.state in COUNTS) != (state in COUNTS):
        lock_project(connection, project)
        move(connection, project, held.person_id, held.item_id, old=held.state, new=state)
    connection.execute(
        update(assignments)
        .where(assignments.c.id == held.id)
        .values(state=state, standing_id=standing, revision=revision)
    )


def _written(connection: Connection, person: int, save_id: str) -> Row[Any] | None:
    return connection.execute(select(acts).where(acts.c.person_id == person, acts.c.save_id == save_id)).one_or_none()


def _number(connection: Connection, assignment: int) -> int:
    return int(connection.execute(select(assignments.c.number).where(assignments.c.id == assignment)).scalar_one())
