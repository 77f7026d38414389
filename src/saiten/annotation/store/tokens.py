"""Secrets of links and cookies: generated here, shown once, stored as a hash.

Unsalted SHA-256 is enough: a secret has 256 random bits, so it can neither be guessed nor looked up in a table; slow
hashes are for passwords that people choose. Rows are found by the hash, so lookup time reveals nothing of the secret.
"""

import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256

_LONGEST = 200
"""Characters of a secret from outside that are hashed; generated ones have 43."""


def new_secret() -> str:
    """Return 256 random bits, for a URL or a cookie."""
    return secrets.token_urlsafe(32)


def secret_hash(secret: str) -> bytes | None:
    """Return the hash to store; None for what cannot be a generated secret."""
    if not secret.isascii() or len(secret) > _LONGEST:
        return None
    return sha256(secret.encode()).digest()


def csrf_of(secret: str) -> str:
    """Return the session's CSRF token, derived from the cookie's secret without revealing it."""
    return urlsafe_b64encode(sha256(b"csrf " + secret.encode()).digest()).decode().rstrip("=")
