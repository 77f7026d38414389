"""Login sessions, and the secrets of links and cookies, which are generated here, shown once, and stored as a hash.

Unsalted SHA-256 is enough: a secret has 256 random bits, so it can neither be guessed nor looked up in a table; slow
hashes are for passwords that people choose. Rows are found by the hash, so lookup time reveals nothing of the secret.
"""

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import delete, insert, select, update

from saiten.annotation.records import Login, Participant
from saiten.annotation.store.project import Project, Transaction, reads, writes
from saiten.annotation.store.schema import PERSON, people, sessions
from saiten.errors import BadInput

_LONGEST = 200
"""Characters of a secret from outside that are hashed; generated ones have 43."""
_IDLE = timedelta(days=30)
"""Time after the last use when a session expires."""
_TOUCHED_AFTER = timedelta(hours=1)
"""Resolution of the time of last use, so that not every request writes."""


@writes
def begin_session(tx: Transaction, person: int) -> tuple[str, Login]:
    """Return a new cookie's secret and the session; expired sessions are deleted.

    Raises:
        BadInput: there is no such person, or they may no longer take part.
    """
    chosen = select(*PERSON).where(people.c.id == person, people.c.project_id == tx.project, people.c.active)
    row = tx.connection.execute(chosen).one_or_none()
    if row is None:
        raise BadInput(f"there is no active person number {person} in this project")
    tx.connection.execute(delete(sessions).where(sessions.c.seen_at < tx.now - _IDLE))
    secret = new_secret()
    tx.connection.execute(insert(sessions).values(secret_hash=secret_hash(secret), person_id=person, seen_at=tx.now))
    return secret, Login(Participant(*row), _csrf_of(secret))


def find_session(project: Project, secret: str) -> Login | None:
    """Return the session with this secret; None if it has expired or never existed."""
    found = _find(project, secret)
    if found is None:
        return None
    person, seen = found[:-1], found[-1]
    if project.clock() - seen > _TOUCHED_AFTER:
        _touch(project, secret)
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
    if not secret.isascii() or len(secret) > _LONGEST:
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


@writes
def _touch(tx: Transaction, secret: str) -> None:
    tx.connection.execute(update(sessions).where(sessions.c.secret_hash == secret_hash(secret)).values(seen_at=tx.now))
