"""Who is logged in: by a cookie's secret, of which a hash is kept, for 30 days after they were last seen."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update

from saiten.annotation.records import Session
from saiten.annotation.store.people import COLUMNS, as_person
from saiten.annotation.store.schema import people, sessions
from saiten.annotation.store.tokens import csrf_of, new_secret, secret_hash
from saiten.errors import BadInput

_IDLE = timedelta(days=30)
TOUCHED_AFTER = timedelta(hours=1)
"""How exact it is known when a session was last used; a write at each request would cost more than it tells."""


def begin_session(connection: Connection, project: int, person: int, now: datetime) -> tuple[str, Session]:
    """The cookie's secret, and the session; sessions that nobody used for 30 days are forgotten.

    Raises:
        BadInput: there is no such person, or they do not take part any more.
    """
    chosen = select(*COLUMNS).where(people.c.id == person, people.c.project_id == project, people.c.active)
    row = connection.execute(chosen).one_or_none()
    if row is None:
        raise BadInput(f"there is no person number {person} who takes part in this project")
    connection.execute(delete(sessions).where(sessions.c.seen_at < now - _IDLE))
    secret = new_secret()
    connection.execute(insert(sessions).values(secret_hash=secret_hash(secret), person_id=person, seen_at=now))
    return secret, Session(as_person(row), csrf_of(secret))


def find_session(connection: Connection, project: int, secret: str, now: datetime) -> tuple[Session, datetime] | None:
    """Whose session it is and when it was last used, as far as that is known; None for one that is over."""
    if (hashed := secret_hash(secret)) is None:
        return None
    row = connection.execute(
        select(*COLUMNS, sessions.c.seen_at)
        .join_from(sessions, people)
        .where(
            sessions.c.secret_hash == hashed,
            sessions.c.seen_at >= now - _IDLE,
            people.c.project_id == project,
            people.c.active,
        )
    ).one_or_none()
    return None if row is None else (Session(as_person(row[:-1]), csrf_of(secret)), row.seen_at)


def touch_session(connection: Connection, secret: str, now: datetime) -> None:
    """It was used just now."""
    connection.execute(update(sessions).where(sessions.c.secret_hash == secret_hash(secret)).values(seen_at=now))


def end_session(connection: Connection, secret: str) -> None:
    """Forget it."""
    connection.execute(delete(sessions).where(sessions.c.secret_hash == secret_hash(secret)))
