"""People of the annotation page: names, links, sessions."""

from datetime import UTC, datetime, timedelta

import pytest
from storing import new_items, settings_of

from saiten.annotation.store import Store
from saiten.errors import BadInput


class Clock:
    """Tells the time that a test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 2, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock():
    """Stands still until a test moves it."""
    return Clock()


@pytest.fixture
def store(annotation_database, clock):
    """Empty."""
    with Store.open(annotation_database, settings_of(), clock=clock) as store:
        yield store


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Anna ", "Anna"),
        ("山田　太郎\u3000", "山田　太郎"),
        ("Cafe\u0301", "Café"),
        ("a" * 100, "a" * 100),
        ("葛󠄀城", "葛󠄀城"),
        ("O'Neil; DROP TABLE", "O'Neil; DROP TABLE"),
        ("<script>", "<script>"),
        ("👩", "👩"),
    ],
)
def test_names_are_kept_composed_and_without_space_around_them(store, typed, kept):
    """Whatever people are called; showing it safely is the page's business."""
    person, _ = store.create_person(typed, "annotator")
    assert person.name == kept
    assert store.people() == [person]


@pytest.mark.parametrize(
    "typed",
    ["", "  \t ", "a" * 101, "a\nb", "a\0b", "\x1b[2J", "a\u202eb", "a\u200bb", "\u2028", "a\ud800", "\u0300" * 101],
)
def test_what_is_no_name_is_refused(store, typed):
    """Empty, too long, or with something in it that nobody sees."""
    with pytest.raises(BadInput):
        store.create_person(typed, "annotator")
    assert store.people() == []


@pytest.mark.parametrize(("first", "second"), [("Anna", "ANNA "), ("Straße", "STRASSE"), ("Café", "CAFE\u0301")])
def test_names_differ_by_more_than_case(store, first, second):
    """Otherwise nobody could tell two annotators apart in the labels."""
    store.create_person(first, "annotator")
    with pytest.raises(BadInput, match="already"):
        store.create_person(second, "admin")


def test_there_are_two_roles(store):
    """Admins do not annotate, and there is no third role."""
    boss, _ = store.create_person("Boss", "admin")
    store.add_items(new_items(3))
    assert store.next_item(boss.id) is None
    with pytest.raises(BadInput):
        store.create_person("Eve", "root")


def test_a_token_is_random_and_kept_as_a_hash_only(store, annotation_database, tmp_path):
    """256 bits each time; what is in the database opens nothing."""
    tokens = [store.create_person(f"P{number}", "annotator")[1] for number in range(20)]
    assert len(set(tokens)) == 20
    assert all(len(token) == 43 for token in tokens)
    if annotation_database.startswith("sqlite"):
        kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert not any(token.encode() in kept for token in tokens)
    for token, person in zip(tokens, store.people(), strict=True):
        assert store.person_by_token(token) == person
        assert token not in repr(person)


@pytest.mark.parametrize("wrong", ["", "x", "é", "\ud800", "a" * 10_000, "%00", "' OR 1=1 --", "\0"])
def test_a_wrong_token_or_cookie_is_nobody(store, wrong):
    """Whatever comes from outside, the answer is None."""
    store.create_person("Anna", "annotator")
    assert store.person_by_token(wrong) is None
    assert store.session(wrong) is None
    store.end_session(wrong)


def test_a_new_token_ends_the_old_one_and_its_sessions(store):
    """A link that got into wrong hands is worth nothing afterwards."""
    anna, old = store.create_person("Anna", "annotator")
    ben, bens = store.create_person("Ben", "annotator")
    (secret, _), (other, _) = store.begin_session(anna.id), store.begin_session(ben.id)
    new = store.new_token(anna.id)
    assert store.person_by_token(old) is None
    assert store.person_by_token(new) == anna
    assert store.session(secret) is None
    assert store.session(other).person == store.person_by_token(bens) == ben


def test_who_does_not_take_part_gets_in_no_more(store):
    """Neither by link nor by cookie, nor by what was open; taking part again, by the link as before."""
    anna, token = store.create_person("Anna", "annotator")
    store.add_items(new_items(2))
    secret, _ = store.begin_session(anna.id)
    number = store.next_item(anna.id).number
    store.set_active(anna.id, active=False)
    assert [person.active for person in store.people()] == [False]
    assert store.person_by_token(token) is None
    assert store.session(secret) is None
    for refused in (
        lambda: store.begin_session(anna.id),
        lambda: store.next_item(anna.id),
        lambda: store.save(anna.id, number, {}, save_id="x"),
        lambda: store.skip(anna.id, number, save_id="x"),
        lambda: store.undo(anna.id, save_id="x"),
    ):
        with pytest.raises(BadInput, match="take"):
            refused()
    store.set_active(anna.id, active=True)
    assert store.person_by_token(token) == anna
    assert store.session(secret) is None


def test_a_session_lasts_thirty_days_after_its_last_use(store, clock):
    """Every use counts, as exactly as to an hour."""
    anna, _ = store.create_person("Anna", "annotator")
    secret, begun = store.begin_session(anna.id)
    assert store.session(secret) == begun
    for _ in range(3):
        clock.now += timedelta(days=29)
        assert store.session(secret) == begun
    clock.now += timedelta(days=30, seconds=1)
    assert store.session(secret) is None


def test_sessions_are_apart(store):
    """Two browsers of one person have a secret each; logging out of one leaves the other."""
    anna, _ = store.create_person("Anna", "annotator")
    (first, one), (second, two) = store.begin_session(anna.id), store.begin_session(anna.id)
    assert first != second
    assert one.csrf != two.csrf
    assert first not in one.csrf
    store.end_session(first)
    store.end_session(first)
    assert store.session(first) is None
    assert store.session(second) == two


@pytest.mark.parametrize("number", [0, -1, 99, 2**31 - 1])
def test_people_who_are_not_there(store, number):
    """Are refused by every method, and found by none."""
    for refused in (
        lambda: store.new_token(number),
        lambda: store.set_active(number, active=True),
        lambda: store.begin_session(number),
        lambda: store.next_item(number),
        lambda: store.undo(number, save_id="x"),
    ):
        with pytest.raises(BadInput):
            refused()
    assert store.assigned(number) == []
    assert store.assigned_number(number, 1) is None
    assert store.done(number) == store.share(number) == 0
