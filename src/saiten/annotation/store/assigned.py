"""The items assigned to an annotator, with their annotations."""

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import Select, select

from saiten.annotation.records import Annotation, Assigned, State, StoredItem
from saiten.annotation.store.json_text import from_text, to_text
from saiten.annotation.store.project import Transaction, reads
from saiten.annotation.store.schema import ANNOTATION, ITEM, acts, assignments, items, prelabels

_AT_ONCE = 50


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


def item_of(row: Sequence[Any]) -> StoredItem:
    """Build an item from the columns `ITEM`."""
    number, key, content, needed = row
    return StoredItem(number, key, from_text(content), needed)


def annotation_of(row: Sequence[Any]) -> Annotation:
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
        item_of(row[:4]),
        "given" if state == "released" else cast(State, state),
        None if annotation[0] is None else annotation_of(annotation),
        from_text(prelabel) if tx.settings.prelabels == "shown" and prelabel is not None else None,
    )
