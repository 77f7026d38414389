"""People of the annotation page: names, links, sessions."""

from datetime import UTC, datetime, timedelta

import pytest
from storing import new_items, settings_of

from saiten.annotation.store.annotations import assigned_item, assigned_items
from saiten.annotation.store.assignment import expected_share, next_item
from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import (
    all_people,
    begin_session,
    create_person,
    end_session,
    find_session,
    person_by_token,
    renew_token,
    set_active,
)
from saiten.annotation.store.progress import answered_count
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import save_annotation, skip_item, undo_last
from saiten.errors import BadInput


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 2, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock():
    """A stopped clock that a test moves."""
    return Clock()


@pytest.fixture
def store(annotation_database, clock):
    """An empty store."""
    with open_project(annotation_database, settings_of(), clock=clock) as store:
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
    """Any name is allowed; showing it safely is the page's job."""
    person, _ = create_person(store, typed, "annotator")
    assert person.name == kept
    assert all_people(store) == [person]


@pytest.mark.parametrize(
    "typed",
    ["", "  \t ", "a" * 101, "a\nb", "a\0b", "\x1b[2J", "a\u202eb", "a\u200bb", "\u2028", "a\ud800", "\u0300" * 101],
)
def test_what_is_no_name_is_refused(store, typed):
    """Empty, too long, or containing something invisible."""
    with pytest.raises(BadInput):
        create_person(store, typed, "annotator")
    assert all_people(store) == []


@pytest.mark.parametrize(("first", "second"), [("Anna", "ANNA "), ("Straße", "STRASSE"), ("Café", "CAFE\u0301")])
def test_names_differ_by_more_than_case(store, first, second):
    """Otherwise two annotators could not be distinguished in the labels."""
    create_person(store, first, "annotator")
    with pytest.raises(BadInput, match="already"):
        create_person(store, second, "admin")


def test_there_are_two_roles(store):
    """Admins do not annotate, and there is no third role."""
    boss, _ = create_person(store, "Boss", "admin")
    add_items(store, new_items(3))
    assert next_item(store, boss.id) is None
    with pytest.raises(BadInput):
        create_person(store, "Eve", "root")


def test_a_token_is_random_and_kept_as_a_hash_only(store, annotation_database, tmp_path):
    """Each token has 256 bits; what is in the database opens nothing."""
    tokens = [create_person(store, f"P{number}", "annotator")[1] for number in range(20)]
    assert len(set(tokens)) == 20
    assert all(len(token) == 43 for token in tokens)
    if annotation_database.startswith("sqlite"):
        kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert not any(token.encode() in kept for token in tokens)
    for token, person in zip(tokens, all_people(store), strict=True):
        assert person_by_token(store, token) == person
        assert token not in repr(person)


@pytest.mark.parametrize("wrong", ["", "x", "é", "\ud800", "a" * 10_000, "%00", "' OR 1=1 --", "\0"])
def test_a_wrong_token_or_cookie_is_nobody(store, wrong):
    """Whatever comes from outside, the result is None."""
    create_person(store, "Anna", "annotator")
    assert person_by_token(store, wrong) is None
    assert find_session(store, wrong) is None
    end_session(store, wrong)


def test_a_new_token_ends_the_old_one_and_its_sessions(store):
    """A link that fell into the wrong hands is worthless afterwards."""
    anna, old = create_person(store, "Anna", "annotator")
    ben, bens = create_person(store, "Ben", "annotator")
    (secret, _), (other, _) = begin_session(store, anna.id), begin_session(store, ben.id)
    new = renew_token(store, anna.id)
    assert person_by_token(store, old) is None
    assert person_by_token(store, new) == anna
    assert find_session(store, secret) is None
    assert find_session(store, other).person == person_by_token(store, bens) == ben


def test_who_does_not_take_part_gets_in_no_more(store):
    """Neither a link nor a cookie nor an open session lets them in; when they rejoin, the same link does."""
    anna, token = create_person(store, "Anna", "annotator")
    add_items(store, new_items(2))
    secret, _ = begin_session(store, anna.id)
    number = next_item(store, anna.id).number
    set_active(store, anna.id, active=False)
    assert [person.active for person in all_people(store)] == [False]
    assert person_by_token(store, token) is None
    assert find_session(store, secret) is None
    for refused in (
        lambda: begin_session(store, anna.id),
        lambda: next_item(store, anna.id),
        lambda: save_annotation(store, anna.id, number, {}, save_id="x"),
        lambda: skip_item(store, anna.id, number, save_id="x"),
        lambda: undo_last(store, anna.id, save_id="x"),
    ):
        with pytest.raises(BadInput, match=r"active|no longer"):
            refused()
    set_active(store, anna.id, active=True)
    assert person_by_token(store, token) == anna
    assert find_session(store, secret) is None


def test_a_session_lasts_thirty_days_after_its_last_use(store, clock):
    """Every use counts, to within an hour."""
    anna, _ = create_person(store, "Anna", "annotator")
    secret, begun = begin_session(store, anna.id)
    assert find_session(store, secret) == begun
    for _ in range(3):
        clock.now += timedelta(days=29)
        assert find_session(store, secret) == begun
    clock.now += timedelta(days=30, seconds=1)
    assert find_session(store, secret) is None


def test_sessions_are_apart(store):
    """Two browsers of one person have separate secrets; logging out of one leaves the other logged in."""
    anna, _ = create_person(store, "Anna", "annotator")
    (first, one), (second, two) = begin_session(store, anna.id), begin_session(store, anna.id)
    assert first != second
    assert one.csrf != two.csrf
    assert first not in one.csrf
    end_session(store, first)
    end_session(store, first)
    assert find_session(store, first) is None
    assert find_session(store, second) == two


@pytest.mark.parametrize("number", [0, -1, 99, 2**31 - 1])
def test_people_who_are_not_there(store, number):
    """Every method refuses them, and no lookup finds them."""
    for refused in (
        lambda: renew_token(store, number),
        lambda: set_active(store, number, active=True),
        lambda: begin_session(store, number),
        lambda: next_item(store, number),
        lambda: undo_last(store, number, save_id="x"),
    ):
        with pytest.raises(BadInput):
            refused()
    assert assigned_items(store, number) == []
    assert assigned_item(store, number, 1) is None
    assert answered_count(store, number) == expected_share(store, number) == 0
