"""What annotators enter: saved once, kept forever, taken back, skipped."""

import tempfile

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from sqlalchemy import select
from storing import new_id, new_items, settings_of

from saiten.annotation.store.annotations import annotated_item, assigned_item, assigned_items
from saiten.annotation.store.assignment import next_item
from saiten.annotation.store.database import NotAssigned, SaveConflict
from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import create_person
from saiten.annotation.store.progress import annotator_progress, answered_count, item_counts
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import save_annotation, skip_item, undo_last
from saiten.annotation.store.schema import acts
from saiten.errors import BadInput


@pytest.fixture
def store(annotation_database):
    """Five items for two annotators."""
    with open_project(annotation_database, settings_of()) as store:
        add_items(store, new_items(5))
        yield store


@pytest.fixture
def anna(store):
    """An annotator's number; she holds the first item."""
    person, _ = create_person(store, "Anna", "annotator")
    assert next_item(store, person.id).number == 1
    return person.id


def test_a_save_is_answered_with_its_revision_and_shown(store, anna):
    """Each save adds one; the latest is what counts."""
    assert (
        save_annotation(store, anna, 1, {"grade": 3, "reason": "理由"}, save_id="a", unclear=True, seconds=4.5).revision
        == 1
    )
    saved = save_annotation(store, anna, 1, {"grade": 4}, save_id="b")
    assert (saved.revision, saved.again) == (2, False)
    found = assigned_item(store, anna, 1)
    assert found.state == "done"
    assert (found.annotation.payload, found.annotation.revision, found.annotation.unclear) == ({"grade": 4}, 2, False)
    assert answered_count(store, anna) == 1


@pytest.mark.witness
def test_a_save_that_is_sent_again_is_stored_once(store, anna):
    """The reply says so, also after a later save, which it does not undo."""
    first = save_annotation(store, anna, 1, {"grade": 3}, save_id="a", seconds=1.0)
    save_annotation(store, anna, 1, {"grade": 4}, save_id="b")
    again = save_annotation(store, anna, 1, {"grade": 3}, save_id="a", seconds=2.0)
    assert (again.revision, again.again) == (first.revision, True)
    assert assigned_item(store, anna, 1).annotation.payload == {"grade": 4}
    assert skip_item(store, anna, 1, save_id="c").again is False
    assert skip_item(store, anna, 1, save_id="c").again is True
    assert undo_last(store, anna, save_id="d") == undo_last(store, anna, save_id="d")
    assert assigned_item(store, anna, 1).annotation.revision == 2


def test_an_id_that_was_used_for_something_else_is_a_conflict(store, anna):
    """The first save is kept, and the second is not dropped silently."""
    save_annotation(store, anna, 1, {"grade": 3}, save_id="a")
    second = next_item(store, anna).number
    for refused in (
        lambda: save_annotation(store, anna, 1, {"grade": 4}, save_id="a"),
        lambda: save_annotation(store, anna, 1, {"grade": 3}, save_id="a", unclear=True),
        lambda: save_annotation(store, anna, second, {"grade": 3}, save_id="a"),
        lambda: skip_item(store, anna, 1, save_id="a"),
        lambda: undo_last(store, anna, save_id="a"),
    ):
        with pytest.raises(SaveConflict):
            refused()
    assert assigned_item(store, anna, 1).annotation.payload == {"grade": 3}
    assert assigned_item(store, anna, second).state == "given"


def test_ids_of_different_people_do_not_meet(store, anna):
    """Nobody can block another's save or find out what another saved."""
    ben, _ = create_person(store, "Ben", "annotator")
    number = next_item(store, ben.id).number
    save_annotation(store, anna, 1, {"grade": 3}, save_id="same")
    assert save_annotation(store, ben.id, number, {"grade": 5}, save_id="same").again is False


@pytest.mark.parametrize("number", [0, 2, -1, 2**31 - 1])
def test_only_ones_own_numbers_can_be_saved(store, anna, number):
    """Another's item has no number here."""
    ben, _ = create_person(store, "Ben", "annotator")
    next_item(store, ben.id)
    next_item(store, ben.id, after=1)
    with pytest.raises(NotAssigned):
        save_annotation(store, anna, number, {"grade": 3}, save_id="a")
    with pytest.raises(NotAssigned):
        skip_item(store, anna, number, save_id="a")
    assert assigned_item(store, anna, number) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"payload": {"reason": "\ud83d"}},
        {"payload": {"grade": float("nan")}},
        {"payload": {"grade": {1, 2}}},
        {"save_id": ""},
        {"save_id": "x" * 101},
        {"save_id": "a\0b"},
        {"save_id": "\udc00"},
        {"seconds": float("nan")},
        {"seconds": -1.0},
        {"seconds": float("inf")},
    ],
)
def test_what_cannot_be_kept_is_refused(store, anna, changes):
    """The message is a sentence; the item is unchanged."""
    with pytest.raises(BadInput):
        save_annotation(store, anna, 1, **{"payload": {"grade": 1}, "save_id": "a", **changes})
    assert assigned_item(store, anna, 1).state == "given"


def test_undo_goes_back_step_by_step(store, anna):
    """Undo goes back item by item to the beginning; what was taken back is kept but no longer counts."""
    save_annotation(store, anna, 1, {"grade": 1}, save_id="a")
    save_annotation(store, anna, 1, {"grade": 2}, save_id="b")
    second = next_item(store, anna).number
    skip_item(store, anna, second, save_id="c")
    steps = [undo_last(store, anna, save_id=new_id()) for _ in range(4)]
    assert [step and (step.number, step.state, step.annotation and step.annotation.payload) for step in steps] == [
        (second, "given", None),
        (1, "done", {"grade": 1}),
        (1, "given", None),
        None,
    ]
    assert save_annotation(store, anna, 1, {"grade": 9}, save_id="e").revision == 3
    with store.database.engine.connect() as connection:
        kinds = connection.execute(select(acts.c.kind).order_by(acts.c.id)).scalars().all()
    assert kinds == ["save", "save", "skip", "undo", "undo", "undo", "undo", "save"]


def test_an_undo_of_nothing_stays_an_undo_of_nothing(store, anna):
    """When it is sent again after a save, it does not take the save back."""
    assert undo_last(store, anna, save_id="u") is None
    save_annotation(store, anna, 1, {"grade": 1}, save_id="a")
    assert undo_last(store, anna, save_id="u") is None
    assert assigned_item(store, anna, 1).state == "done"


def test_a_skipped_item_goes_to_somebody_else_and_is_kept_should_one_come_back(store, anna):
    """Its place is free, but whoever comes back to it can still answer."""
    item = assigned_item(store, anna, 1).item.id
    others = [create_person(store, name, "annotator")[0].id for name in ("Ben", "Chie")]
    save_annotation(store, anna, 1, {"grade": 1}, save_id="a")
    skip_item(store, anna, 1, save_id="b")
    assert assigned_item(store, anna, 1).state == "skipped"
    assert assigned_item(store, anna, 1).annotation is None
    for person in others:
        while (given := next_item(store, person)) is not None:
            save_annotation(store, person, given.number, {"grade": 2}, save_id=new_id())
    assert {person.id for person, _ in annotated_item(store, item).annotations} == set(others)
    save_annotation(store, anna, 1, {"grade": 5}, save_id="c")
    assert [said.payload["grade"] for _, said in annotated_item(store, item).annotations] == [5, 2, 2]
    numbers = set()
    while (given := next_item(store, anna)) is not None:
        assert given.item.id != item
        assert given.number not in numbers
        numbers.add(given.number)
        save_annotation(store, anna, given.number, {"grade": 1}, save_id=new_id())


class OneAnnotator(RuleBasedStateMachine):
    """Acts compared with a list of what was done: (number, what is left of it after the act)."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.project = open_project(f"{self.folder.name}/labels.db", settings_of(per_item=1))
        add_items(self.project, new_items(4))
        self.person = create_person(self.project, "Anna", "annotator")[0].id
        self.rest = create_person(self.project, "Ben", "annotator")[0].id
        self.numbers: list[int] = []
        self.acts: list[tuple[int, int | None]] = []  # those that count: the grade, or None for a skip
        self.revisions: dict[int, int] = {}
        self.sent: dict[str, tuple] = {}

    def standing(self, number):
        """State and grade of an item according to the acts."""
        own = [grade for at, grade in self.acts if at == number]
        if not own:
            return ("given", None)
        return ("skipped", None) if own[-1] is None else ("done", own[-1])

    @rule()
    def ask(self):
        found = next_item(self.project, self.person)
        open_ones = [number for number in self.numbers if self.standing(number)[0] == "given"]
        if open_ones:
            assert found.number == open_ones[0]
        elif found is not None:
            assert found.number == len(self.numbers) + 1
            self.numbers.append(found.number)

    @precondition(lambda self: self.numbers)
    @rule(data=st.data(), grade=st.integers(0, 5))
    def save(self, data, grade):
        number, save_id = data.draw(st.sampled_from(self.numbers)), new_id()
        self.revisions[number] = self.revisions.get(number, 0) + 1
        saved = save_annotation(self.project, self.person, number, {"grade": grade}, save_id=save_id)
        assert (saved.revision, saved.again) == (self.revisions[number], False)
        self.acts.append((number, grade))
        self.sent[save_id] = (number, grade, saved.revision)

    @precondition(lambda self: self.numbers)
    @rule(data=st.data())
    def skip(self, data):
        number, save_id = data.draw(st.sampled_from(self.numbers)), new_id()
        self.revisions[number] = self.revisions.get(number, 0) + 1
        assert skip_item(self.project, self.person, number, save_id=save_id).revision == self.revisions[number]
        self.acts.append((number, None))
        self.sent[save_id] = (number, None, self.revisions[number])

    @rule()
    def undo(self):
        found = undo_last(self.project, self.person, save_id=new_id())
        if not self.acts:
            assert found is None
            return
        number, _ = self.acts.pop()
        assert (found.number, found.state) == (number, self.standing(number)[0])

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data):
        save_id = data.draw(st.sampled_from(sorted(self.sent)))
        number, grade, revision = self.sent[save_id]
        if grade is None:
            saved = skip_item(self.project, self.person, number, save_id=save_id)
        else:
            saved = save_annotation(self.project, self.person, number, {"grade": grade}, save_id=save_id)
        assert (saved.revision, saved.again) == (revision, True)

    @invariant()
    def it_stands_as_the_acts_say(self):
        found = assigned_items(self.project, self.person)
        assert [given.number for given in found] == self.numbers
        for given in found:
            state, grade = self.standing(given.number)
            assert (given.state, given.annotation and given.annotation.payload["grade"]) == (state, grade)
        (own, _) = annotator_progress(self.project)
        states = [self.standing(number)[0] for number in self.numbers]
        assert (own.done, own.skipped, own.given) == tuple(map(states.count, ("done", "skipped", "given")))
        assert answered_count(self.project, self.person) == own.done
        assert item_counts(self.project).finished == own.done
        taken = own.done + own.given
        with self.project.database.engine.connect() as connection:
            sums = connection.exec_driver_sql(
                "SELECT places, (SELECT sum(room) FROM saiten_items) FROM saiten_projects"
            )
            assert sums.one() == (4 - taken, 4 - taken)

    def teardown(self):
        self.project.close()
        self.folder.cleanup()


TestOneAnnotator = OneAnnotator.TestCase
TestOneAnnotator.settings = settings(max_examples=settings.default.max_examples // 5, stateful_step_count=20)
