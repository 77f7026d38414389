"""Annotators and admins: their names, their links, whether they take part."""

import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from saiten.annotation.records import Person, Role
from saiten.annotation.store.failures import ShutOut
from saiten.annotation.store.releasing import release_all_of
from saiten.annotation.store.schema import people, sessions, workloads
from saiten.annotation.store.tokens import new_secret, secret_hash
from saiten.errors import BadInput

_LONGEST = 100
_REFUSED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Controls, what is not seen or turns the direction of writing, half characters, line ends."""

COLUMNS = (people.c.id, people.c.name, people.c.role, people.c.active)


def create_person(connection: Connection, project: int, name: str, role: Role, now: datetime) -> tuple[Person, str]:
    """The person, and the token of their link, which is shown this once.

    Raises:
        BadInput: the name is no name, or is taken; or there is no such role.
    """
    name = checked_name(name)
    if role not in {"admin", "annotator"}:
        raise BadInput(f"a person is an admin or an annotator, not {role!r}")
    folded = unicodedata.normalize("NFC", name.casefold())
    taken = select(people.c.name).where(people.c.project_id == project, people.c.folded == folded)
    if (other := connection.scalar(taken)) is not None:
        raise BadInput(f"there is somebody called {other!r} already; names differ by more than case")
    token = new_secret()
    person = connection.execute(
        insert(people)
        .values(
            project_id=project,
            name=name,
            folded=folded,
            role=role,
            active=True,
            token_hash=secret_hash(token),
            seen_at=now,
        )
        .returning(*COLUMNS)
    ).one()
    connection.execute(insert(workloads).values(person_id=person.id, had=0, last_number=0, bin_rank=0))
    return as_person(person), token


def checked_name(name: str) -> str:
    """The name without space around it, in Unicode's composed form.

    Raises:
        BadInput: it is empty, longer than 100 characters, or holds what cannot be seen.
    """
    name = unicodedata.normalize("NFC", name).strip()
    if not 0 < len(name) <= _LONGEST:
        raise BadInput(f"a name has 1 to {_LONGEST} characters; this one has {len(name)}")
    if refused := [character for character in name if unicodedata.category(character) in _REFUSED]:
        raise BadInput(f"a name holds no control or invisible characters; this one holds U+{ord(refused[0]):04X}")
    return name


def renew_token(connection: Connection, project: int, person: int) -> str:
    """A new token; the old one opens nothing any more, and whoever got in by it is out.

    Raises:
        BadInput: there is no such person.
    """
    token = new_secret()
    _change(connection, project, person, token_hash=secret_hash(token))
    connection.execute(delete(sessions).where(sessions.c.person_id == person))
    return token


def set_active(connection: Connection, project: int, person: int, *, active: bool) -> None:
    """Let somebody in again, or no more; what they have not answered then goes to others.

    Raises:
        BadInput: there is no such person.
    """
    _change(connection, project, person, active=active)
    if not active:
        connection.execute(delete(sessions).where(sessions.c.person_id == person))
        release_all_of(connection, project, person)


def all_people(connection: Connection, project: int) -> list[Person]:
    """In the order in which they were created."""
    found = connection.execute(select(*COLUMNS).where(people.c.project_id == project).order_by(people.c.id))
    return [as_person(row) for row in found]


def person_by_token(connection: Connection, project: int, token: str) -> Person | None:
    """Whose link it is; None for a wrong token, and for somebody who is let in no more."""
    if (hashed := secret_hash(token)) is None:
        return None
    found = select(*COLUMNS).where(people.c.project_id == project, people.c.token_hash == hashed, people.c.active)
    row = connection.execute(found).one_or_none()
    return None if row is None else as_person(row)


def locked(connection: Connection, project: int, person: int, now: datetime) -> Person:
    """The person, who takes part; nothing else is written down for them until the transaction ends.

    Raises:
        ShutOut: they do not take part any more.
        BadInput: there is no such person in this project.
    """
    chosen = select(*COLUMNS).where(people.c.id == person, people.c.project_id == project)
    row = connection.execute(chosen.with_for_update(key_share=True)).one_or_none()
    if row is None:
        raise BadInput(f"there is no person number {person} in this project")
    if not row.active:
        raise ShutOut(f"{row.name!r} does not take part any more")
    connection.execute(update(people).where(people.c.id == person).values(seen_at=now))
    return as_person(row)


def as_person(row: Sequence[Any]) -> Person:
    """A person of the columns `COLUMNS`."""
    number, name, role, active = row
    return Person(number, name, role, active)


def _change(connection: Connection, project: int, person: int, **values: object) -> None:
    chosen = update(people).where(people.c.id == person, people.c.project_id == project).values(**values)
    if connection.execute(chosen).rowcount == 0:
        raise BadInput(f"there is no person number {person} in this project")
