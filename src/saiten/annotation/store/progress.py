"""Progress of the work, per annotator and per item."""

from dataclasses import dataclass

from sqlalchemy import case, func, select

from saiten.annotation.records import Participant, Progress
from saiten.annotation.store.project import Transaction, reads
from saiten.annotation.store.schema import PERSON, acts, assignments, items, people


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """Numbers of items by progress."""

    total: int
    finished: int
    """Answered by as many annotators as needed."""
    untouched: int
    """Answered by nobody."""


@reads
def annotator_progress(tx: Transaction) -> list[Progress]:
    """Return the progress of each annotator, in order of their ids."""
    saves = acts.alias("saves")
    last_saved = (
        select(func.max(saves.c.at)).where(saves.c.person_id == people.c.id, saves.c.kind == "save").scalar_subquery()
    )
    found = tx.connection.execute(
        select(
            *PERSON,
            *(func.count(case((assignments.c.state == state, 1))) for state in ("done", "skipped")),
            func.count(case((acts.c.unclear, 1))),
            func.count(case((assignments.c.state == "given", 1))),
            last_saved,
        )
        .select_from(people)
        .outerjoin(assignments, assignments.c.person_id == people.c.id)
        .outerjoin(acts, acts.c.id == assignments.c.standing_id)
        .where(people.c.project_id == tx.project, people.c.role == "annotator")
        .group_by(*PERSON)
        .order_by(people.c.id)
    )
    return [Progress(Participant(*row[:4]), *row[4:]) for row in found]


@reads
def answered_count(tx: Transaction, person: int) -> int:
    """Return how many items this person has answered."""
    chosen = select(func.count()).join_from(assignments, people)
    own = chosen.where(people.c.id == person, people.c.project_id == tx.project, assignments.c.state == "done")
    return tx.connection.execute(own).scalar_one()


@reads
def act_count(tx: Transaction) -> tuple[int, int]:
    """Return the number of saves, skips and undos, and the id of the last: a pair that changes with every act."""
    counted = select(func.count(), func.coalesce(func.max(acts.c.id), 0)).join_from(acts, people)
    return tuple(tx.connection.execute(counted.where(people.c.project_id == tx.project)).one())


@reads
def item_counts(tx: Transaction) -> ItemCounts:
    """Count the project's items by progress."""
    answers = (
        select(assignments.c.item_id, func.count().label("number"))
        .where(assignments.c.state == "done")
        .group_by(assignments.c.item_id)
        .subquery()
    )
    total, answered, finished = tx.connection.execute(
        select(func.count(), func.count(answers.c.item_id), func.count(case((answers.c.number >= items.c.needed, 1))))
        .select_from(items)
        .outerjoin(answers, answers.c.item_id == items.c.id)
        .where(items.c.project_id == tx.project)
    ).one()
    return ItemCounts(total, finished, total - answered)
