"""What is to be graded, put into the database: as a stream, once each, all or nothing."""

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, case, func, insert, select, update

from saiten.annotation.records import NewItem, ProjectSettings
from saiten.annotation.store.json_text import digest, plain, to_text
from saiten.annotation.store.order import bin_of, drawn, topic_of
from saiten.annotation.store.room import lock_project
from saiten.annotation.store.schema import items, projects
from saiten.errors import BadInput

_AT_ONCE = 500
_CHARACTERS = 4_000_000
"""Of contents that are held at once."""
_KEY = 100_000
"""Characters of a key at most."""


def add_items(connection: Connection, project: int, settings: ProjectSettings, new: Iterable[NewItem]) -> int:
    """How many were added; those that are there already, with the same content, are passed over.

    Of all items of the project, exactly `round(overlap * number)` need `per_item` annotators, the others one. What is
    lacking to that is drawn, with the seed, among the items of this call: nothing changes about those before. With
    whole questions, the items of a question need equally many, and the number is as near as that allows.

    Raises:
        BadInput: a key is there with another content, or an item cannot be written as JSON. Nothing is added then.
    """
    before, overlapping, _ = lock_project(connection, project)
    newest = connection.scalar(select(func.max(items.c.id))) or 0
    added = sum(_add(connection, rows) for rows in _runs(project, settings.seed, new))
    wanted = round(settings.overlap * (before + added)) - overlapping
    draw = _draw_questions if settings.whole_questions else _draw
    drawn_now = draw(connection, project, newest, min(max(wanted, 0), added), settings.per_item)
    connection.execute(
        update(projects)
        .where(projects.c.id == project)
        .values(
            size=before + added,
            overlapping=overlapping + drawn_now,
            places=projects.c.places + added + drawn_now * (settings.per_item - 1),
        )
    )
    return added


def _runs(project: int, seed: int, new: Iterable[NewItem]) -> Iterator[dict[bytes, dict[str, Any]]]:
    """Rows by the hash of their keys, so many that they are written quickly and so few that they are held easily."""
    rows: dict[bytes, dict[str, Any]] = {}
    characters = 0
    for item in new:
        row = _row(project, seed, item)
        known = rows.setdefault(row["key_hash"], row)
        _same(known["content_hash"], row)
        characters += len(row["content"])
        if len(rows) >= _AT_ONCE or characters >= _CHARACTERS:
            yield rows
            rows, characters = {}, 0
    if rows:
        yield rows


def _row(project: int, seed: int, item: NewItem) -> dict[str, Any]:
    key = plain(item.key, "an item's key", _KEY)
    content = to_text(item.content, f"the item {_short(key)}")
    return {
        "project_id": project,
        "key": key,
        "key_hash": digest(key),
        "content": content,
        "content_hash": digest(content),
        "needed": 1,
        "room": 1,
        "bin": bin_of(seed, key),
        "topic": topic_of(str(item.content.get("question") or key)),
        "drawn": drawn(seed, key),
    }


def _add(connection: Connection, rows: dict[bytes, dict[str, Any]]) -> int:
    project = next(iter(rows.values()))["project_id"]
    there = connection.execute(
        select(items.c.key_hash, items.c.content_hash).where(
            items.c.project_id == project, items.c.key_hash.in_(list(rows))
        )
    )
    for key_hash, content_hash in there:
        _same(content_hash, rows.pop(bytes(key_hash)))
    if rows:
        connection.execute(insert(items), list(rows.values()))
    return len(rows)


def _same(content_hash: bytes, row: dict[str, Any]) -> None:
    if bytes(content_hash) != row["content_hash"]:
        raise BadInput(
            f"the item {_short(row['key'])} is there already with another content (question, answer, reference or "
            "contexts); give changed samples new ids, or begin another project or database"
        )


def _draw(connection: Connection, project: int, newest: int, wanted: int, per_item: int) -> int:
    """Let so many of the items after `newest` need `per_item` annotators."""
    if wanted:
        chosen = (
            select(items.c.id)
            .where(items.c.project_id == project, items.c.id > newest)
            .order_by(items.c.drawn, items.c.id)
            .limit(wanted)
        )
        connection.execute(update(items).where(items.c.id.in_(chosen)).values(needed=per_item, room=per_item))
    return wanted


def _draw_questions(connection: Connection, project: int, newest: int, wanted: int, per_item: int) -> int:
    """The same by whole questions, about so many items; one that was there before keeps its number of annotators."""
    new = items.c.id > newest
    found = connection.execute(
        select(
            items.c.topic,
            func.count(case((new, 1))).label("added"),
            func.max(case((~new, items.c.needed))).label("needed"),
        )
        .where(items.c.project_id == project)
        .group_by(items.c.topic)
        .having(func.count(case((new, 1))) > 0)
        .order_by(func.min(items.c.drawn), items.c.topic)
    ).all()
    chosen = {row.topic: row.added for row in found if (row.needed or 1) > 1}
    for row in found:
        lacking = wanted - sum(chosen.values()) if row.needed is None else 0
        if lacking > 0 and 2 * lacking >= row.added:
            chosen[row.topic] = row.added
    topics = list(chosen)
    for begin in range(0, len(topics), _AT_ONCE):
        of_these = new, items.c.project_id == project, items.c.topic.in_(topics[begin : begin + _AT_ONCE])
        connection.execute(update(items).where(*of_these).values(needed=per_item, room=per_item))
    return sum(chosen.values())


def _short(key: str) -> str:
    return repr(key if len(key) <= 80 else f"{key[:77]}…")
