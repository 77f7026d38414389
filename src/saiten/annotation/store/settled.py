"""All that was said about an item, for the admin, the agreement and the export."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Select, exists, select

from saiten.annotation.records import Answered, Decision, Person, Settled
from saiten.annotation.store.decisions import decisions_on
from saiten.annotation.store.hands import ITEM, SAID, answered_of, item_of
from saiten.annotation.store.json_text import from_text
from saiten.annotation.store.people import COLUMNS, as_person
from saiten.annotation.store.schema import acts, assignments, decisions, items, people, prelabels

_AT_ONCE = 200


def settled_after(connection: Connection, project: int, item: int, *, prelabels_shown: bool) -> list[Settled]:
    """The next 200 items after this one about which something was said or decided; empty at the end."""
    said = exists().where(assignments.c.item_id == items.c.id, assignments.c.state == "done")
    decided = exists().where(decisions.c.item_id == items.c.id)
    chosen = _with_prelabels(project).where(items.c.id > item, said | decided)
    return _settled(connection, project, chosen.order_by(items.c.id).limit(_AT_ONCE), prelabels_shown=prelabels_shown)


def settled_item(connection: Connection, project: int, item: int, *, prelabels_shown: bool) -> Settled | None:
    """This item, whether anything was said or not; None where there is none of this number."""
    chosen = _with_prelabels(project).where(items.c.id == item)
    found = _settled(connection, project, chosen, prelabels_shown=prelabels_shown)
    return found[0] if found else None


def _with_prelabels(project: int) -> Select[Any]:
    # `+ 0` so that no index of the project's items is used, for which each run of items would sort all of them: items
    # are walked through by their numbers
    return (
        select(*ITEM, prelabels.c.source, prelabels.c.payload)
        .outerjoin(prelabels, prelabels.c.item_id == items.c.id)
        .where(items.c.project_id + 0 == project)
    )


def _settled(connection: Connection, project: int, chosen: Select[Any], *, prelabels_shown: bool) -> list[Settled]:
    rows = connection.execute(chosen).all()
    numbers = [row[0] for row in rows]
    said = _said(connection, numbers)
    decided = dict(decisions_on(connection, project, numbers))  # of several on one item the last one
    return [_one(row, said.get(row[0], ()), decided.get(row[0]), prelabels_shown=prelabels_shown) for row in rows]


def _said(connection: Connection, numbers: Sequence[int]) -> dict[int, tuple[tuple[Person, Answered], ...]]:
    found = connection.execute(
        select(assignments.c.item_id, *COLUMNS, *SAID)
        .select_from(assignments)
        .join(people, people.c.id == assignments.c.person_id)
        .join(acts, acts.c.id == assignments.c.standing_id)
        .where(assignments.c.item_id.in_(numbers))
        .order_by(people.c.id)
    )
    by_item: defaultdict[int, list[tuple[Person, Answered]]] = defaultdict(list)
    for row in found:
        by_item[row[0]].append((as_person(row[1:5]), answered_of(row[5:])))
    return {item: tuple(said) for item, said in by_item.items()}


def _one(
    row: Sequence[Any],
    said: tuple[tuple[Person, Answered], ...],
    decision: Decision | None,
    *,
    prelabels_shown: bool,
) -> Settled:
    source, payload = row[4:]
    prelabel = None if source is None else (source, from_text(payload), prelabels_shown)
    return Settled(item_of(row[:4]), said, decision, prelabel)
