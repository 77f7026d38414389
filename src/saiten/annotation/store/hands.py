"""What is in an annotator's hands, as records."""

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import Connection, Select, select

from saiten.annotation.records import Answered, Assigned, Item, State
from saiten.annotation.store.json_text import from_text
from saiten.annotation.store.schema import acts, assignments, items, prelabels

ITEM = (items.c.id, items.c.key, items.c.content, items.c.needed)
SAID = (acts.c.payload, acts.c.revision, acts.c.at, acts.c.unclear, acts.c.seconds)


def assigned(connection: Connection, project: int, person: int, *, prelabels_shown: bool) -> list[Assigned]:
    """All that the person got, by number; what was given to others meanwhile is left out."""
    chosen = _hands(project, person).where(assignments.c.state != "released").order_by(assignments.c.number)
    return [_assigned(row, prelabels_shown=prelabels_shown) for row in connection.execute(chosen)]


def assigned_number(
    connection: Connection, project: int, person: int, number: int, *, prelabels_shown: bool
) -> Assigned | None:
    """The one of this number, also if it was given to others meanwhile; None where the person has none."""
    row = connection.execute(_hands(project, person).where(assignments.c.number == number)).one_or_none()
    return None if row is None else _assigned(row, prelabels_shown=prelabels_shown)


def item_of(row: Sequence[Any]) -> Item:
    """An item of the columns `ITEM`."""
    number, key, content, needed = row
    return Item(number, key, from_text(content), needed)


def answered_of(row: Sequence[Any]) -> Answered:
    """What was said, of the columns `SAID`."""
    payload, revision, at, unclear, seconds = row
    return Answered(from_text(payload), revision, at, unclear, seconds)


def _hands(project: int, person: int) -> Select[Any]:
    return (
        select(*ITEM, *SAID, assignments.c.number, assignments.c.state, prelabels.c.payload)
        .select_from(assignments)
        .join(items, items.c.id == assignments.c.item_id)
        .outerjoin(acts, acts.c.id == assignments.c.standing_id)
        .outerjoin(prelabels, prelabels.c.item_id == items.c.id)
        .where(assignments.c.person_id == person, items.c.project_id == project)
    )


def _assigned(row: Sequence[Any], *, prelabels_shown: bool) -> Assigned:
    said, (number, state, prelabel) = row[4:9], row[9:]
    return Assigned(
        number,
        item_of(row[:4]),
        "given" if state == "released" else cast(State, state),
        None if said[0] is None else answered_of(said),
        from_text(prelabel) if prelabels_shown and prelabel is not None else None,
    )
