"""What the admin sees: progress, all answers, decisions."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from storing import new_id, new_items, settings_of, work_off

from saiten.annotation.store.annotations import annotated_item, annotated_items, assigned_item, assigned_items, decide
from saiten.annotation.store.assignment import next_item
from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import create_person, set_active
from saiten.annotation.store.progress import ItemCounts, annotator_progress, item_counts
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import save_annotation, skip_item, undo_last
from saiten.annotation.store.schema import decisions
from saiten.errors import BadInput


@pytest.fixture
def store(annotation_database):
    """450 items, more than one batch, each answered by one annotator."""
    with open_project(annotation_database, settings_of(per_item=1)) as store:
        add_items(store, new_items(450))
        yield store


@pytest.fixture
def small(annotation_database):
    """Three items for two annotators, who have answered everything, and an admin, number 3."""
    with open_project(annotation_database, settings_of()) as store:
        add_items(store, new_items(3))
        for name in ("Anna", "Ben"):
            work_off(store, create_person(store, name, "annotator")[0].id)
        create_person(store, "Boss", "admin")
        yield store


def test_all_that_was_said_streams_in_the_order_of_items(store, annotation_database):
    """Each item comes once, across batch boundaries; untouched ones are left out."""
    anna, _ = create_person(store, "Anna", "annotator")
    numbers = []
    for _ in range(5):
        given = next_item(store, anna.id)
        save_annotation(store, anna.id, given.number, {"grade": given.number}, save_id=new_id())
        numbers.append(given.item.id)
    assert [settled.item.id for settled in annotated_items(store)] == sorted(numbers)
    with store.database.engine.execution_options(writes=True).begin() as connection:  # faster than 450 saves
        connection.exec_driver_sql(
            "INSERT INTO saiten_assignments (person_id, item_id, number, state, given_at, revision, standing_id) "
            "SELECT 1, id, 1000 + id, 'done', made_at, 1, (SELECT min(id) FROM saiten_acts) "
            "FROM saiten_items, (SELECT made_at FROM saiten_projects) p WHERE id NOT IN (SELECT item_id FROM saiten_assignments)"
        )
    found = [settled.item.key for settled in annotated_items(store)]
    assert found == [item.key for item in new_items(450)]
    reading = annotated_items(store)
    assert next(reading).item.key == found[0]
    reading.close()


def test_people_are_in_order_of_their_numbers_without_skipped_ones(small):
    """Answers that were taken back or skipped are not among the given ones."""
    settled = annotated_item(small, 1)
    assert [person.name for person, _ in settled.annotations] == ["Anna", "Ben"]
    number = next(given.number for given in assigned_items(small, 1) if given.item.id == 1)
    skip_item(small, 1, number, save_id="s")
    assert [person.name for person, _ in annotated_item(small, 1).annotations] == ["Ben"]


def test_a_decision_is_kept_along_with_the_labels_and_never_lost(small):
    """The latest decision counts; earlier ones are kept; the annotators' labels are unchanged."""
    before = annotated_item(small, 2).annotations
    decide(small, 2, {"grade": 1}, "", admin=3)
    decide(small, 2, {"grade": 2, "reason": "二人の間"}, "理由\n<b>", admin=3)
    settled = annotated_item(small, 2)
    assert (settled.decision.payload, settled.decision.note, settled.decision.by) == (
        {"grade": 2, "reason": "二人の間"},
        "理由\n<b>",
        "Boss",
    )
    assert datetime.now(UTC) - settled.decision.decided_at < timedelta(hours=1)
    assert settled.annotations == before
    assert [json.loads(payload)["grade"] for payload in stored_decisions(small, 2)] == [1, 2]
    assert stored_decisions(small, 1) == []
    assert [one.decision is not None for one in annotated_items(small)] == [False, True, False]


def stored_decisions(project, item):
    """The payloads of all decisions on an item, oldest first."""
    with project.database.engine.connect() as connection:
        chosen = select(decisions.c.payload).where(decisions.c.item_id == item).order_by(decisions.c.id)
        return connection.scalars(chosen).all()


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
    """The decision is refused, and nothing is stored."""
    with pytest.raises(BadInput):
        decide(small, item, payload, note, admin=admin)
    assert stored_decisions(small, 1) == []


def test_an_admin_who_left_cannot_decide(small):
    """Not even from a page that is still open."""
    set_active(small, 3, active=False)
    with pytest.raises(BadInput):
        decide(small, 1, {}, "", admin=3)


def test_progress_counts_current_answers(small):
    """Progress is counted per annotator, without admins; the flag is that of the current answer."""
    save_annotation(small, 1, 1, {"grade": 3}, save_id="a", unclear=True)
    skip_item(small, 1, 2, save_id="b")
    undo_last(small, 2, save_id="c")
    create_person(small, "Chie", "annotator")
    progress = [(one.person.name, one.done, one.skipped, one.unclear, one.given) for one in annotator_progress(small)]
    assert progress == [("Anna", 2, 1, 1, 0), ("Ben", 2, 0, 0, 1), ("Chie", 0, 0, 0, 0)]
    anna, _, nobody = annotator_progress(small)
    assert datetime.now(UTC) - anna.last_saved < timedelta(hours=1)
    assert nobody.last_saved is None
    skipped, taken_back = assigned_item(small, 1, 2).item.id, assigned_item(small, 2, 3).item.id
    same = skipped == taken_back
    assert item_counts(small) == ItemCounts(total=3, finished=2 if same else 1, untouched=1 if same else 0)
    assert annotated_item(small, 99) is None
