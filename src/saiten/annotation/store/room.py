"""How many annotators an item can still take, and the sums that follow from it.

Both change only while the project's row is locked, so that no two people get the last place.
"""

from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, select, update

from saiten.annotation.store.schema import items, projects, workloads

HOLDS = frozenset({"given", "done"})
"""States in which an assignment takes a place."""
COUNTS = frozenset({"given", "done", "skipped"})
"""States in which it counts as one that the person got."""


class Sums(NamedTuple):
    """Of a project."""

    size: int
    """How many items there are."""
    overlapping: int
    """How many of them several annotators answer."""
    places: int
    """How many answers are lacking for which nobody has the item yet."""


def lock_project(connection: Connection, project: int) -> Sums:
    """Its sums; nobody else gives out or gives back until the transaction ends."""
    return Sums(*connection.execute(_sums(project).with_for_update(key_share=True)).one())


def sums(connection: Connection, project: int) -> Sums:
    """The same without a lock: as they stood just now."""
    return Sums(*connection.execute(_sums(project)).one())


def move(connection: Connection, project: int, person: int, item: int, *, old: str | None, new: str) -> None:
    """Make the sums right after an assignment changed its state; `old` is None for a new one."""
    places = (new in HOLDS) - (old in HOLDS)
    if places:
        room = connection.execute(
            update(items).where(items.c.id == item).values(room=items.c.room - places).returning(items.c.room)
        ).scalar_one()
        opened = max(room, 0) - max(room + places, 0)
        connection.execute(update(projects).where(projects.c.id == project).values(places=projects.c.places + opened))
    got = (new in COUNTS) - (old in COUNTS)
    if got:
        connection.execute(update(workloads).where(workloads.c.person_id == person).values(had=workloads.c.had + got))


def _sums(project: int) -> Select[Any]:
    return select(projects.c.size, projects.c.overlapping, projects.c.places).where(projects.c.id == project)
