"""Items that were given out and not answered go to others: when somebody leaves, or after a day.

Who had such an item may still answer it, should they come back to it: work is not thrown away.
"""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, exists, select, update

from saiten.annotation.store.room import lock_project, move
from saiten.annotation.store.schema import assignments, items


def release_all_of(connection: Connection, project: int, person: int) -> None:
    """Everything that this person has not answered."""
    lock_project(connection, project)
    _release(connection, project, person)


def release_for(
    connection: Connection, project: int, person: int, before: datetime, *, whole_questions: bool = False
) -> int | None:
    """An item that somebody else was given before this time and did not answer, taken from them; None if there is none.

    It is one that `person` never had. The project is locked already. With whole questions they lose with it what else
    they have not answered of its question.
    """
    theirs = assignments.alias()
    had = exists().where(
        theirs.c.person_id == person, theirs.c.item_id == assignments.c.item_id, theirs.c.state != "released"
    )
    stale = (
        select(assignments.c.id, assignments.c.person_id, assignments.c.item_id)
        .join(items, items.c.id == assignments.c.item_id)
        .where(
            assignments.c.state == "given",
            assignments.c.given_at < before,
            assignments.c.person_id != person,
            items.c.project_id == project,
            items.c.room >= 0,  # below, giving it back makes no room
            ~had,
        )
        .order_by(assignments.c.given_at, assignments.c.id)
        .limit(20)
    )
    for row in connection.execute(stale).all():
        taken = (
            update(assignments)
            .where(assignments.c.id == row.id, assignments.c.state == "given")  # not answered this very moment
            .values(state="released")
        )
        if connection.execute(taken).rowcount:
            move(connection, project, row.person_id, row.item_id, old="given", new="released")
            if whole_questions:
                _release_question(connection, project, row.person_id, row.item_id)
            return int(row.item_id)
    return None


def _release_question(connection: Connection, project: int, person: int, item: int) -> None:
    """What this person has not answered of the item's question."""
    topic = select(items.c.topic).where(items.c.id == item).scalar_subquery()
    together = select(items.c.id).where(items.c.project_id == project, items.c.topic == topic)
    _release(connection, project, person, assignments.c.item_id.in_(together))


def _release(connection: Connection, project: int, person: int, *conditions: ColumnElement[bool]) -> None:
    released = (
        update(assignments)
        .where(assignments.c.person_id == person, assignments.c.state == "given", *conditions)
        .values(state="released")
        .returning(assignments.c.item_id)
    )
    for item in connection.scalars(released).all():
        move(connection, project, person, item, old="given", new="released")
