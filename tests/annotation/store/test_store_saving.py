"""What annotators say: saved once, kept for ever, taken back, passed over."""

import tempfile

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from sqlalchemy import select
from storing import new_id, new_items, settings_of

from saiten.annotation.store import NotTheirs, SaveConflict, Store
from saiten.annotation.store.schema import acts
from saiten.errors import BadInput


@pytest.fixture
def store(annotation_database):
    """Five items that two annotators answer."""
    with Store.open(annotation_database, settings_of()) as store:
        store.add_items(new_items(5))
        yield store


@pytest.fixture
def anna(store):
    """An annotator, by number, with the first item in their hands."""
    person, _ = store.create_person("Anna", "annotator")
    assert store.next_item(person.id).number == 1
    return person.id


def test_a_save_is_answered_with_its_revision_and_shown(store, anna):
    """Each save is one more; the latest is what counts."""
    assert store.save(anna, 1, {"grade": 3, "reason": "理由"}, save_id="a", unclear=True, seconds=4.5).revision == 1
    saved = store.save(anna, 1, {"grade": 4}, save_id="b")
    assert (saved.revision, saved.again) == (2, False)
    found = store.assigned_number(anna, 1)
    assert found.state == "done"
    assert (found.answered.payload, found.answered.revision, found.answered.unclear) == ({"grade": 4}, 2, False)
    assert store.done(anna) == 1


def test_a_save_that_is_sent_again_is_stored_once(store, anna):
    """And says so; also after another save, which it does not undo."""
    first = store.save(anna, 1, {"grade": 3}, save_id="a", seconds=1.0)
    store.save(anna, 1, {"grade": 4}, save_id="b")
    again = store.save(anna, 1, {"grade": 3}, save_id="a", seconds=2.0)
    assert (again.revision, again.again) == (first.revision, True)
    assert store.assigned_number(anna, 1).answered.payload == {"grade": 4}
    assert store.skip(anna, 1, save_id="c").again is False
    assert store.skip(anna, 1, save_id="c").again is True
    assert store.undo(anna, save_id="d") == store.undo(anna, save_id="d")
    assert store.assigned_number(anna, 1).answered.revision == 2


def test_an_id_that_was_used_for_something_else_is_a_conflict(store, anna):
    """The first stands; nothing is lost in silence."""
    store.save(anna, 1, {"grade": 3}, save_id="a")
    second = store.next_item(anna).number
    for refused in (
        lambda: store.save(anna, 1, {"grade": 4}, save_id="a"),
        lambda: store.save(anna, 1, {"grade": 3}, save_id="a", unclear=True),
        lambda: store.save(anna, second, {"grade": 3}, save_id="a"),
        lambda: store.skip(anna, 1, save_id="a"),
        lambda: store.undo(anna, save_id="a"),
    ):
        with pytest.raises(SaveConflict):
            refused()
    assert store.assigned_number(anna, 1).answered.payload == {"grade": 3}
    assert store.assigned_number(anna, second).state == "given"


def test_ids_of_different_people_do_not_meet(store, anna):
    """Nobody can be in another's way, nor find out what another saved."""
    ben, _ = store.create_person("Ben", "annotator")
    number = store.next_item(ben.id).number
    store.save(anna, 1, {"grade": 3}, save_id="same")
    assert store.save(ben.id, number, {"grade": 5}, save_id="same").again is False


@pytest.mark.parametrize("number", [0, 2, -1, 2**31 - 1])
def test_only_ones_own_numbers_can_be_saved(store, anna, number):
    """Another's item has no number here."""
    ben, _ = store.create_person("Ben", "annotator")
    store.next_item(ben.id)
    store.next_item(ben.id, after=1)
    with pytest.raises(NotTheirs):
        store.save(anna, number, {"grade": 3}, save_id="a")
    with pytest.raises(NotTheirs):
        store.skip(anna, number, save_id="a")
    assert store.assigned_number(anna, number) is None


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
    """In a sentence; the item is as it was."""
    with pytest.raises(BadInput):
        store.save(anna, 1, **{"payload": {"grade": 1}, "save_id": "a", **changes})
    assert store.assigned_number(anna, 1).state == "given"


def test_undo_goes_back_step_by_step(store, anna):
    """Over items, to the beginning; what was taken back is kept, and counts no more."""
    store.save(anna, 1, {"grade": 1}, save_id="a")
    store.save(anna, 1, {"grade": 2}, save_id="b")
    second = store.next_item(anna).number
    store.skip(anna, second, save_id="c")
    steps = [store.undo(anna, save_id=new_id()) for _ in range(4)]
    assert [step and (step.number, step.state, step.answered and step.answered.payload) for step in steps] == [
        (second, "given", None),
        (1, "done", {"grade": 1}),
        (1, "given", None),
        None,
    ]
    assert store.save(anna, 1, {"grade": 9}, save_id="e").revision == 3
    with store._database._engine.connect() as connection:
        kinds = connection.execute(select(acts.c.kind).order_by(acts.c.id)).scalars().all()
    assert kinds == ["save", "save", "skip", "undo", "undo", "undo", "undo", "save"]


def test_an_undo_of_nothing_stays_an_undo_of_nothing(store, anna):
    """Sent again after a save, it does not take the save back."""
    assert store.undo(anna, save_id="u") is None
    store.save(anna, 1, {"grade": 1}, save_id="a")
    assert store.undo(anna, save_id="u") is None
    assert store.assigned_number(anna, 1).state == "done"


def test_a_skipped_item_goes_to_somebody_else_and_is_kept_should_one_come_back(store, anna):
    """Its place is free; who comes back to it answers all the same."""
    item = store.assigned_number(anna, 1).item.id
    others = [store.create_person(name, "annotator")[0].id for name in ("Ben", "Chie")]
    store.save(anna, 1, {"grade": 1}, save_id="a")
    store.skip(anna, 1, save_id="b")
    assert store.assigned_number(anna, 1).state == "skipped"
    assert store.assigned_number(anna, 1).answered is None
    for person in others:
        while (given := store.next_item(person)) is not None:
            store.save(person, given.number, {"grade": 2}, save_id=new_id())
    assert {person.id for person, _ in store.item_settled(item).said} == set(others)
    store.save(anna, 1, {"grade": 5}, save_id="c")
    assert [said.payload["grade"] for _, said in store.item_settled(item).said] == [5, 2, 2]
    numbers = set()
    while (given := store.next_item(anna)) is not None:
        assert given.item.id != item
        assert given.number not in numbers
        numbers.add(given.number)
        store.save(anna, given.number, {"grade": 1}, save_id=new_id())


class OneAnnotator(RuleBasedStateMachine):
    """Against a list of what was done: (number, what is left of it after the act)."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = Store.open(f"{self.folder.name}/labels.db", settings_of(per_item=1))
        self.store.add_items(new_items(4))
        self.person = self.store.create_person("Anna", "annotator")[0].id
        self.rest = self.store.create_person("Ben", "annotator")[0].id
        self.numbers: list[int] = []
        self.acts: list[tuple[int, int | None]] = []  # those that count: the grade, None for a skip
        self.revisions: dict[int, int] = {}
        self.sent: dict[str, tuple] = {}

    def stands(self, number):
        """State and grade of an item, as the acts say."""
        own = [grade for at, grade in self.acts if at == number]
        if not own:
            return ("given", None)
        return ("skipped", None) if own[-1] is None else ("done", own[-1])

    @rule()
    def ask(self):
        found = self.store.next_item(self.person)
        open_ones = [number for number in self.numbers if self.stands(number)[0] == "given"]
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
        saved = self.store.save(self.person, number, {"grade": grade}, save_id=save_id)
        assert (saved.revision, saved.again) == (self.revisions[number], False)
        self.acts.append((number, grade))
        self.sent[save_id] = (number, grade, saved.revision)

    @precondition(lambda self: self.numbers)
    @rule(data=st.data())
    def skip(self, data):
        number, save_id = data.draw(st.sampled_from(self.numbers)), new_id()
        self.revisions[number] = self.revisions.get(number, 0) + 1
        assert self.store.skip(self.person, number, save_id=save_id).revision == self.revisions[number]
        self.acts.append((number, None))
        self.sent[save_id] = (number, None, self.revisions[number])

    @rule()
    def undo(self):
        found = self.store.undo(self.person, save_id=new_id())
        if not self.acts:
            assert found is None
            return
        number, _ = self.acts.pop()
        assert (found.number, found.state) == (number, self.stands(number)[0])

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data):
        save_id = data.draw(st.sampled_from(sorted(self.sent)))
        number, grade, revision = self.sent[save_id]
        if grade is None:
            saved = self.store.skip(self.person, number, save_id=save_id)
        else:
            saved = self.store.save(self.person, number, {"grade": grade}, save_id=save_id)
        assert (saved.revision, saved.again) == (revision, True)

    @invariant()
    def it_stands_as_the_acts_say(self):
        found = self.store.assigned(self.person)
        assert [given.number for given in found] == self.numbers
        for given in found:
            state, grade = self.stands(given.number)
            assert (given.state, given.answered and given.answered.payload["grade"]) == (state, grade)
        (own, _) = self.store.progress()
        states = [self.stands(number)[0] for number in self.numbers]
        assert (own.done, own.skipped, own.given) == tuple(map(states.count, ("done", "skipped", "given")))
        assert self.store.done(self.person) == own.done
        assert self.store.item_counts().finished == own.done
        taken = own.done + own.given
        with self.store._database._engine.connect() as connection:
            sums = connection.exec_driver_sql(
                "SELECT places, (SELECT sum(room) FROM saiten_items) FROM saiten_projects"
            )
            assert sums.one() == (4 - taken, 4 - taken)

    def teardown(self):
        self.store.close()
        self.folder.cleanup()


TestOneAnnotator = OneAnnotator.TestCase
TestOneAnnotator.settings = settings(
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=25,
    stateful_step_count=20,
    suppress_health_check=[HealthCheck.too_slow],
)
