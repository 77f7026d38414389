"""Many annotators, threads and processes at once: nothing is lost or doubled, and nobody gets another's item."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from storing import new_id, new_items, settings_of, work_off
from workers import another_process, works_off

from saiten.annotation.store.annotations import annotated_items
from saiten.annotation.store.assignment import next_item
from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import create_person, set_active
from saiten.annotation.store.progress import ItemCounts, item_counts
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import save_annotation, skip_item, undo_last


@pytest.mark.slow
def test_fifty_annotators_at_once(annotation_database):
    """Every item gets exactly as many annotators as it needs, all different; every acknowledged save is stored
    once; and all annotators do the same amount of work, give or take one item.
    """
    with open_project(annotation_database, settings_of(overlap=0.3, per_item=3)) as store:
        add_items(store, new_items(125, questions=40))  # 38 with three annotators, 87 with one: 201 answers
        people = [create_person(store, f"P{number}", "annotator")[0].id for number in range(50)]
        acknowledged = Counter()

        def work(person):
            while (given := next_item(store, person)) is not None:
                saved = save_annotation(
                    store, person, given.number, {"by": person, "of": given.item.id}, save_id=new_id()
                )
                assert (saved.revision, saved.again) == (1, False)
                acknowledged[person, given.item.id] += 1

        with ThreadPoolExecutor(50) as pool:
            list(pool.map(work, people))
        there = Counter()
        for settled in annotated_items(store):
            assert len(settled.annotations) == settled.item.needed
            for person, said in settled.annotations:
                assert said.payload == {"by": person.id, "of": settled.item.id}
                there[person.id, settled.item.id] += 1
        assert there == acknowledged
        assert set(there.values()) == {1}
        done = Counter(person for person, _ in there)
        assert sum(done.values()) == 201
        assert {done[person] for person in people} <= {4, 5}
        assert item_counts(store) == ItemCounts(total=125, finished=125, untouched=0)


@pytest.mark.witness
def test_the_same_save_sent_many_times_at_once_is_stored_once(annotation_database):
    """On several connections at the same moment: one stores it, the others report that it was already there."""
    with open_project(annotation_database, settings_of()) as store:
        add_items(store, new_items(3))
        anna, _ = create_person(store, "Anna", "annotator")
        for number in (1, 2, 3):
            next_item(store, anna.id)
            together = Barrier(6)
            save_id = new_id()

            def send(_, number=number, save_id=save_id, together=together):
                together.wait()
                return save_annotation(store, anna.id, number, {"grade": number}, save_id=save_id)

            with ThreadPoolExecutor(6) as pool:
                saved = list(pool.map(send, range(6)))
            assert sorted(one.again for one in saved) == [False, *[True] * 5]
            assert {one.revision for one in saved} == {1}


def test_one_person_in_many_windows_is_given_one_item(annotation_database):
    """Two simultaneous requests do not yield two items."""
    with open_project(annotation_database, settings_of()) as store:
        add_items(store, new_items(20))
        anna, _ = create_person(store, "Anna", "annotator")
        with ThreadPoolExecutor(8) as pool:
            given = list(pool.map(lambda _: next_item(store, anna.id).number, range(16)))
        assert given == [1] * 16


def test_a_person_saves_skips_and_undoes_in_many_windows_at_once(annotation_database):
    """In any order, the counters are right in the end: unanswered items are available to others."""
    with open_project(annotation_database, settings_of(per_item=1)) as store:
        add_items(store, new_items(12))
        people = [create_person(store, f"P{number}", "annotator")[0].id for number in range(3)]
        extra = create_person(store, "Last", "annotator")[0].id

        def act(turn):
            person = people[turn % 3]
            given = next_item(store, person)
            if given is not None:
                save_annotation(store, person, given.number, {"turn": turn}, save_id=new_id())
                if turn % 4 == 0:
                    skip_item(store, person, given.number, save_id=new_id())
            if turn % 5 == 0:
                undo_last(store, person, save_id=new_id())

        with ThreadPoolExecutor(9) as pool:
            list(pool.map(act, range(60)))
        for person in people:
            set_active(store, person, active=False)
        work_off(store, extra)
        assert item_counts(store).finished == 12
        with store.database.engine.connect() as connection:
            rows = connection.exec_driver_sql(
                "SELECT places, (SELECT sum(CASE WHEN room > 0 THEN room ELSE 0 END) FROM saiten_items) "
                "FROM saiten_projects"
            )
            assert rows.one() == (0, 0)


def test_two_processes_share_a_database(annotation_database):
    """Nobody gets a “database is locked” error; every item is answered as often as it should be."""
    with open_project(annotation_database, settings_of()) as store:
        add_items(store, new_items(40))
        people = [create_person(store, f"P{number}", "annotator")[0].id for number in range(8)]
        with (
            another_process(works_off, annotation_database, people[::2]) as (one, ones),
            another_process(works_off, annotation_database, people[1::2]) as (other, others),
        ):
            lines = [*ones, *others]
            one.join()
            other.join()
        assert [one.exitcode, other.exitcode] == [0, 0]
        assert len(set(lines)) == len(lines) == 80
        assert {len(settled.annotations) for settled in annotated_items(store)} == {2}
        assert item_counts(store).finished == 40
