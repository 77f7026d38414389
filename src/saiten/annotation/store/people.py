"""Annotators and admins: their names, personal links and access."""

import unicodedata

from sqlalchemy import delete, insert, select, update

from saiten.annotation.records import Participant, Role
from saiten.annotation.store.capacity import lock_project, release
from saiten.annotation.store.database import LockedOut
from saiten.annotation.store.project import Project, Transaction, reads, writes
from saiten.annotation.store.schema import PERSON, people, sessions, workloads
from saiten.annotation.store.sessions import new_secret, secret_hash
from saiten.errors import BadInput

SERVER_ADMIN = "admin"
"""Name of the admin who has the token that the server was started with."""
_LONGEST = 100
_REFUSED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode categories of control and invisible characters, surrogates and line separators."""


@writes
def create_person(tx: Transaction, name: str, role: Role) -> tuple[Participant, str]:
    """Create a participant; return them with the token of their link, of which only a hash is stored.

    Raises:
        BadInput: the name is invalid or taken (regardless of case), or there is no such role.
    """
    name = _checked_name(name)
    if role not in {"admin", "annotator"}:
        raise BadInput(f"a person is an admin or an annotator, not {role!r}")
    folded = unicodedata.normalize("NFC", name.casefold())
    taken = select(people.c.name).where(people.c.project_id == tx.project, people.c.folded == folded)
    if (other := tx.connection.scalar(taken)) is not None:
        raise BadInput(f"there is somebody called {other!r} already; names must differ by more than case")
    token = new_secret()
    person = tx.connection.execute(
        insert(people)
        .values(
            project_id=tx.project,
            name=name,
            folded=folded,
            role=role,
            active=True,
            token_hash=secret_hash(token),
            seen_at=tx.now,
        )
        .returning(*PERSON)
    ).one()
    tx.connection.execute(insert(workloads).values(person_id=person.id, had=0, last_number=0, bin_rank=0))
    return Participant(*person), token


@writes
def renew_token(tx: Transaction, person: int) -> str:
    """Return a new token for the person's link; the old one and all their sessions end.

    Raises:
        BadInput: there is no such person.
    """
    token = new_secret()
    _change(tx, person, token_hash=secret_hash(token))
    tx.connection.execute(delete(sessions).where(sessions.c.person_id == person))
    return token


@writes
def set_active(tx: Transaction, person: int, *, active: bool) -> None:
    """Let a person in again, or lock them out.

    That releases their unanswered items; they may still be answered by them later, since work is never discarded.

    Raises:
        BadInput: there is no such person.
    """
    _change(tx, person, active=active)
    if not active:
        tx.connection.execute(delete(sessions).where(sessions.c.person_id == person))
        lock_project(tx)
        release(tx, person)


@reads
def all_people(tx: Transaction) -> list[Participant]:
    """Return everybody in order of creation."""
    found = tx.connection.execute(select(*PERSON).where(people.c.project_id == tx.project).order_by(people.c.id))
    return [Participant(*row) for row in found]


@reads
def person_by_token(tx: Transaction, token: str) -> Participant | None:
    """Return the owner of a link; None for a wrong or replaced token, and for somebody locked out."""
    of_token = people.c.token_hash == secret_hash(token)
    found = select(*PERSON).where(people.c.project_id == tx.project, of_token, people.c.active)
    row = tx.connection.execute(found).one_or_none()
    return None if row is None else Participant(*row)


def server_admin(project: Project) -> Participant:
    """Return the admin who started the server, created or reactivated if needed."""
    person = next((each for each in all_people(project) if each.name == SERVER_ADMIN and each.role == "admin"), None)
    if person is None:
        person, _ = create_person(project, SERVER_ADMIN, "admin")  # this token is never used: the server has its own
    if not person.active:
        set_active(project, person.id, active=True)
    return person


def lock_person(tx: Transaction, person: int) -> Participant:
    """Return an active person, and keep others from writing for them until the transaction ends.

    Raises:
        LockedOut: the person may no longer take part.
        BadInput: there is no such person in this project.
    """
    chosen = select(*PERSON).where(people.c.id == person, people.c.project_id == tx.project)
    row = tx.connection.execute(chosen.with_for_update(key_share=True)).one_or_none()
    if row is None:
        raise BadInput(f"there is no person number {person} in this project")
    if not row.active:
        raise LockedOut(f"{row.name!r} may no longer take part")
    tx.connection.execute(update(people).where(people.c.id == person).values(seen_at=tx.now))
    return Participant(*row)


def _checked_name(name: str) -> str:
    name = unicodedata.normalize("NFC", name).strip()
    if not 0 < len(name) <= _LONGEST:
        raise BadInput(f"a name has 1 to {_LONGEST} characters; this one has {len(name)}")
    if refused := [character for character in name if unicodedata.category(character) in _REFUSED]:
        raise BadInput(f"a name must not contain control or invisible characters, such as U+{ord(refused[0]):04X}")
    return name


def _change(tx: Transaction, person: int, **values: object) -> None:
    chosen = update(people).where(people.c.id == person, people.c.project_id == tx.project).values(**values)
    if tx.connection.execute(chosen).rowcount == 0:
        raise BadInput(f"there is no person number {person} in this project")
