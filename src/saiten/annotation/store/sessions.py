"""Login sessions: identified by a cookie's secret, stored as a hash, valid for 30 days after their last use."""

from datetime import datetime, timedelta

from sqlalchemy import delete, insert, select, update

from saiten.annotation.records import Login
from saiten.annotation.store.people import COLUMNS, as_person
from saiten.annotation.store.project import Project, Transaction, reads, writes
from saiten.annotation.store.schema import people, sessions
from saiten.annotation.store.tokens import csrf_of, new_secret, secret_hash
from saiten.errors import BadInput

_IDLE = timedelta(days=30)
_TOUCHED_AFTER = timedelta(hours=1)
"""Resolution of the time of last use, so that not every request writes."""


@writes
def begin_session(tx: Transaction, person: int) -> tuple[str, Login]:
    """Return a new cookie's secret and the session; expired sessions are deleted.

    Raises:
        BadInput: there is no such person, or they may no longer take part.
    """
    chosen = select(*COLUMNS).where(people.c.id == person, people.c.project_id == tx.project, people.c.active)
    row = tx.connection.execute(chosen).one_or_none()
    if row is None:
        raise BadInput(f"there is no active person number {person} in this project")
    tx.connection.execute(delete(sessions).where(sessions.c.seen_at < tx.now - _IDLE))
    secret = new_secret()
    tx.connection.execute(insert(sessions).values(secret_hash=secret_hash(secret), person_id=person, seen_at=tx.now))
    return secret, Login(as_person(row), csrf_of(secret))


def find_session(project: Project, secret: str) -> Login | None:
    """Return the session with this secret; None if it has expired or never existed."""
    found = _find(project, secret)
    if found is None:
        return None
    login, seen = found
    if project.clock() - seen > _TOUCHED_AFTER:
        _touch(project, secret)
    return login


@writes
def end_session(tx: Transaction, secret: str) -> None:
    """Log out; does nothing if there is no such session."""
    tx.connection.execute(delete(sessions).where(sessions.c.secret_hash == secret_hash(secret)))


@reads
def _find(tx: Transaction, secret: str) -> tuple[Login, datetime] | None:
    if (hashed := secret_hash(secret)) is None:
        return None
    row = tx.connection.execute(
        select(*COLUMNS, sessions.c.seen_at)
        .join_from(sessions, people)
        .where(
            sessions.c.secret_hash == hashed,
            sessions.c.seen_at >= tx.now - _IDLE,
            people.c.project_id == tx.project,
            people.c.active,
        )
    ).one_or_none()
    return None if row is None else (Login(as_person(row[:-1]), csrf_of(secret)), row.seen_at)


@writes
def _touch(tx: Transaction, secret: str) -> None:
    tx.connection.execute(update(sessions).where(sessions.c.secret_hash == secret_hash(secret)).values(seen_at=tx.now))
