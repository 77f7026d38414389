"""Shared helpers of the annotation store's tests: settings, items, a worker."""

import uuid
from collections.abc import Iterator

from saiten.annotation.records import NewItem, ProjectSettings
from saiten.annotation.store.assignment import next_item
from saiten.annotation.store.saving import save_annotation


def settings_of(**changes) -> ProjectSettings:
    """A project's settings: everybody grades everything twice, except for the changes."""
    return ProjectSettings(**{"form": "grade", "options": {"rubric": "基準"}, **changes})


def new_items(number: int, *, questions: int | None = None, begin: int = 0) -> Iterator[NewItem]:
    """Items for these questions in order; if none is given, each has its own question."""
    for index in range(begin, begin + number):
        question = f"質問 {index if questions is None else index % questions}"
        yield NewItem(f"標本/{index}", {"question": question, "answer": f"回答 {index}"})


def new_id() -> str:
    """A save ID as the page makes it."""
    return str(uuid.uuid4())


def work_off(store, person: int, most: int = 10**9) -> list[int]:
    """The database numbers of the items that this person was given and graded until nothing was left."""
    worked = []
    while len(worked) < most and (given := next_item(store, person)) is not None:
        save_annotation(store, person, given.number, {"grade": 3}, save_id=new_id())
        worked.append(given.item.id)
    return worked
