"""Who gets which item next.

All under the project's lock: no two people get the last place of an item, whatever the database and however many ask.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, insert, select, update

from saiten.annotation.records import ProjectSettings
from saiten.annotation.store.candidates import Candidate, Search, rest_of_question, within_reach
from saiten.annotation.store.people import locked
from saiten.annotation.store.releasing import release_for
from saiten.annotation.store.room import lock_project, move, sums
from saiten.annotation.store.schema import assignments, items, people, workloads
from saiten.annotation.store.shares import below, level

_IN_HANDS = 5
"""Items that one annotator may have unanswered: the page fetches some ahead, nobody hoards."""
_LOOKED_OVER = 20_000
"""Places up to which all open items are looked at, where that helps to share them evenly."""
_SPREAD = 10
"""An item's question is not among the last ten that the annotator got, where there is another item."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What giving out depends on, beside the database."""

    project: int
    settings: ProjectSettings
    release_after: timedelta
    """For so long an item is kept for whom it was given to, and a share for who is not seen."""
    now: datetime


def open_number(connection: Connection, project: int, person: int, after: int) -> int | None:
    """The first number above `after` that the person has and has not answered."""
    return connection.scalar(
        select(assignments.c.number)
        .join_from(assignments, people)
        .where(
            people.c.id == person,
            people.c.project_id == project,
            people.c.active,
            assignments.c.state == "given",
            assignments.c.number > after,
        )
        .order_by(assignments.c.number)
        .limit(1)
    )


def give(connection: Connection, rules: Rules, person: int, after: int) -> int | None:
    """The number of an item in this person's hands, a new one if need be; None where nothing is left for them.

    Raises:
        BadInput: there is no such person, or they do not take part any more.
    """
    who = locked(connection, rules.project, person, rules.now)
    if who.role != "annotator":
        return None
    _, _, places = lock_project(connection, rules.project)
    if (number := open_number(connection, rules.project, person, after)) is not None:
        return number  # given in another window meanwhile
    unanswered = select(assignments.c.id).where(assignments.c.person_id == person, assignments.c.state == "given")
    if len(connection.execute(unanswered).all()) >= _IN_HANDS:
        return None
    own = connection.execute(select(workloads).where(workloads.c.person_id == person)).one()
    search = Search(connection, rules.project, rules.settings.seed, person, own.bin_rank, places)
    chosen = _choose(connection, rules, search, places)
    if chosen is None:
        before, whole = rules.now - rules.release_after, rules.settings.whole_questions
        item = release_for(connection, rules.project, person, before, whole_questions=whole)
        return None if item is None else _hand_over(connection, rules, person, item, own.bin_rank)
    return _hand_over(connection, rules, person, chosen.item, chosen.bin_rank)


def share(connection: Connection, rules: Rules, person: int) -> int:
    """How many items this person will have had in the end, as things stand; 0 for who does not take part."""
    total, _, places = sums(connection, rules.project)
    had = _at_work(connection, rules, person)
    if person not in had:
        return 0
    return min(total, max(had[person], level(places, had.values()))) if places > 0 else had[person]


def _choose(connection: Connection, rules: Rules, search: Search, places: int) -> Candidate | None:
    if places <= 0:
        return None
    if rules.settings.whole_questions and (begun := next(search.begun(), None)):
        return Candidate(begun[0].item, begun[0].topic, search.start)
    lacking = below(places, _at_work(connection, rules, search.person))
    others = lacking.keys() - {search.person}
    recent = _recent_topics(connection, search.person)
    if search.person not in lacking:
        return _spread(search.left_by(others), recent)
    for careful in _careful(connection, rules, search, {person: lacking[person] for person in others}):
        if (found := _spread(careful, recent)) is not None:
            return Candidate(found.item, found.topic, search.start)  # there may be others before it
    return _spread(search.all(), recent)


def _careful(
    connection: Connection, rules: Rules, search: Search, others: Mapping[int, int]
) -> Iterator[Iterator[list[Candidate]]]:
    """What to look for first where few annotators share the work, so that in the end it can be shared evenly.

    `others`: who has had less than their share, and how many are lacking to it. A few annotators may come to a point
    where one of them has time, and was given everything that is left before. Two rules keep them from it: what only
    those can do who are still to do something comes first; and nobody takes the last place of an item that somebody
    else needs to get their share.
    """
    if not others or search.places > _LOOKED_OVER or len(others) >= 2 * rules.settings.per_item:
        return
    if len(others) < rules.settings.per_item:
        yield search.indispensable(others)
    reach = within_reach(connection, rules.project, others)
    if tight := [person for person, lacking in others.items() if reach[person] <= lacking]:
        yield search.sparing(tight)


def _at_work(connection: Connection, rules: Rules, person: int) -> dict[int, int]:
    """How many items those have had among whom the rest is shared: this person, and whoever was seen lately."""
    found = connection.execute(
        select(people.c.id, workloads.c.had)
        .join_from(people, workloads)
        .where(
            people.c.project_id == rules.project,
            people.c.role == "annotator",
            people.c.active,
            (people.c.seen_at >= rules.now - rules.release_after) | (people.c.id == person),
        )
    )
    return {row.id: row.had for row in found}


def _recent_topics(connection: Connection, person: int) -> dict[int, int]:
    """Questions that the person got last, and how long ago: 0 for the last one."""
    found = connection.scalars(
        select(items.c.topic)
        .join_from(assignments, items)
        .where(assignments.c.person_id == person)
        .order_by(assignments.c.number.desc())
        .limit(_SPREAD)
    ).all()
    return {topic: ago for ago, topic in reversed(list(enumerate(found)))}


def _spread(runs: Iterable[list[Candidate]], recent: dict[int, int]) -> Candidate | None:
    """The first candidate of another question than the recent ones, or else of the one longest ago.

    Its `bin_rank` is that of the first candidate of all: before it there is nothing.
    """
    first = next(iter(runs), None)
    if first is None:
        return None
    chosen = next((one for one in first if one.topic not in recent), None)
    chosen = chosen or max(first, key=lambda one: recent[one.topic])
    return Candidate(chosen.item, chosen.topic, first[0].bin_rank)


def _hand_over(connection: Connection, rules: Rules, person: int, item: int, bin_rank: int) -> int:
    """The number of the item; with whole questions the first of all those that the person gets with it.

    They get them also where others have had them: an answer that somebody skipped brings its question along.
    """
    if not rules.settings.whole_questions:
        return _hand_over_one(connection, rules, person, item, bin_rank)
    together = rest_of_question(connection, rules.project, rules.settings.seed, person, item)
    return min(_hand_over_one(connection, rules, person, each, bin_rank) for each in together)


def _hand_over_one(connection: Connection, rules: Rules, person: int, item: int, bin_rank: int) -> int:
    before = connection.execute(
        select(assignments.c.id, assignments.c.number).where(
            assignments.c.person_id == person, assignments.c.item_id == item
        )
    ).one_or_none()
    if before is None:
        numbered = (
            update(workloads)
            .where(workloads.c.person_id == person)
            .values(last_number=workloads.c.last_number + 1, bin_rank=bin_rank)
            .returning(workloads.c.last_number)
        )
        number = int(connection.execute(numbered).scalar_one())
        connection.execute(
            insert(assignments).values(
                person_id=person, item_id=item, number=number, state="given", given_at=rules.now, revision=0
            )
        )
    else:  # released, and nobody else took it
        number = int(before.number)
        connection.execute(
            update(assignments).where(assignments.c.id == before.id).values(state="given", given_at=rules.now)
        )
    move(connection, rules.project, person, item, old="released" if before else None, new="given")
    return number
