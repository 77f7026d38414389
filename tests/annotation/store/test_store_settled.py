"""What the admin sees: progress, all that was said, decisions."""

from datetime import UTC, datetime, timedelta

import pytest
from storing import new_id, new_items, settings_of, work_off

from saiten.annotation.store import ItemCounts, Store
from saiten.errors import BadInput


@pytest.fixture
def store(annotation_database):
    """450 items, more than are read at once, that one annotator answers each."""
    with Store.open(annotation_database, settings_of(per_item=1)) as store:
        store.add_items(new_items(450))
        yield store


@pytest.fixture
def small(annotation_database):
    """Three items for two annotators, and an admin, number 3; both have answered everything."""
    with Store.open(annotation_database, settings_of()) as store:
        store.add_items(new_items(3))
        for name in ("Anna", "Ben"):
            work_off(store, store.create_person(name, "annotator")[0].id)
        store.create_person("Boss", "admin")
        yield store


def test_all_that_was_said_streams_in_the_order_of_items(store, annotation_database):
    """Each item once, over the bounds of what is read at once; untouched ones are left out."""
    anna, _ = store.create_person("Anna", "annotator")
    numbers = []
    for _ in range(5):
        given = store.next_item(anna.id)
        store.save(anna.id, given.number, {"grade": given.number}, save_id=new_id())
        numbers.append(given.item.id)
    assert [settled.item.id for settled in store.settled()] == sorted(numbers)
    with store._database._engine.execution_options(writes=True).begin() as connection:  # quicker than 450 saves
        connection.exec_driver_sql(
            "INSERT INTO saiten_assignments (person_id, item_id, number, state, given_at, revision, standing_id) "
            "SELECT 1, id, 1000 + id, 'done', made_at, 1, (SELECT min(id) FROM saiten_acts) "
            "FROM saiten_items, (SELECT made_at FROM saiten_projects) p WHERE id NOT IN (SELECT item_id FROM saiten_assignments)"
        )
    found = [settled.item.key for settled in store.settled()]
    assert found == [item.key for item in new_items(450)]
    reading = store.settled()
    assert next(reading).item.key == found[0]
    reading.close()


def test_people_stand_by_their_numbers_and_skipped_ones_are_apart(small):
    """What was taken back or passed over is not among what was said."""
    settled = small.item_settled(1)
    assert [person.name for person, _ in settled.said] == ["Anna", "Ben"]
    number = next(given.number for given in small.assigned(1) if given.item.id == 1)
    small.skip(1, number, save_id="s")
    assert [person.name for person, _ in small.item_settled(1).said] == ["Ben"]


def test_a_decision_stands_beside_what_was_said_and_is_never_lost(small):
    """The latest counts; those before are kept; the labels of annotators are as they were."""
    before = small.item_settled(2).said
    small.decide(2, {"grade": 1}, "", 3)
    small.decide(2, {"grade": 2, "reason": "二人の間"}, "理由\n<b>", 3)
    settled = small.item_settled(2)
    assert (settled.decision.payload, settled.decision.note, settled.decision.by) == (
        {"grade": 2, "reason": "二人の間"},
        "理由\n<b>",
        "Boss",
    )
    assert datetime.now(UTC) - settled.decision.decided_at < timedelta(hours=1)
    assert settled.said == before
    assert [decision.payload["grade"] for decision in small.decisions(2)] == [1, 2]
    assert small.decisions(1) == []
    assert [one.decision is not None for one in small.settled()] == [False, True, False]


@pytest.mark.parametrize(
    ("item", "payload", "note", "admin"),
    [
        (99, {}, "", 3),
        (1, {}, "", 1),
        (1, {}, "", 99),
        (1, {"grade": float("nan")}, "", 3),
        (1, {}, "\0", 3),
        (1, {}, "\ud800", 3),
        (1, {}, "x" * 100_001, 3),
    ],
)
def test_who_may_not_decide_and_what_cannot_be_kept(small, item, payload, note, admin):
    """Is refused, and nothing is stored."""
    with pytest.raises(BadInput):
        small.decide(item, payload, note, admin)
    assert small.decisions(1) == []


def test_an_admin_who_left_cannot_decide(small):
    """Neither by an old page."""
    small.set_active(3, active=False)
    with pytest.raises(BadInput):
        small.decide(1, {}, "", 3)


def test_progress_counts_what_stands(small):
    """Per annotator, admins left out; the flag of the standing answer."""
    small.save(1, 1, {"grade": 3}, save_id="a", unclear=True)
    small.skip(1, 2, save_id="b")
    small.undo(2, save_id="c")
    small.create_person("Chie", "annotator")
    told = [(one.person.name, one.done, one.skipped, one.unclear, one.given) for one in small.progress()]
    assert told == [("Anna", 2, 1, 1, 0), ("Ben", 2, 0, 0, 1), ("Chie", 0, 0, 0, 0)]
    anna, _, nobody = small.progress()
    assert datetime.now(UTC) - anna.last_saved < timedelta(hours=1)
    assert nobody.last_saved is None
    skipped, taken_back = small.assigned_number(1, 2).item.id, small.assigned_number(2, 3).item.id
    same = skipped == taken_back
    assert small.item_counts() == ItemCounts(total=3, finished=2 if same else 1, untouched=1 if same else 0)
    assert small.item_settled(99) is None
