"""Adding items and a judge's pre-labels to a project: streamed, each once, all or nothing."""

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import case, exists, func, insert, select, update

from saiten.annotation.records import Json, NewItem
from saiten.annotation.store.capacity import lock_project
from saiten.annotation.store.json_text import digest, plain, to_text
from saiten.annotation.store.order import bin_of, drawn, topic_of
from saiten.annotation.store.project import Project, Transaction
from saiten.annotation.store.schema import assignments, items, prelabels, projects
from saiten.errors import BadInput

_AT_ONCE = 500
_CHARACTERS = 4_000_000
"""Characters of content held in memory at once."""
_KEY = 100_000
"""Maximum length of a key."""


def add_items(project: Project, new: Iterable[NewItem]) -> int:
    """Add items and return how many were new; items already stored with the same content are skipped.

    Of all items of the project, exactly `round(overlap * number)` need `per_item` annotators, the others one. The
    remainder is drawn with the seed among the new items; earlier ones do not change. With whole questions, the
    items of a question need equally many annotators, and the number is as close as that allows.

    Raises:
        BadInput: a key is stored with other content, or an item cannot be written as JSON; then nothing is added.
    """
    return project.write(lambda tx: _add_all(tx, new), tries=1)


def _add_all(tx: Transaction, new: Iterable[NewItem]) -> int:
    before, overlapping, _ = lock_project(tx)
    newest = tx.connection.scalar(select(func.max(items.c.id))) or 0
    added = sum(_add(tx, rows) for rows in _chunks(tx, new))
    wanted = round(tx.settings.overlap * (before + added)) - overlapping
    drawn_now = _draw(tx, newest, min(max(wanted, 0), added))
    tx.connection.execute(
        update(projects)
        .where(projects.c.id == tx.project)
        .values(
            size=before + added,
            overlapping=overlapping + drawn_now,
            places=projects.c.places + added + drawn_now * (tx.settings.per_item - 1),
        )
    )
    return added


def _chunks(tx: Transaction, new: Iterable[NewItem]) -> Iterator[dict[bytes, dict[str, Any]]]:
    """Yield rows by the hash of their keys, in chunks that are written quickly and fit in memory."""
    rows: dict[bytes, dict[str, Any]] = {}
    characters = 0
    for item in new:
        row = _row(tx, item)
        known = rows.setdefault(row["key_hash"], row)
        _require_same(known["content_hash"], row)
        characters += len(row["content"])
        if len(rows) >= _AT_ONCE or characters >= _CHARACTERS:
            yield rows
            rows, characters = {}, 0
    if rows:
        yield rows


def _row(tx: Transaction, item: NewItem) -> dict[str, Any]:
    key = plain(item.key, "an item's key", _KEY)
    content = to_text(item.content, f"the item {_short(key)}")
    return {
        "project_id": tx.project,
        "key": key,
        "key_hash": digest(key),
        "content": content,
        "content_hash": digest(content),
        "needed": 1,
        "room": 1,
        "bin": bin_of(tx.settings.seed, key),
        "topic": topic_of(str(item.content.get("question") or key)),
        "drawn": drawn(tx.settings.seed, key),
    }


def _add(tx: Transaction, rows: dict[bytes, dict[str, Any]]) -> int:
    stored = select(items.c.key_hash, items.c.content_hash).where(items.c.project_id == tx.project)
    for key_hash, content_hash in tx.connection.execute(stored.where(items.c.key_hash.in_(list(rows)))):
        _require_same(content_hash, rows.pop(bytes(key_hash)))
    if rows:
        tx.connection.execute(insert(items), list(rows.values()))
    return len(rows)


def _require_same(content_hash: bytes, row: dict[str, Any]) -> None:
    if bytes(content_hash) != row["content_hash"]:
        raise BadInput(
            f"the item {_short(row['key'])} is already stored with other content (question, answer, reference or "
            "contexts); give changed samples new ids, or use another project or database"
        )


def _draw(tx: Transaction, newest: int, wanted: int) -> int:
    """Draw `wanted` of the items after `newest` for the overlap, and return how many were drawn.

    With whole questions, draw those of about as many items; a question stored before keeps its number of annotators.
    """
    group = items.c.topic if tx.settings.whole_questions else items.c.id
    new = items.c.id > newest
    found = tx.connection.execute(
        select(
            group.label("name"),
            func.count(case((new, 1))).label("added"),
            func.max(case((~new, items.c.needed))).label("needed"),
        )
        .where(items.c.project_id == tx.project, *(() if tx.settings.whole_questions else (new,)))
        .group_by(group)
        .having(func.count(case((new, 1))) > 0)
        .order_by(func.min(items.c.drawn), group)
    ).all()
    chosen = {row.name: row.added for row in found if (row.needed or 1) > 1}
    lacking = wanted - sum(chosen.values())
    for row in found:
        if row.needed is None and lacking > 0 and 2 * lacking >= row.added:
            chosen[row.name] = row.added
            lacking -= row.added
    several = {"needed": tx.settings.per_item, "room": tx.settings.per_item}
    names = list(chosen)
    for begin in range(0, len(names), _AT_ONCE):
        drawn_now = group.in_(names[begin : begin + _AT_ONCE])
        tx.connection.execute(update(items).where(items.c.project_id == tx.project, new, drawn_now).values(several))
    return sum(chosen.values())


def add_prelabels(project: Project, rows: Iterable[tuple[str, str, Json]]) -> int:
    """Add pre-labels (item key, source, payload), all or nothing; return how many were new.

    If annotators see pre-labels, these must be added before the item is assigned: otherwise it would be unknown who saw
    them.

    Raises:
        BadInput: there is no item of this key, it has another pre-label, or it was already assigned.
    """

    def add_all(tx: Transaction) -> int:
        lock_project(tx)
        return sum(_add_prelabel(tx, *row) for row in rows)

    return project.write(add_all, tries=1)


def _add_prelabel(tx: Transaction, key: str, source: str, payload: Json) -> bool:
    plain(source, "the source of a pre-label", 200)
    text = to_text(payload, f"the pre-label of the item {_short(key)}")
    row = tx.connection.execute(
        select(items.c.id, prelabels.c.source, prelabels.c.payload)
        .outerjoin(prelabels, prelabels.c.item_id == items.c.id)
        .where(items.c.project_id == tx.project, items.c.key_hash == digest(plain(key, "an item's key", _KEY)))
    ).one_or_none()
    if row is None:
        raise BadInput(f"there is no item {_short(key)} for the pre-label by {source!r}")
    if (row.source, row.payload) == (source, text):
        return False
    if row.source is not None:
        raise BadInput(f"the item {_short(key)} has another pre-label, by {row.source!r}; an item has one")
    assigned = select(exists().where(assignments.c.item_id == row.id))
    if tx.settings.prelabels == "shown" and tx.connection.scalar(assigned):
        raise BadInput(
            f"the item {_short(key)} was assigned already, without the pre-label that annotators are to see; "
            "add pre-labels before the work begins"
        )
    tx.connection.execute(insert(prelabels).values(item_id=row.id, source=source, payload=text))
    return True


def _short(key: str) -> str:
    return repr(key if len(key) <= 80 else f"{key[:77]}…")
