"""Annotations without a page: what people and the admin would save in the database of `saiten annotate`."""

from uuid import uuid4

from saiten.annotation.forms import FORMS
from saiten.annotation.store.annotations import annotated_items
from saiten.annotation.store.annotations import decide as store_decision
from saiten.annotation.store.assignment import next_item
from saiten.annotation.store.people import all_people
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import save_annotation


def answer_all(database, said):
    """Each annotator grades every item as `said` maps: name → payload of an item."""
    with open_project(database) as store:
        form = FORMS[store.settings.form].from_options(store.settings.options)
        people = {person.name: person for person in all_people(store)}
        for name, payload in said.items():
            while (item := next_item(store, people[name].id)) is not None:
                checked = form.check(item.item.content, payload(item.item))
                save_annotation(store, people[name].id, item.number, checked, save_id=str(uuid4()))


def decide(database, key, payload, note):
    """The admin makes a third decision."""
    with open_project(database) as store:
        admin = next(person for person in all_people(store) if person.role == "admin")
        item = next(each.item for each in annotated_items(store) if each.item.key == key)
        store_decision(store, item.id, payload, note, admin=admin.id)
