"""Items with annotations: those assigned to an annotator, and all of a project, with admins' decisions."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, cast

from sqlalchemy import Select, exists, insert, select

from saiten.annotation.records import (
    Adjudication,
    AnnotatedItem,
    Annotation,
    Assigned,
    Json,
    Participant,
    State,
    StoredItem,
)
from saiten.annotation.store.json_text import from_text, plain, to_text
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


@reads
def assigned_items(tx: Transaction, person: int) -> list[Assigned]:
    """Return everything assigned to the person, by number, without items that were reassigned."""
    chosen = _assigned_to(tx, person).where(assignments.c.state != "released").order_by(assignments.c.number)
    return [_assigned(tx, row) for row in tx.connection.execute(chosen)]


@reads
def assigned_item(tx: Transaction, person: int, number: int) -> Assigned | None:
    """Return the person's item of this number, even if it was reassigned; None if it does not exist."""
    return _assigned_item(tx, person, number)


@reads
def earlier_item(tx: Transaction, person: int, number: int, field: str) -> Assigned | None:
    """Return the item this person annotated last whose content has the same `field` as their item `number`.

    None if nothing matches, or if their item has no such field.
    """
    current = _assigned_item(tx, person, number)
    if current is None or field not in current.item.content:
        return None
    wanted = current.item.content[field]
    # the field as it appears in the stored text, so that most items are ruled out without parsing their JSON
    written = to_text({field: wanted}, "the field")[1:-1]
    answered = (
        select(assignments.c.number, items.c.content)
        .join(items, items.c.id == assignments.c.item_id)
        .where(items.c.project_id == tx.project, assignments.c.person_id == person)
        .where(assignments.c.standing_id.is_not(None), assignments.c.number != number)
        .order_by(assignments.c.standing_id.desc())
        .execution_options(yield_per=_AT_ONCE)
    )
    with tx.connection.execute(answered) as found:
        alike = (number for number, content in found if written in content and from_text(content).get(field) == wanted)
        latest = next(alike, None)
    return None if latest is None else _assigned_item(tx, person, latest)


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
    if note:
        plain(note, "a note", _LONGEST_NOTE)
    if tx.connection.scalar(select(items.c.id).where(items.c.id == item, items.c.project_id == tx.project)) is None:
        raise BadInput(f"there is no item number {item} in this project")
    if lock_person(tx, admin).role != "admin":
        raise BadInput(f"person number {admin} is not an admin of this project, so cannot decide")
    tx.connection.execute(insert(decisions).values(item_id=item, person_id=admin, payload=text, note=note, at=tx.now))


def _item_of(row: Sequence[Any]) -> StoredItem:
    """Build an item from the columns `ITEM`."""
    number, key, content, needed = row
    return StoredItem(number, key, from_text(content), needed)


def _annotation_of(row: Sequence[Any]) -> Annotation:
    """Build an annotation from the columns `ANNOTATION`."""
    payload, revision, at, unclear, seconds = row
    return Annotation(from_text(payload), revision, at, unclear, seconds)


def _assigned_item(tx: Transaction, person: int, number: int) -> Assigned | None:
    row = tx.connection.execute(_assigned_to(tx, person).where(assignments.c.number == number)).one_or_none()
    return None if row is None else _assigned(tx, row)


def _assigned_to(tx: Transaction, person: int) -> Select[Any]:
    return (
        select(*ITEM, *ANNOTATION, assignments.c.number, assignments.c.state, prelabels.c.payload)
        .select_from(assignments)
        .join(items, items.c.id == assignments.c.item_id)
        .outerjoin(acts, acts.c.id == assignments.c.standing_id)
        .outerjoin(prelabels, prelabels.c.item_id == items.c.id)
        .where(assignments.c.person_id == person, items.c.project_id == tx.project)
    )


def _assigned(tx: Transaction, row: Sequence[Any]) -> Assigned:
    annotation, (number, state, prelabel) = row[4:9], row[9:]
    return Assigned(
        number,
        _item_of(row[:4]),
        "given" if state == "released" else cast("State", state),
        None if annotation[0] is None else _annotation_of(annotation),
        from_text(prelabel) if tx.settings.prelabels == "shown" and prelabel is not None else None,
    )


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
            _item_of(row[:4]),
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
        by_item[row[0]].append((Participant(*row[1:5]), _annotation_of(row[5:])))
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
