"""Secrets of links and cookies: made here, shown once, kept as a hash only.

SHA-256 without salt or delay is enough: a secret has 256 random bits, so there is nothing to guess and no table to
look it up in; slow hashes are for passwords that people think of. It is found by its hash, so the time that the
look-up takes says nothing about the secret.
"""

import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256

_LONGEST = 200
"""Characters of a secret from outside that are looked at; ours have 43."""


def new_secret() -> str:
    """256 random bits, for an address or a cookie."""
    return secrets.token_urlsafe(32)


def secret_hash(secret: str) -> bytes | None:
    """What is kept of a secret; None for what cannot be one of ours."""
    if not secret.isascii() or len(secret) > _LONGEST:
        return None
    return sha256(secret.encode()).digest()


def csrf_of(secret: str) -> str:
    """What a page of this session must bring along: follows from the cookie's secret, and gives nothing of it away."""
    return urlsafe_b64encode(sha256(b"csrf " + secret.encode()).digest()).decode().rstrip("=")
