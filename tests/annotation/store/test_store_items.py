"""Items of the annotation store: added as a stream, each once, and how many annotators each needs."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from storing import new_items, settings_of

from saiten.annotation.records import NewItem
from saiten.annotation.store.annotations import annotated_item, annotated_items, assigned_items
from saiten.annotation.store.assignment import next_item
from saiten.annotation.store.items import add_items, add_prelabels
from saiten.annotation.store.order import BINS, bin_of, bins_of, place
from saiten.annotation.store.people import create_person
from saiten.annotation.store.progress import item_counts
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import save_annotation
from saiten.errors import BadInput


def needed_by_key(url: str) -> dict[str, int]:
    """How many annotators each item needs: everyone who gets it in the end."""
    with open_project(url) as store:
        found = {}
        last = 0
        while (settled := annotated_item(store, last + 1)) is not None:
            last = settled.item.id
            found[settled.item.key] = settled.item.needed
    return found


def test_items_are_added_once(annotation_database):
    """Items that are given again, in any order and any number of times, are skipped; new ones are added."""
    with open_project(annotation_database, settings_of()) as store:
        assert add_items(store, new_items(3)) == 3
        assert add_items(store, chain(new_items(4), new_items(2))) == 1
        assert add_items(store, []) == 0
        assert item_counts(store).total == 4


def test_another_content_under_a_known_key_is_refused_and_nothing_is_added(annotation_database):
    """Otherwise labels would be about an answer that nobody saw; the message names the key."""
    with open_project(annotation_database, settings_of()) as store:
        add_items(store, new_items(2))
        for wrong in (
            [NewItem("new", {}), NewItem("標本/1", {"question": "質問 1", "answer": "別"})],
            [NewItem("new", {"a": 1}), NewItem("new", {"a": 2})],
            [NewItem(f"new {number}", {}) for number in range(700)] + [NewItem("new 3", {"a": 1})],
        ):
            with pytest.raises(BadInput, match=r"'(標本/1|new|new 3)' is already stored with other content"):
                add_items(store, wrong)
            assert item_counts(store).total == 2
        assert add_items(store, [NewItem("標本/1", {"answer": "回答 1", "question": "質問 1"})]) == 0


def test_an_exception_of_the_source_adds_nothing(annotation_database):
    """All or nothing, even if the file proves broken in the middle; the store stays usable."""

    def broken():
        yield from new_items(1200)
        raise BadInput("line 1201")

    with open_project(annotation_database, settings_of()) as store:
        with pytest.raises(BadInput, match="line 1201"):
            add_items(store, broken())
        assert item_counts(store).total == 0
        assert add_items(store, new_items(1)) == 1


@pytest.mark.parametrize(
    "item",
    [
        NewItem("", {}),
        NewItem("a\0b", {}),
        NewItem("a\ud800", {}),
        NewItem("a", {"x": float("nan")}),
        NewItem("a", {"x": "\udfff"}),
        NewItem("a", {"x": object()}),
    ],
)
def test_what_cannot_be_kept_is_refused(annotation_database, item):
    """The message is a sentence, the same on both databases."""
    with open_project(annotation_database, settings_of()) as store, pytest.raises(BadInput):
        add_items(store, [item])


@pytest.mark.witness
def test_any_text_comes_back_as_it_was(annotation_database):
    """Zero characters, controls, long keys, numbers, nested objects: the content read back is the same."""
    content = {"question": "\0\x1b\u202e𠮟\n", "contexts": ["a" * 100_000, ""], "n": 2**70, "f": 0.1, "none": None}
    with open_project(annotation_database, settings_of()) as store:
        add_items(store, [NewItem("鍵" * 5000, content), NewItem("鍵" * 5000 + "2", {})])
        anna, _ = create_person(store, "Anna", "annotator")
        found = [next_item(store, anna.id), next_item(store, anna.id, after=1)]
        contents = {given.item.key: given.item.content for given in found}
        assert contents == {"鍵" * 5000: content, "鍵" * 5000 + "2": {}}


@pytest.mark.parametrize(
    ("overlap", "steps"),
    [(1.0, [7]), (0.0, [7]), (0.2, [10]), (0.3, [1, 1, 1, 7, 90]), (0.5, [3, 4, 0, 600]), (0.01, [50, 50])],
)
def test_the_overlap_is_exact_after_every_call_and_never_changes_what_was_there(annotation_database, overlap, steps):
    """`round(overlap * items)` items need `per_item` annotators, whichever items came in which call."""
    with open_project(annotation_database, settings_of(overlap=overlap, per_item=3)) as store:
        before, begin = {}, 0
        for step in steps:
            add_items(store, new_items(step, begin=begin))
            begin += step
            now = needed_by_key(annotation_database)
            assert sum(needed == 3 for needed in now.values()) == round(overlap * begin)
            assert set(now.values()) <= {1, 3}
            assert before.items() <= now.items()
            before = now


def test_the_overlap_is_drawn_with_the_seed(tmp_path):
    """The same seed draws the same items in any order, another seed draws others, not simply the first ones."""

    def drawn(name, seed, items):
        url = str(tmp_path / name)
        with open_project(url, settings_of(overlap=0.2, seed=seed)) as store:
            add_items(store, items)
        return {key for key, needed in needed_by_key(url).items() if needed == 2}

    first = drawn("a", 1, new_items(100))
    assert first == drawn("b", 1, reversed(list(new_items(100))))
    assert first != drawn("c", 2, new_items(100))
    assert first != {item.key for item in new_items(20)}


def test_prelabels_are_kept_once_and_shown_if_wanted(annotation_database):
    """Prelabels are shown or hidden, and the store records which."""
    for shown in ("shown", "hidden"):
        with open_project(annotation_database, settings_of(prelabels=shown), name=shown) as store:
            add_items(store, new_items(1))
            rows = [("標本/0", "offline", {"grade": 2})]
            assert add_prelabels(store, rows) == 1
            anna, _ = create_person(store, "Anna", "annotator")
            given = next_item(store, anna.id)
            assert given.prelabel == ({"grade": 2} if shown == "shown" else None)
            assert assigned_items(store, anna.id) == [given]
            assert add_prelabels(store, rows) == 0
            save_annotation(store, anna.id, 1, {"grade": 3}, save_id="x")
            assert next(annotated_items(store)).prelabel == ("offline", {"grade": 2}, shown == "shown")


def test_prelabels_that_do_not_fit_are_refused_and_none_is_added(annotation_database):
    """An unknown item, a second opinion, or one that comes too late to be shown to everybody is refused."""
    with open_project(annotation_database, settings_of(prelabels="shown")) as store:
        add_items(store, new_items(2))
        anna, _ = create_person(store, "Anna", "annotator")
        taken = next_item(store, anna.id).item.key
        (free,) = {"標本/0", "標本/1"} - {taken}
        for wrong, message in (
            ([(free, "j", {}), ("nowhere", "j", {})], "no item 'nowhere'"),
            ([(free, "j", {}), (free, "k", {})], "another pre-label"),
            ([(free, "j", {}), (taken, "j", {})], "assigned already"),
            ([(free, "", {})], "1 to 200 characters"),
        ):
            with pytest.raises(BadInput, match=message):
                add_prelabels(store, wrong)
        assert add_prelabels(store, [(free, "j", {})]) == 1


@given(st.integers(), st.text(), st.integers(0, 2**31))
def test_orders_are_drawn_from_seed_and_key_alone(seed, key, person):
    """The numbers fit both databases; each annotator passes through every bin once."""
    assert 0 <= bin_of(seed, key) < BINS
    assert 0 <= place(seed, person, 1) < 2**63
    assert sorted(bins_of(seed, person)) == list(range(BINS))
