"""What a judge said beforehand about an item: one pre-label an item, kept as it came."""

from collections.abc import Iterable

from sqlalchemy import Connection, exists, insert, select

from saiten.annotation.records import Json, ProjectSettings
from saiten.annotation.store.json_text import digest, plain, to_text
from saiten.annotation.store.room import lock_project
from saiten.annotation.store.schema import assignments, items, prelabels
from saiten.errors import BadInput


def add_prelabels(
    connection: Connection, project: int, settings: ProjectSettings, rows: Iterable[tuple[str, str, Json]]
) -> int:
    """How many were added; those that are there already are passed over.

    Where annotators are shown pre-labels, an item has its own before anybody gets it: otherwise nobody could say later
    who was shown it.

    Raises:
        BadInput: there is no item of this key, or another pre-label, or somebody got it already; nothing is added.
    """
    lock_project(connection, project)
    added = 0
    for key, source, payload in rows:
        shown_key = repr(key if len(key) <= 80 else f"{key[:77]}…")
        plain(source, "the name of who made a pre-label", 200)
        text = to_text(payload, f"the pre-label of the item {shown_key}")
        there = connection.execute(
            select(items.c.id, prelabels.c.source, prelabels.c.payload)
            .outerjoin(prelabels, prelabels.c.item_id == items.c.id)
            .where(items.c.project_id == project, items.c.key_hash == digest(plain(key, "an item's key", 100_000)))
        ).one_or_none()
        if there is None:
            raise BadInput(f"there is no item {shown_key} to which the pre-label by {source!r} belongs")
        if (there.source, there.payload) == (source, text):
            continue
        if there.source is not None:
            raise BadInput(f"the item {shown_key} has another pre-label, by {there.source!r}; an item has one")
        if settings.prelabels == "shown" and connection.scalar(
            select(exists().where(assignments.c.item_id == there.id))
        ):
            raise BadInput(
                f"the item {shown_key} was given to an annotator already, without the pre-label that annotators are to "
                "be shown; add pre-labels before the work begins"
            )
        connection.execute(insert(prelabels).values(item_id=there.id, source=source, payload=text))
        added += 1
    return added
