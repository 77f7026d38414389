"""Annotators and admins: their names, personal links, access and sessions.

Secrets of links and cookies are generated here, shown once, and stored as a hash. Unsalted SHA-256 is enough: a secret
has 256 random bits, so it can neither be guessed nor looked up in a table; slow hashes are for passwords that people
choose. Rows are found by the hash, so lookup time reveals nothing of the secret.
"""

import secrets
import unicodedata
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, delete, insert, select, update

from saiten.annotation.records import Login, Participant, Role
from saiten.annotation.store.capacity import lock_project, release
from saiten.annotation.store.database import LockedOut
from saiten.annotation.store.project import Project, Transaction, reads, writes
from saiten.annotation.store.schema import PERSON, people, sessions, workloads
from saiten.errors import BadInput

SERVER_ADMIN = "admin"
"""Name of the admin who has the token that the server was started with."""
_LONGEST = 100
_LONGEST_SECRET = 200
"""Characters of a secret from outside that are hashed; generated ones have 43."""
_IDLE = timedelta(days=30)
"""Time after the last use when a session expires."""
_TOUCHED_AFTER = timedelta(hours=1)
"""Resolution of the time of last use, so that not every request writes."""
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
    added = insert(people).values(
        project_id=tx.project, name=name, folded=folded, role=role, token_hash=secret_hash(token), seen_at=tx.now
    )
    person = tx.connection.execute(added.returning(*PERSON)).one()
    tx.connection.execute(insert(workloads).values(person_id=person.id))
    return Participant(*person), token


@writes
def renew_token(tx: Transaction, person: int) -> str:
    """Return a new token for a person's link, ending the old one and their sessions; raises BadInput if unknown."""
    token = new_secret()
    _change(tx, person, token_hash=secret_hash(token))
    tx.connection.execute(delete(sessions).where(sessions.c.person_id == person))
    return token


@writes
def set_active(tx: Transaction, person: int, *, active: bool) -> None:
    """Let a person in again, or lock them out; raises BadInput if there is no such person.

    Locking out releases their unanswered items; they may still answer them later, since work is never discarded.
    """
    _change(tx, person, active=active)
    if not active:
        tx.connection.execute(delete(sessions).where(sessions.c.person_id == person))
        lock_project(tx)
        release(tx, person)


@reads
def all_people(tx: Transaction) -> list[Participant]:
    """Return everybody in order of creation."""
    return _found(tx)


@reads
def person_by_token(tx: Transaction, token: str) -> Participant | None:
    """Return the owner of a link; None for a wrong or replaced token, and for somebody locked out."""
    return next(iter(_found(tx, people.c.token_hash == secret_hash(token), people.c.active)), None)


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
    found = _found(tx, people.c.id == person, lock=True)
    if not found:
        raise BadInput(f"there is no person number {person} in this project")
    if not found[0].active:
        raise LockedOut(f"{found[0].name!r} may no longer take part")
    tx.connection.execute(update(people).where(people.c.id == person).values(seen_at=tx.now))
    return found[0]


@writes
def begin_session(tx: Transaction, person: int) -> tuple[str, Login]:
    """Return a new session and its cookie's secret; raises BadInput unless the person is active."""
    found = _found(tx, people.c.id == person, people.c.active)
    if not found:
        raise BadInput(f"there is no active person number {person} in this project")
    tx.connection.execute(delete(sessions).where(sessions.c.seen_at < tx.now - _IDLE))
    secret = new_secret()
    tx.connection.execute(insert(sessions).values(secret_hash=secret_hash(secret), person_id=person, seen_at=tx.now))
    return secret, Login(found[0], _csrf_of(secret))


def find_session(project: Project, secret: str) -> Login | None:
    """Return the session with this secret; None if it has expired or never existed."""
    found = _find(project, secret)
    if found is None:
        return None
    *person, seen = found
    if project.clock() - seen > _TOUCHED_AFTER:
        touched = update(sessions).where(sessions.c.secret_hash == secret_hash(secret))
        project.write(lambda tx: tx.connection.execute(touched.values(seen_at=tx.now)))
    return Login(Participant(*person), _csrf_of(secret))


@writes
def end_session(tx: Transaction, secret: str) -> None:
    """Log out; does nothing if there is no such session."""
    tx.connection.execute(delete(sessions).where(sessions.c.secret_hash == secret_hash(secret)))


def new_secret() -> str:
    """Return 256 random bits, for a URL or a cookie."""
    return secrets.token_urlsafe(32)


def secret_hash(secret: str) -> bytes | None:
    """Return the hash to store; None for what cannot be a generated secret."""
    if not secret.isascii() or len(secret) > _LONGEST_SECRET:
        return None
    return sha256(secret.encode()).digest()


def _csrf_of(secret: str) -> str:
    """Return the session's CSRF token, derived from the cookie's secret without revealing it."""
    return urlsafe_b64encode(sha256(b"csrf " + secret.encode()).digest()).decode().rstrip("=")


@reads
def _find(tx: Transaction, secret: str) -> Sequence[Any] | None:
    """Return the person's columns and the time of last use."""
    return tx.connection.execute(
        select(*PERSON, sessions.c.seen_at)
        .join_from(sessions, people)
        .where(
            sessions.c.secret_hash == secret_hash(secret),
            sessions.c.seen_at >= tx.now - _IDLE,
            people.c.project_id == tx.project,
            people.c.active,
        )
    ).one_or_none()


def _found(tx: Transaction, *conditions: ColumnElement[bool], lock: bool = False) -> list[Participant]:
    chosen = select(*PERSON).where(people.c.project_id == tx.project, *conditions).order_by(people.c.id)
    rows = tx.connection.execute(chosen.with_for_update(key_share=True) if lock else chosen)
    return [Participant(*row) for row in rows]


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
