"""Who gets which item, in which order, and what happens to it when somebody joins or leaves."""

import random
import sqlite3
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from storing import new_id, new_items, settings_of, work_off

from saiten.annotation.records import NewItem
from saiten.annotation.store.annotations import annotated_item, annotated_items, assigned_item, assigned_items
from saiten.annotation.store.assignment import expected_share, next_item
from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import create_person, set_active
from saiten.annotation.store.progress import answered_count, item_counts
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import save_annotation, skip_item, undo_last

DAY = timedelta(hours=24, seconds=1)


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 2, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def people(store, number):
    """Add this many annotators; returns their numbers."""
    return [create_person(store, f"P{index}", "annotator")[0].id for index in range(number)]


def order(store, person):
    """The keys in the order in which this annotator gets them when working alone."""
    work_off(store, person)
    return [given.item.key for given in assigned_items(store, person)]


def test_everybody_has_an_order_of_their_own(tmp_path):
    """The order depends on the project's seed and the person: repeatable, different for another seed or person."""
    found = {}
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        with open_project(str(tmp_path / name), settings_of(seed=seed)) as store:
            add_items(store, new_items(12))
            found[name] = [order(store, person) for person in people(store, 2)]
    first, second = found["a"]
    assert sorted(first) == sorted(second) == sorted(item.key for item in new_items(12))
    assert found["b"] == found["a"]
    assert first not in (second, found["c"][0], [item.key for item in new_items(12)])
    assert len(set(pairwise(first)) & set(pairwise(second))) < 5  # nor do they see the same ones one after the other


def test_answers_to_one_question_are_spread_out(tmp_path):
    """With six answers to each of ten questions, none is within five of another except at the very end."""
    with open_project(str(tmp_path / "a.db"), settings_of()) as store:
        add_items(store, new_items(60, questions=10))
        (anna,) = people(store, 1)
        work_off(store, anna)
        asked = [given.item.content["question"] for given in assigned_items(store, anna)]
    for place, question in enumerate(asked[:45]):
        assert question not in asked[max(0, place - 5) : place]


def test_an_open_item_comes_first_and_a_few_can_be_fetched_ahead(annotation_database):
    """A person holds at most five unanswered items."""
    with open_project(annotation_database, settings_of()) as store:
        add_items(store, new_items(20))
        (anna,) = people(store, 1)
        assert [next_item(store, anna, after=number).number for number in (0, 0, 1, 2, 3, 4)] == [1, 1, 2, 3, 4, 5]
        assert next_item(store, anna, after=5) is None
        save_annotation(store, anna, 3, {}, save_id="a")
        assert next_item(store, anna, after=2).number == 4
        assert next_item(store, anna, after=5).number == 6
        assert next_item(store, anna).number == 1
        assert [given.number for given in assigned_items(store, anna)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("number", "per_item", "overlap", "difference"),
    [
        (4, 2, 0.5, 1),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((2, 1, 0.0, 1), (3, 2, 1.0, 1), (5, 3, 1.0, 1))),
    ],
)
def test_however_unlike_their_pace_the_work_is_shared_evenly(tmp_path, number, per_item, overlap, difference):
    """Two are fast, and the others begin only when nothing is left for the fast ones: all get the same number of items,
    give or take one, and every item has as many annotators as it needs.
    """
    with open_project(str(tmp_path / "a.db"), settings_of(per_item=per_item, overlap=overlap)) as store:
        add_items(store, new_items(12))
        own = people(store, number)
        hurrying = [*own[:2]] * 12
        for person in hurrying:
            work_off(store, person, most=1)
        assert expected_share(store, own[0]) == answered_count(store, own[0])
        for person in [*own[2:], *own]:
            work_off(store, person)
        done = [answered_count(store, person) for person in own]
        assert max(done) - min(done) <= difference
        assert item_counts(store).finished == 12
        assert [expected_share(store, person) for person in own] == done


def test_who_never_comes_keeps_nobody_from_the_work_for_more_than_a_day(annotation_database):
    """The share of somebody who was not seen for 24 hours goes to those who were."""
    clock = Clock()
    with open_project(annotation_database, settings_of(per_item=1), clock=clock) as store:
        add_items(store, new_items(8))
        anna, _ = people(store, 2)
        assert len(work_off(store, anna)) == expected_share(store, anna) == 4
        clock.now += DAY
        assert expected_share(store, anna) == 8
        assert len(work_off(store, anna)) == 4


def test_who_comes_later_catches_up(annotation_database):
    """The rest is shared so that all end up with the same number, as far as possible."""
    with open_project(annotation_database, settings_of(per_item=1)) as store:
        add_items(store, new_items(10))
        (anna,) = people(store, 1)
        work_off(store, anna, most=4)
        ben = create_person(store, "Ben", "annotator")[0].id
        assert len(work_off(store, ben)) == 5
        assert len(work_off(store, anna)) == 1
        add_items(store, new_items(2, begin=10))
        assert len(work_off(store, ben)) == len(work_off(store, anna)) == 1


def test_what_somebody_has_not_answered_goes_to_others_when_they_leave(annotation_database):
    """Their answers stay. If they come back, they can have the item again unless somebody took it."""
    with open_project(annotation_database, settings_of(per_item=1)) as store:
        add_items(store, new_items(4))
        anna, ben = people(store, 2)
        done = work_off(store, anna, most=1)
        held = next_item(store, anna).item.id
        set_active(store, anna, active=False)
        assert sorted(work_off(store, ben)) == sorted({1, 2, 3, 4} - set(done))
        set_active(store, anna, active=True)
        assert [given.state for given in assigned_items(store, anna)] == ["done"]
        assert assigned_item(store, anna, 2).state == "given"  # a page that is still open can still send
        assert next_item(store, anna) is None
        save_annotation(store, anna, 2, {"late": True}, save_id="late")
        assert len(annotated_item(store, held).annotations) == 2


def test_a_released_item_that_nobody_took_comes_back_under_its_number(annotation_database):
    """Nobody is given an item twice."""
    with open_project(annotation_database, settings_of(per_item=1)) as store:
        add_items(store, new_items(2))
        (anna,) = people(store, 1)
        given = [next_item(store, anna, after=number) for number in (0, 1)]
        set_active(store, anna, active=False)
        assert assigned_items(store, anna) == []
        set_active(store, anna, active=True)
        back = [next_item(store, anna)]
        back.append(next_item(store, anna, after=back[0].number if back[0].number == 1 else 2))
        assert {one.number: one.item.id for one in back} == {one.number: one.item.id for one in given}


@pytest.mark.witness
def test_what_was_given_and_not_answered_for_a_day_goes_to_others_when_nothing_else_is_left(annotation_database):
    """Not earlier, and not while there is something else."""
    clock = Clock()
    with open_project(annotation_database, settings_of(per_item=1), clock=clock) as store:
        add_items(store, new_items(4))
        anna, ben = people(store, 2)
        held = next_item(store, anna).item.id
        assert held not in work_off(store, ben)
        clock.now += DAY
        assert held not in work_off(store, ben, most=1)
        assert work_off(store, ben) == [held]
        assert next_item(store, anna) is None
        assert item_counts(store).finished == 4
        save_annotation(store, anna, 1, {"late": True}, save_id="late")  # the page was open all the time
        assert len(annotated_item(store, held).annotations) == 2


def test_items_without_a_question_are_given_all_the_same(tmp_path):
    """The form decides what an item contains."""
    with open_project(str(tmp_path / "a.db"), settings_of()) as store:
        add_items(store, (NewItem(str(number), {"answer": "a"}) for number in range(3)))
        (anna,) = people(store, 1)
        assert len(work_off(store, anna)) == 3


def test_a_skipped_item_does_not_come_again(annotation_database):
    """Somebody who skips everything reaches the end, and the others get the items."""
    with open_project(annotation_database, settings_of(per_item=1)) as store:
        add_items(store, new_items(4))
        anna, ben = people(store, 2)
        skipped = 0
        while (given := next_item(store, anna)) is not None:
            skip_item(store, anna, given.number, save_id=new_id())
            skipped += 1
        assert skipped == 4
        assert len(work_off(store, ben)) == 4
        assert next_item(store, anna) is None


def questions_of(store, person):
    """Question → the keys that this person got, in order."""
    found = {}
    for given in assigned_items(store, person):
        found.setdefault(given.item.content["question"], []).append(given.item.key)
    return found


def test_all_answers_to_a_question_go_to_the_same_people_on_request(annotation_database):
    """Of three people with different speeds, two get all answers to a question, in a row, each in their own order."""
    with open_project(annotation_database, settings_of(whole_questions=True)) as store:
        add_items(store, new_items(48, questions=12))
        everybody = people(store, 3)
        for person, most in zip(everybody * 2, (5, 1, 2, 100, 100, 100), strict=True):
            work_off(store, person, most)
        assert item_counts(store).finished == 48
        got = [questions_of(store, person) for person in everybody]
        assert {len(keys) for each in got for keys in each.values()} == {4}
        assert [sum(question in each for each in got) for question in {*got[0], *got[1], *got[2]}] == [2] * 12
        assert sorted(len(each) for each in got) == [8, 8, 8]
        for person in everybody:
            asked = [given.item.content["question"] for given in assigned_items(store, person)]
            assert len(list(pairwise_changes(asked))) == 8 - 1
        shared = [question for question in got[0] if question in got[1]]
        assert any(got[0][question] != got[1][question] for question in shared)


def pairwise_changes(asked):
    """Where one question follows upon another."""
    return ((one, other) for one, other in pairwise(asked) if one != other)


def test_answers_that_come_later_go_to_who_has_their_question(annotation_database):
    """They also need as many annotators as the earlier ones, even if not all items are to be graded twice."""
    with open_project(annotation_database, settings_of(whole_questions=True, overlap=0.5)) as store:
        add_items(store, new_items(16, questions=8))
        anna, ben, eve = people(store, 3)
        for person in (anna, ben, eve):
            work_off(store, person)
        needed = {each.item.content["question"]: each.item.needed for each in annotated_items(store)}
        assert sorted(needed.values()) == [1] * 4 + [2] * 4
        before = {person: set(questions_of(store, person)) for person in (anna, ben, eve)}
        add_items(store, new_items(8, questions=8, begin=16))
        for person in (eve, anna, ben):
            work_off(store, person)
        assert {each.item.content["question"]: each.item.needed for each in annotated_items(store)} == needed
        assert {each.item.needed for each in annotated_items(store)} == {1, 2}
        for person in (anna, ben, eve):
            after = questions_of(store, person)
            assert set(after) == before[person]
            assert {len(keys) for keys in after.values()} == {3}


def test_a_skipped_or_forgotten_answer_brings_its_question_along(annotation_database):
    """Whoever gets it gets the other answers, too; whoever is away for a day loses the unanswered ones."""
    clock = Clock()
    settings = settings_of(whole_questions=True, per_item=1)
    with open_project(annotation_database, settings, clock=clock) as store:
        add_items(store, new_items(3, questions=1))
        anna, ben, eve = people(store, 3)
        given = next_item(store, anna)
        assert len(assigned_items(store, anna)) == 3
        skip_item(store, anna, given.number, save_id=new_id())
        work_off(store, anna, 1)
        assert len(work_off(store, ben, 2)) == 2
        clock.now += DAY
        assert len(work_off(store, eve)) == 3
        assert len(assigned_items(store, ben)) == 2
        assert item_counts(store).finished == 3


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_whatever_people_do_they_have_whole_questions(tmp_path, seed):
    """Saves, skips, undos, people who leave, return and stay away, late answers: the counters stay right."""
    drawn, clock = random.Random(seed), Clock()
    settings = settings_of(whole_questions=True, overlap=0.5, per_item=2)
    with open_project(str(tmp_path / "a.db"), settings, clock=clock) as store:
        add_items(store, new_items(20, questions=6))
        size, everybody, seen, checked = 20, people(store, 3), {}, 0
        for step in range(150):
            person = drawn.choice(everybody)
            what = drawn.random()
            if what < 0.04:
                set_active(store, person, active=False)
                set_active(store, person, active=True)
            elif what < 0.08:
                clock.now += DAY
            elif what < 0.1:
                size += add_items(store, new_items(2, questions=6, begin=size))
            elif what < 0.15:
                undo_last(store, person, save_id=new_id())
            elif (given := next_item(store, person)) is not None:
                question = given.item.content["question"]
                every = {item.key for item in new_items(size, questions=6) if item.content["question"] == question}
                if given.number > seen.get(person, 0):  # if it is new to them, the whole question is
                    assert set(questions_of(store, person)[question]) == every, step
                    checked += 1
                seen[person] = max(each.number for each in assigned_items(store, person))
                if what < 0.3:
                    skip_item(store, person, given.number, save_id=new_id())
                else:
                    save_annotation(store, person, given.number, {"grade": 1}, save_id=new_id())
        assert checked > 5
        for person in everybody:
            work_off(store, person)
    with sqlite3.connect(tmp_path / "a.db") as file:
        wrong = (
            "SELECT count(*) FROM saiten_items i WHERE room <> needed - (SELECT count(*) FROM saiten_assignments a "
            "WHERE a.item_id = i.id AND a.state IN ('given', 'done'))"
        )
        assert file.execute(wrong).fetchone() == (0,)
        left = file.execute("SELECT sum(max(room, 0)) FROM saiten_items").fetchone()
        assert file.execute("SELECT places FROM saiten_projects").fetchone() == left
