"""Candidate items for an annotator: with room, never theirs before, in the annotator's own order."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlalchemy import ColumnElement, exists, func, select

from saiten.annotation.store.order import BINS, bins_of, place
from saiten.annotation.store.project import Transaction
from saiten.annotation.store.schema import assignments, items

_AT_ONCE = 50
"""Approximate number of open items fetched per query."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that may be assigned."""

    item: int
    topic: int
    """Equal for items of the same question."""
    bin_rank: int
    """Rank of its bin in the annotator's order."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search for one annotator."""

    tx: Transaction
    person: int
    start: int
    """Rank of the bin to begin with; the bins before it come last."""
    places: int
    """Open places in the whole project, about the number of open items."""

    def candidates(self, *conditions: ColumnElement[bool]) -> Iterator[list[Candidate]]:
        """Yield items with room that meet the conditions, in this person's order, a few bins at a time."""
        seed = self.tx.settings.seed
        bins = bins_of(seed, self.person)
        bins = bins[self.start :] + bins[: self.start]
        step = max(1, BINS * _AT_ONCE // max(self.places, _AT_ONCE))
        for begin in range(0, BINS, step):
            chunk = bins[begin : begin + step]
            found = self.tx.connection.execute(
                select(items.c.id, items.c.topic, items.c.bin).where(
                    items.c.project_id == self.tx.project,
                    items.c.room > 0,
                    *(() if len(chunk) == BINS else (items.c.bin.in_(chunk),)),
                    *conditions,
                    ~_had_by(self.person),
                )
            )
            ranks = {number: rank for rank, number in enumerate(chunk, begin)}
            rows = sorted(found, key=lambda row: (ranks[row.bin], place(seed, self.person, row.id)))
            if rows:
                yield [Candidate(row.id, row.topic, (self.start + ranks[row.bin]) % BINS) for row in rows]


def rest_of_question(tx: Transaction, person: int, item: int) -> list[int]:
    """Return the item and all others of its question that the person has not had, in the person's own order."""
    topic = select(items.c.topic).where(items.c.id == item).scalar_subquery()
    chosen = select(items.c.id).where(items.c.project_id == tx.project, items.c.topic == topic, ~_had_by(person))
    return sorted(tx.connection.scalars(chosen), key=lambda each: place(tx.settings.seed, person, each))


def within_reach(tx: Transaction, people: Collection[int]) -> dict[int, int]:
    """Return how many items with room each of these people has not had."""
    with_room = items.c.project_id == tx.project, items.c.room > 0
    total = tx.connection.execute(select(func.count()).select_from(items).where(*with_room)).scalar_one()
    had = tx.connection.execute(
        select(assignments.c.person_id, func.count())
        .join(items, items.c.id == assignments.c.item_id)
        .where(*with_room, assignments.c.person_id.in_(people), assignments.c.state != "released")
        .group_by(assignments.c.person_id)
    )
    out_of_reach = {row[0]: row[1] for row in had}
    return {person: total - out_of_reach.get(person, 0) for person in people}


def of_begun_question(person: int) -> ColumnElement[bool]:
    """Return the condition that this person has had another answer to the item's question."""
    own = items.alias()
    return items.c.topic.in_(
        select(own.c.topic)
        .join(assignments, assignments.c.item_id == own.c.id)
        .where(assignments.c.person_id == person, assignments.c.state != "released")
    )


def count_had_by(people: Collection[int]) -> ColumnElement[int]:
    """Return the count of these people who have had an item that was not reassigned, as an expression."""
    had = assignments.c.person_id.in_(people), assignments.c.state != "released"
    return select(func.count()).where(assignments.c.item_id == items.c.id, *had).scalar_subquery()


def _had_by(person: int) -> ColumnElement[bool]:
    return exists().where(
        assignments.c.item_id == items.c.id, assignments.c.person_id == person, assignments.c.state != "released"
    )
