"""Items that an annotator may be given next: with room, never theirs before, in the annotator's own order."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, exists, func, select

from saiten.annotation.store.order import BINS, bins_of, place
from saiten.annotation.store.schema import assignments, items

_AT_ONCE = 50
"""About how many open items are looked at together."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that may be given."""

    item: int
    topic: int
    """The same for items of the same question."""
    bin_rank: int
    """Where its bin stands in the annotator's order."""


@dataclass(frozen=True, slots=True)
class Search:
    """For whom items are looked for. Each way to look gives candidates in this person's order, a few bins at a time."""

    connection: Connection
    project: int
    seed: int
    person: int
    start: int
    """The place in the order of bins to begin with; the bins before it come last."""
    places: int
    """That are open in the whole project: about the number of open items."""

    def all(self) -> Iterator[list[Candidate]]:
        """All items with room."""
        return self._runs()

    def begun(self) -> Iterator[list[Candidate]]:
        """Items of questions of which this person has had other answers."""
        theirs = items.alias()
        topics = (
            select(theirs.c.topic)
            .join(assignments, assignments.c.item_id == theirs.c.id)
            .where(assignments.c.person_id == self.person, assignments.c.state != "released")
        )
        return self._runs(items.c.topic.in_(topics))

    def indispensable(self, others: Collection[int]) -> Iterator[list[Candidate]]:
        """Items that lack so many annotators that this person and all `others` who have not had them must take them."""
        return self._runs(items.c.room >= len(others) + 1 - _had_by(others))

    def left_by(self, others: Collection[int]) -> Iterator[list[Candidate]]:
        """Items that all of `others` have had, so that none of them can take them."""
        return self._runs(_had_by(others) == len(others))

    def sparing(self, others: Collection[int]) -> Iterator[list[Candidate]]:
        """Items that none of `others` loses when this person takes them: there is room left, or they have had them."""
        return self._runs((items.c.room > 1) | (_had_by(others) == len(others)))

    def _runs(self, *conditions: ColumnElement[bool]) -> Iterator[list[Candidate]]:
        bins = bins_of(self.seed, self.person)
        bins = bins[self.start :] + bins[: self.start]
        step = max(1, BINS * _AT_ONCE // max(self.places, _AT_ONCE))
        for begin in range(0, BINS, step):
            run = bins[begin : begin + step]
            found = self.connection.execute(
                select(items.c.id, items.c.topic, items.c.bin).where(
                    items.c.project_id == self.project,
                    items.c.room > 0,
                    *(() if len(run) == BINS else (items.c.bin.in_(run),)),
                    *conditions,
                    ~had_by(self.person),
                )
            )
            turns = {number: turn for turn, number in enumerate(run, begin)}
            rows = sorted(found, key=lambda row: (turns[row.bin], place(self.seed, self.person, row.id)))
            if rows:
                yield [Candidate(row.id, row.topic, (self.start + turns[row.bin]) % BINS) for row in rows]


def rest_of_question(connection: Connection, project: int, seed: int, person: int, item: int) -> list[int]:
    """This item and all others of its question that the person has not had, in an order of the person's own."""
    topic = select(items.c.topic).where(items.c.id == item).scalar_subquery()
    chosen = select(items.c.id).where(items.c.project_id == project, items.c.topic == topic, ~had_by(person))
    return sorted(connection.scalars(chosen), key=lambda each: place(seed, person, each))


def had_by(person: int) -> ColumnElement[bool]:
    """Whether this person has had an item, and it did not go to others."""
    return exists().where(
        assignments.c.item_id == items.c.id, assignments.c.person_id == person, assignments.c.state != "released"
    )


def within_reach(connection: Connection, project: int, people: Collection[int]) -> dict[int, int]:
    """How many items with room each of these people has not had."""
    with_room = items.c.project_id == project, items.c.room > 0
    total = connection.execute(select(func.count()).select_from(items).where(*with_room)).scalar_one()
    had = connection.execute(
        select(assignments.c.person_id, func.count())
        .join(items, items.c.id == assignments.c.item_id)
        .where(*with_room, assignments.c.person_id.in_(people), assignments.c.state != "released")
        .group_by(assignments.c.person_id)
    )
    out_of_reach = {row[0]: row[1] for row in had}
    return {person: total - out_of_reach.get(person, 0) for person in people}


def _had_by(people: Collection[int]) -> ColumnElement[int]:
    """How many of these people have had an item."""
    return (
        select(func.count())
        .where(
            assignments.c.item_id == items.c.id,
            assignments.c.person_id.in_(people),
            assignments.c.state != "released",
        )
        .scalar_subquery()
    )
