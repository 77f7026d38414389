"""A person's earlier answer to another item with the same text is found: their own, the latest, nobody else's."""

import pytest
from storing import new_id, settings_of

from saiten.annotation.records import NewItem
from saiten.annotation.store.annotations import earlier_item
from saiten.annotation.store.assignment import next_item
from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import create_person
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import save_annotation, skip_item, undo_last

SAME = '同じ "参照回答" \\ と👩\u200d🏫\nその続き'


@pytest.fixture
def store(annotation_database):
    """Three items with the same reference, one whose reference contains it, one without; five annotators answer."""
    references = (SAME, SAME, SAME, f"{SAME}。", None)
    with open_project(annotation_database, settings_of(per_item=5)) as store:
        add_items(
            store,
            (
                NewItem(str(n), {"answer": f"{SAME}{n}"} | ({"reference": text} if text else {}))
                for n, text in enumerate(references)
            ),
        )
        yield store


def person_with_all(store, name):
    """The person and their numbers by item key; nothing is answered yet."""
    person, _ = create_person(store, name, "annotator")
    found = [next_item(store, person.id, after=number) for number in range(5)]
    return person.id, {each.item.key: each.number for each in found}


def test_a_persons_latest_answer_is_found_by_the_same_text(store):
    """Not the item itself, nor one whose text merely contains it, nor one that was skipped or taken back."""
    anna, number = person_with_all(store, "Anna")
    ben, theirs = person_with_all(store, "Ben")

    def found(key):
        earlier = earlier_item(store, anna, number[key], "reference")
        return earlier and (earlier.number, earlier.annotation.payload)

    save_annotation(store, ben, theirs["0"], {"by": "Ben"}, save_id=new_id())
    save_annotation(store, anna, number["3"], {"n": 3}, save_id=new_id())
    assert [found(key) for key in "01234"] == [None] * 5
    save_annotation(store, anna, number["0"], {"n": 0}, save_id=new_id())
    save_annotation(store, anna, number["1"], {"n": 1}, save_id=new_id())
    assert [found(key) for key in "01234"] == [
        (number["1"], {"n": 1}), (number["0"], {"n": 0}), (number["1"], {"n": 1}), None, None,
    ]  # fmt: skip
    save_annotation(store, anna, number["0"], {"n": "again"}, save_id=new_id())
    assert found("2") == (number["0"], {"n": "again"})
    skip_item(store, anna, number["0"], save_id=new_id())
    assert found("2") == (number["1"], {"n": 1})
    undo_last(store, anna, save_id=new_id())
    assert found("2") == (number["0"], {"n": "again"})
    assert earlier_item(store, anna, 99, "reference") is None
