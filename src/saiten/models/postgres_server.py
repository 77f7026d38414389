"""What all connections to a PostgreSQL server have: settings that notice a dead network, and errors without secrets."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from saiten.errors import ConfigurationError
from saiten.redaction import Secrets

SETTINGS: Mapping[str, Any] = MappingProxyType(
    {
        "connect_timeout": 10,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,  # milliseconds: detects a network that drops everything
    }
)
"""Parameters of libpq, which an address may replace."""


def check_host(*parts: object) -> None:
    """Raise ConfigurationError if a part of the password was taken for the host or port, and would be in messages."""
    if any("@" in str(part) for part in parts):
        raise ConfigurationError("write an @ in the user name or password of the database as %40")


def reason(error: Exception | None, secrets: Iterable[object]) -> str:
    """Return what the server or the driver said, on one line and with secrets masked."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # the driver lists one line per resolved address, then hints
    text = "; ".join(lines) or type(error).__name__
    return Secrets.of(str(secret) for secret in secrets if secret).hide(text)[:400]
