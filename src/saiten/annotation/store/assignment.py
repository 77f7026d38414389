"""Assignment: which item an annotator gets next.

Everything happens under the project's lock: no two people get the last place of an item, whichever database is used and
however many ask at once.

The open places are distributed by water-filling over what each annotator has had already; the level reached is
everybody's quota. Annotators below it may take another item, those at it are done until somebody leaves or stays away.
So fast annotators do not take the work of slow ones, latecomers catch up as far as possible, and two annotators who
take part throughout end one item apart. Where an item needs nearly as many annotators as there are, they may end a few
apart, since somebody who has time may have had everything that is left.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, func, insert, select, update

from saiten.annotation.records import Assigned
from saiten.annotation.store.annotations import assigned_item
from saiten.annotation.store.capacity import had_by, lock_project, move, release_stale, same_question, totals
from saiten.annotation.store.order import BINS, bins_of, place
from saiten.annotation.store.people import lock_person
from saiten.annotation.store.project import Project, Transaction, reads
from saiten.annotation.store.schema import assignments, items, people, workloads

_MOST_OPEN = 5
"""Unanswered items per annotator: the page prefetches a few, nobody hoards."""
_EXHAUSTIVE_UP_TO = 20_000
"""Open places up to which all open items are considered for an even distribution."""
_SPREAD = 10
"""Questions among the annotator's last ten items are avoided while there are others."""
_AT_ONCE = 50
"""Approximate number of open items fetched per query."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An item that may be assigned."""

    item: int
    topic: int
    """Equal for items of the same question."""
    bin_rank: int
    """Rank of its bin in the annotator's order."""


@dataclass(frozen=True, slots=True)
class _OpenItems:
    """The items with room that one annotator has not had."""

    tx: Transaction
    person: int
    start: int
    """Rank of the bin to begin with; the bins before it come last."""
    places: int
    """Open places in the whole project, about the number of open items."""

    def where(self, *conditions: ColumnElement[bool]) -> Iterator[list[_Candidate]]:
        """Yield those that meet the conditions, in this person's order, a few bins at a time."""
        seed = self.tx.settings.seed
        bins = bins_of(seed, self.person)
        bins = bins[self.start :] + bins[: self.start]
        # a power of two: SQLite would keep a statement in memory for every other number of bins
        step = 1 << (BINS * _AT_ONCE // max(self.places, _AT_ONCE)).bit_length()
        for begin in range(0, BINS, step):
            chunk = bins[begin : begin + step]
            found = self.tx.connection.execute(
                select(items.c.id, items.c.topic, items.c.bin).where(
                    items.c.project_id == self.tx.project,
                    items.c.room > 0,
                    *(() if len(chunk) == BINS else (items.c.bin.in_(chunk),)),
                    *conditions,
                    ~had_by(self.person),
                )
            )
            ranks = {number: rank for rank, number in enumerate(chunk, begin)}
            rows = sorted(found, key=lambda row: (ranks[row.bin], place(seed, self.person, row.id)))
            if rows:
                yield [_Candidate(row.id, row.topic, (self.start + ranks[row.bin]) % BINS) for row in rows]


def next_item(project: Project, person: int, *, after: int = 0) -> Assigned | None:
    """Return the person's first unanswered item with a number above `after`, or else assign a new one.

    None if nothing is left for them, or if they have five unanswered items. `after` is for prefetching.

    Raises:
        BadInput: there is no such person, or they may no longer take part.
    """
    number = project.read(lambda tx: _open_number(tx, person, after))
    if number is None:
        number = project.write(lambda tx: _assign(tx, person, after))
    return None if number is None else assigned_item(project, person, number)


@reads
def expected_share(tx: Transaction, person: int) -> int:
    """Return how many items this person will have had in the end, as of now; 0 for a non-participant."""
    total, _, places = totals(tx)
    had = _workloads(tx, person)
    if person not in had:
        return 0
    return min(total, max(had[person], quota(places, had.values()))) if places > 0 else had[person]


def _open_number(tx: Transaction, person: int, after: int) -> int | None:
    numbers = select(assignments.c.number).join_from(assignments, people)
    own = numbers.where(people.c.id == person, people.c.project_id == tx.project, people.c.active)
    unanswered = own.where(assignments.c.state == "given", assignments.c.number > after)
    return tx.connection.scalar(unanswered.order_by(assignments.c.number).limit(1))


def _assign(tx: Transaction, person: int, after: int) -> int | None:
    if lock_person(tx, person).role != "annotator":
        return None
    _, _, places = lock_project(tx)
    if (number := _open_number(tx, person, after)) is not None:
        return number  # assigned in another window meanwhile
    unanswered = select(assignments.c.id).where(assignments.c.person_id == person, assignments.c.state == "given")
    if len(tx.connection.execute(unanswered).all()) >= _MOST_OPEN:
        return None
    bin_rank = tx.connection.execute(select(workloads.c.bin_rank).where(workloads.c.person_id == person)).scalar_one()
    chosen = _choose(_OpenItems(tx, person, bin_rank, places)) if places > 0 else None
    if chosen is not None:
        return _give(tx, person, chosen.item, chosen.bin_rank)
    item = release_stale(tx, person, tx.now - tx.release_after)
    return None if item is None else _give(tx, person, item, bin_rank)


def _choose(open_items: _OpenItems) -> _Candidate | None:
    tx, person = open_items.tx, open_items.person
    if tx.settings.whole_questions and (begun := next(open_items.where(_of_begun_question(person)), None)):
        return replace(begun[0], bin_rank=open_items.start)
    lacking = shortfalls(open_items.places, _workloads(tx, person))
    others = {other: lacks for other, lacks in lacking.items() if other != person}
    recent = _recent_topics(tx, person)
    if person not in lacking:  # only what all others have had, and cannot take
        return _spread(open_items.where(_count_had_by(others) == len(others)), recent)
    for preferred in _preferred(open_items, others):
        if (found := _spread(open_items.where(preferred), recent)) is not None:
            return replace(found, bin_rank=open_items.start)  # there may be others before it
    return _spread(open_items.where(), recent)


def _preferred(open_items: _OpenItems, others: Mapping[int, int]) -> Iterator[ColumnElement[bool]]:
    """Yield conditions of items to try first when few annotators share the work, so that it is shared evenly.

    `others` maps annotators below their quota to how many items they lack. With few annotators, one may have time but
    have had every item that is left. Two rules prevent that: items that only the remaining annotators can take come
    first; and nobody takes the last place of an item that somebody else needs to reach their quota.
    """
    tx = open_items.tx
    if not others or open_items.places > _EXHAUSTIVE_UP_TO or len(others) >= 2 * tx.settings.per_item:
        return
    if len(others) < tx.settings.per_item:
        yield items.c.room >= len(others) + 1 - _count_had_by(others)
    reach = _within_reach(tx, others)
    if tight := [person for person, lacking in others.items() if reach[person] <= lacking]:
        yield (items.c.room > 1) | (_count_had_by(tight) == len(tight))


def quota(places: int, had: Collection[int]) -> int:
    """Return the smallest L such that raising everybody below it to L takes `places` items; 0 for nobody."""
    workloads = sorted(had)
    filled = 0
    for count, workload in enumerate(workloads, 1):
        # raise the `count` lowest until they reach the next one
        filled += workload
        level = -(-(places + filled) // count)
        if count == len(workloads) or level <= workloads[count]:
            return level
    return 0


def shortfalls(places: int, had: Mapping[int, int]) -> dict[int, int]:
    """Return how many items each annotator below the quota lacks."""
    level = quota(places, had.values())
    return {person: level - workload for person, workload in had.items() if workload < level}


def _workloads(tx: Transaction, person: int) -> dict[int, int]:
    """Return how many items each annotator has had who shares the rest: this one, and everybody seen lately."""
    takes_part = (people.c.seen_at >= tx.now - tx.release_after) | (people.c.id == person)
    annotators = (people.c.project_id == tx.project, people.c.role == "annotator", people.c.active)
    had = select(people.c.id, workloads.c.had).join_from(people, workloads).where(*annotators, takes_part)
    return {row.id: row.had for row in tx.connection.execute(had)}


def _recent_topics(tx: Transaction, person: int) -> dict[int, int]:
    """Return the questions of the person's latest items, and how long ago: 0 for the last one."""
    found = tx.connection.scalars(
        select(items.c.topic)
        .join_from(assignments, items)
        .where(assignments.c.person_id == person)
        .order_by(assignments.c.number.desc())
        .limit(_SPREAD)
    ).all()
    return {topic: ago for ago, topic in reversed(list(enumerate(found)))}


def _spread(chunks: Iterable[list[_Candidate]], recent: dict[int, int]) -> _Candidate | None:
    """Return the first candidate whose question is not recent, or else the one whose question is longest ago.

    Its `bin_rank` is that of the first candidate of all, since nothing is left before that.
    """
    first = next(iter(chunks), None)
    if first is None:
        return None
    chosen = max(first, key=lambda one: recent.get(one.topic, _SPREAD))
    return replace(chosen, bin_rank=first[0].bin_rank)


def _give(tx: Transaction, person: int, item: int, bin_rank: int) -> int:
    """Assign the item and return its number; with whole questions, assign the rest of the question with it.

    That includes answers which others have had: an answer that somebody skipped brings its question along.
    """
    if not tx.settings.whole_questions:
        return _give_one(tx, person, item, bin_rank)
    return min(_give_one(tx, person, each, bin_rank) for each in _rest_of_question(tx, person, item))


def _give_one(tx: Transaction, person: int, item: int, bin_rank: int) -> int:
    own = update(assignments).where(assignments.c.person_id == person, assignments.c.item_id == item)
    again = own.values(state="given", given_at=tx.now).returning(assignments.c.number)
    number: int | None = tx.connection.scalar(again)
    if number is not None:  # released before, and nobody else took it
        move(tx, person, item, old="released", new="given")
        return number
    numbered = (
        update(workloads)
        .where(workloads.c.person_id == person)
        .values(last_number=workloads.c.last_number + 1, bin_rank=bin_rank)
        .returning(workloads.c.last_number)
    )
    number = int(tx.connection.execute(numbered).scalar_one())
    tx.connection.execute(insert(assignments).values(person_id=person, item_id=item, number=number, given_at=tx.now))
    move(tx, person, item, old=None, new="given")
    return number


def _rest_of_question(tx: Transaction, person: int, item: int) -> list[int]:
    """Return the item and all others of its question that the person has not had, in the person's own order."""
    chosen = tx.connection.scalars(same_question(tx, item).where(~had_by(person)))
    return sorted(chosen, key=lambda each: place(tx.settings.seed, person, each))


def _within_reach(tx: Transaction, people: Collection[int]) -> dict[int, int]:
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


def _of_begun_question(person: int) -> ColumnElement[bool]:
    """Return the condition that this person has had another answer to the item's question."""
    own = items.alias()
    return items.c.topic.in_(
        select(own.c.topic)
        .join(assignments, assignments.c.item_id == own.c.id)
        .where(assignments.c.person_id == person, assignments.c.state != "released")
    )


def _count_had_by(people: Collection[int]) -> ColumnElement[int]:
    """Return the count of these people who have had an item that was not reassigned, as an expression."""
    had = assignments.c.person_id.in_(people), assignments.c.state != "released"
    return select(func.count()).where(assignments.c.item_id == items.c.id, *had).scalar_subquery()
