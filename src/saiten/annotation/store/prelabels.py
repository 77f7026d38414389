"""Pre-labels: a judge's payload for an item, at most one per item, stored unchanged."""

from collections.abc import Iterable

from sqlalchemy import exists, insert, select

from saiten.annotation.records import Json
from saiten.annotation.store.capacity import lock_project
from saiten.annotation.store.json_text import digest, plain, to_text
from saiten.annotation.store.project import Project, Transaction
from saiten.annotation.store.schema import assignments, items, prelabels
from saiten.errors import BadInput


def add_prelabels(project: Project, rows: Iterable[tuple[str, str, Json]]) -> int:
    """Add pre-labels (item key, source, payload), all or nothing; return how many were new.

    If annotators see pre-labels, these must be added before the item is assigned: otherwise it would be unknown who saw
    them.

    Raises:
        BadInput: there is no item of this key, it has another pre-label, or it was already assigned.
    """
    return project.write(lambda tx: _add_all(tx, rows), tries=1)


def _add_all(tx: Transaction, rows: Iterable[tuple[str, str, Json]]) -> int:
    lock_project(tx)
    return sum(_add(tx, key, source, payload) for key, source, payload in rows)


def _add(tx: Transaction, key: str, source: str, payload: Json) -> bool:
    short_key = repr(key if len(key) <= 80 else f"{key[:77]}…")
    plain(source, "the source of a pre-label", 200)
    text = to_text(payload, f"the pre-label of the item {short_key}")
    row = tx.connection.execute(
        select(items.c.id, prelabels.c.source, prelabels.c.payload)
        .outerjoin(prelabels, prelabels.c.item_id == items.c.id)
        .where(items.c.project_id == tx.project, items.c.key_hash == digest(plain(key, "an item's key", 100_000)))
    ).one_or_none()
    if row is None:
        raise BadInput(f"there is no item {short_key} for the pre-label by {source!r}")
    if (row.source, row.payload) == (source, text):
        return False
    if row.source is not None:
        raise BadInput(f"the item {short_key} has another pre-label, by {row.source!r}; an item has one")
    if tx.settings.prelabels == "shown" and tx.connection.scalar(
        select(exists().where(assignments.c.item_id == row.id))
    ):
        raise BadInput(
            f"the item {short_key} was assigned already, without the pre-label that annotators are to see; "
            "add pre-labels before the work begins"
        )
    tx.connection.execute(insert(prelabels).values(item_id=row.id, source=source, payload=text))
    return True
