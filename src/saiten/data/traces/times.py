"""Points in time as tools write them, in nanoseconds since 1970."""

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FRACTION = re.compile(r"\.(\d{6})\d+")
_UNITS = ((1e11, 1_000_000_000), (1e14, 1_000_000), (1e17, 1000), (float("inf"), 1))
"""Numbers below the first of each pair count this many nanoseconds; 1e11 seconds are the year 5138."""


def nanoseconds(value: Any) -> int | None:
    """Return a time in nanoseconds; None if there is none, or in no known form.

    Known are ISO 8601 (without a zone: UTC), `datetime`s, and numbers, also as text, whose size shows the unit:
    seconds, milliseconds, microseconds or nanoseconds since 1970.
    """
    if isinstance(value, datetime):
        return _since(value)
    if isinstance(value, str):
        text = value.strip()
        return _of_number(float(text), text) if text.replace(".", "", 1).isdecimal() else _of_text(text)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return _of_number(float(value), str(value))
    return None


def as_text(time: int | None) -> str | None:
    """Return a time as ISO 8601 in UTC, to the millisecond; None if there is none, or none that a calendar has."""
    if time is None:
        return None
    try:
        return (_EPOCH + timedelta(milliseconds=time // 1_000_000)).isoformat(timespec="milliseconds")
    except OverflowError:
        return None


def _of_number(number: float, text: str) -> int:
    unit = next(unit for most, unit in _UNITS if number < most)
    return int(text) * unit if text.isdecimal() else int(number * unit)


def _of_text(text: str) -> int | None:
    try:
        return _since(datetime.fromisoformat(_FRACTION.sub(r".\1", text)))
    except ValueError:
        return None


def _since(time: datetime) -> int:
    zoned = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return (zoned - _EPOCH) // timedelta(microseconds=1) * 1000
