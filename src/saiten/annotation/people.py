"""The one admin whom the server itself knows: whoever has the token that it was started with."""

from saiten.annotation.records import Person
from saiten.annotation.store import Store

ADMIN = "admin"
"""The name under which decisions stand."""


def the_admin(store: Store) -> Person:
    """This person, made or let in again where need be: whoever starts the server rules over it."""
    person = next((each for each in store.people() if each.name == ADMIN and each.role == "admin"), None)
    if person is None:
        person, _ = store.create_person(ADMIN, "admin")  # this token is told to nobody: the server has another
    if not person.active:
        store.set_active(person.id, active=True)
    return person
