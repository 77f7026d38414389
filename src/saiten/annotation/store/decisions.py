"""Third decisions on items about which annotators differ: added beside what they said, the latest one counts."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, insert, select

from saiten.annotation.records import Decision, Json
from saiten.annotation.store.json_text import from_text, to_text
from saiten.annotation.store.schema import decisions, items, people
from saiten.errors import BadInput

_LONGEST_NOTE = 100_000


def decide(
    connection: Connection, project: int, item: int, payload: Json, note: str, *, admin: int, now: datetime
) -> None:
    """Add a decision.

    Raises:
        BadInput: there is no such item, or the person is no admin who takes part, or the texts cannot be kept.
    """
    text = to_text(payload, "the decision")
    if len(note) > _LONGEST_NOTE or "\0" in note or any("\ud800" <= character <= "\udfff" for character in note):
        raise BadInput(f"a note is a text of at most {_LONGEST_NOTE} characters")
    if connection.scalar(select(items.c.id).where(items.c.id == item, items.c.project_id == project)) is None:
        raise BadInput(f"there is no item number {item} in this project")
    allowed = select(people.c.id).where(
        people.c.id == admin, people.c.project_id == project, people.c.role == "admin", people.c.active
    )
    if connection.scalar(allowed) is None:
        raise BadInput(f"the person number {admin} is no admin of this project, so cannot decide")
    connection.execute(insert(decisions).values(item_id=item, person_id=admin, payload=text, note=note, at=now))


def decisions_on(connection: Connection, project: int, numbers: Sequence[int]) -> list[tuple[int, Decision]]:
    """All decisions on these items, with the item's number, in the order in which they were made."""
    found = connection.execute(
        select(decisions.c.item_id, decisions.c.payload, decisions.c.note, people.c.name, decisions.c.at)
        .join(people, people.c.id == decisions.c.person_id)
        .where(decisions.c.item_id.in_(numbers), people.c.project_id == project)
        .order_by(decisions.c.id)
    )
    return [(item, Decision(from_text(payload), note, by, at)) for item, payload, note, by, at in found]
