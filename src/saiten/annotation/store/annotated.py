"""Items with all their annotations and admins' decisions: for the admin pages, live agreement and the export."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Select, exists, insert, select

from saiten.annotation.records import Adjudication, AnnotatedItem, Annotation, Json, Participant
from saiten.annotation.store.assigned import annotation_of, item_of
from saiten.annotation.store.json_text import from_text, to_text
from saiten.annotation.store.people import lock_person
from saiten.annotation.store.project import Project, Transaction, reads, writes
from saiten.annotation.store.schema import (
    ANNOTATION,
    ITEM,
    PERSON,
    acts,
    assignments,
    decisions,
    items,
    people,
    prelabels,
)
from saiten.errors import BadInput

_AT_ONCE = 200
_LONGEST_NOTE = 100_000


def annotated_items(project: Project) -> Iterator[AnnotatedItem]:
    """Stream every item that has an annotation or a decision; reading may stop anywhere."""
    last = 0
    while chunk := _annotated_after(project, last):
        yield from chunk
        last = chunk[-1].item.id


@reads
def annotated_item(tx: Transaction, item: int) -> AnnotatedItem | None:
    """Return one item, annotated or not; None if there is no such item."""
    found = _annotated(tx, _with_prelabels(tx).where(items.c.id == item))
    return found[0] if found else None


@writes
def decide(tx: Transaction, item: int, payload: Json, note: str, *, admin: int) -> None:
    """Store an admin's decision next to the annotations; the latest counts, earlier ones are kept.

    Raises:
        BadInput: there is no such item, the person is not an active admin, or the texts cannot be stored.
    """
    text = to_text(payload, "the decision")
    if len(note) > _LONGEST_NOTE or "\0" in note or any("\ud800" <= character <= "\udfff" for character in note):
        raise BadInput(f"a note is a text of at most {_LONGEST_NOTE} characters")
    if tx.connection.scalar(select(items.c.id).where(items.c.id == item, items.c.project_id == tx.project)) is None:
        raise BadInput(f"there is no item number {item} in this project")
    if lock_person(tx, admin).role != "admin":
        raise BadInput(f"person number {admin} is not an admin of this project, so cannot decide")
    tx.connection.execute(insert(decisions).values(item_id=item, person_id=admin, payload=text, note=note, at=tx.now))


@reads
def _annotated_after(tx: Transaction, item: int) -> list[AnnotatedItem]:
    annotated = exists().where(assignments.c.item_id == items.c.id, assignments.c.state == "done")
    decided = exists().where(decisions.c.item_id == items.c.id)
    chosen = _with_prelabels(tx).where(items.c.id > item, annotated | decided)
    return _annotated(tx, chosen.order_by(items.c.id).limit(_AT_ONCE))


def _with_prelabels(tx: Transaction) -> Select[Any]:
    # `+ 0` keeps the database from using an index on the project, which would sort all items for every chunk
    return (
        select(*ITEM, prelabels.c.source, prelabels.c.payload)
        .outerjoin(prelabels, prelabels.c.item_id == items.c.id)
        .where(items.c.project_id + 0 == tx.project)
    )


def _annotated(tx: Transaction, chosen: Select[Any]) -> list[AnnotatedItem]:
    rows = tx.connection.execute(chosen).all()
    numbers = [row[0] for row in rows]
    annotations, decided = _annotations(tx, numbers), _decisions(tx, numbers)
    shown = tx.settings.prelabels == "shown"
    return [
        AnnotatedItem(
            item_of(row[:4]),
            tuple(annotations[row[0]]),
            decided.get(row[0]),
            None if row[4] is None else (row[4], from_text(row[5]), shown),
        )
        for row in rows
    ]


def _annotations(tx: Transaction, numbers: Sequence[int]) -> dict[int, list[tuple[Participant, Annotation]]]:
    found = tx.connection.execute(
        select(assignments.c.item_id, *PERSON, *ANNOTATION)
        .select_from(assignments)
        .join(people, people.c.id == assignments.c.person_id)
        .join(acts, acts.c.id == assignments.c.standing_id)
        .where(assignments.c.item_id.in_(numbers))
        .order_by(people.c.id)
    )
    by_item: defaultdict[int, list[tuple[Participant, Annotation]]] = defaultdict(list)
    for row in found:
        by_item[row[0]].append((Participant(*row[1:5]), annotation_of(row[5:])))
    return by_item


def _decisions(tx: Transaction, numbers: Sequence[int]) -> dict[int, Adjudication]:
    """Return the latest decision per item."""
    found = tx.connection.execute(
        select(decisions.c.item_id, decisions.c.payload, decisions.c.note, people.c.name, decisions.c.at)
        .join(people, people.c.id == decisions.c.person_id)
        .where(decisions.c.item_id.in_(numbers), people.c.project_id == tx.project)
        .order_by(decisions.c.id)
    )
    return {item: Adjudication(from_text(payload), note, by, at) for item, payload, note, by, at in found}
