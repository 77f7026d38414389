"""What a person said before about another item that shares a text with this one."""

from sqlalchemy import Connection, select

from saiten.annotation.records import Assigned
from saiten.annotation.store.hands import assigned_number
from saiten.annotation.store.json_text import from_text, to_text
from saiten.annotation.store.schema import assignments, items

_AT_ONCE = 50


def earlier(connection: Connection, project: int, person: int, number: int, field: str) -> Assigned | None:
    """The one that they answered last, this one apart; nobody else's is looked at."""
    this = assigned_number(connection, project, person, number, prelabels_shown=False)
    if this is None or field not in this.item.content:
        return None
    wanted = this.item.content[field]
    # As the two stand in the stored text: most items are told apart without being read as JSON.
    written = to_text({field: wanted}, "the field")[1:-1]
    answered = (
        select(assignments.c.number, items.c.content)
        .join(items, items.c.id == assignments.c.item_id)
        .where(items.c.project_id == project, assignments.c.person_id == person)
        .where(assignments.c.standing_id.is_not(None), assignments.c.number != number)
        .order_by(assignments.c.standing_id.desc())
        .execution_options(yield_per=_AT_ONCE)
    )
    with connection.execute(answered) as found:
        alike = (number for number, content in found if written in content and from_text(content).get(field) == wanted)
        latest = next(alike, None)
    return None if latest is None else assigned_number(connection, project, person, latest, prelabels_shown=False)
