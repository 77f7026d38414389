"""How far the work is: per annotator, and per item."""

from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select

from saiten.annotation.records import Progress
from saiten.annotation.store.people import COLUMNS, as_person
from saiten.annotation.store.schema import acts, assignments, items, people


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """How many items there are, and how far they are."""

    total: int
    finished: int
    """As many annotators answered as are needed."""
    untouched: int
    """Nobody answered yet."""


def progress(connection: Connection, project: int) -> list[Progress]:
    """Of each annotator, in the order of their ids."""
    saves = acts.alias("saves")
    last_saved = (
        select(func.max(saves.c.at)).where(saves.c.person_id == people.c.id, saves.c.kind == "save").scalar_subquery()
    )
    found = connection.execute(
        select(
            *COLUMNS,
            *(func.count(case((assignments.c.state == state, 1))) for state in ("done", "skipped")),
            func.count(case((acts.c.unclear, 1))),
            func.count(case((assignments.c.state == "given", 1))),
            last_saved,
        )
        .select_from(people)
        .outerjoin(assignments, assignments.c.person_id == people.c.id)
        .outerjoin(acts, acts.c.id == assignments.c.standing_id)
        .where(people.c.project_id == project, people.c.role == "annotator")
        .group_by(*COLUMNS)
        .order_by(people.c.id)
    )
    return [Progress(as_person(row[:4]), *row[4:]) for row in found]


def done(connection: Connection, project: int, person: int) -> int:
    """How many items this person has answered."""
    chosen = select(func.count()).join_from(assignments, people)
    own = chosen.where(people.c.id == person, people.c.project_id == project, assignments.c.state == "done")
    return connection.execute(own).scalar_one()


def acts_so_far(connection: Connection, project: int) -> tuple[int, int]:
    """How many saves, skips and undos there are, and the number of the last: another pair after every other act."""
    counted = select(func.count(), func.coalesce(func.max(acts.c.id), 0)).join_from(acts, people)
    return tuple(connection.execute(counted.where(people.c.project_id == project)).one())


def item_counts(connection: Connection, project: int) -> ItemCounts:
    """Over the whole project."""
    answers = (
        select(assignments.c.item_id, func.count().label("number"))
        .where(assignments.c.state == "done")
        .group_by(assignments.c.item_id)
        .subquery()
    )
    total, answered, finished = connection.execute(
        select(func.count(), func.count(answers.c.item_id), func.count(case((answers.c.number >= items.c.needed, 1))))
        .select_from(items)
        .outerjoin(answers, answers.c.item_id == items.c.id)
        .where(items.c.project_id == project)
    ).one()
    return ItemCounts(total, finished, total - answered)
