"""Reading hand-written TOML tables, with messages for missing, unknown or invalid values."""

import hashlib
import math
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError

_NAME = re.compile(r"[^\W\d]\w{0,59}")
_LARGEST = 1 << 20


def load(file: Path | Traversable, what: str) -> tuple[Mapping[str, Any], str]:
    """Return the content of a TOML file, and eight hexadecimal digits of its digest.

    Raises:
        ConfigurationError: the file is unreadable, too large, or not TOML.
    """
    try:
        if isinstance(file, Path) and file.stat().st_size > _LARGEST:
            raise ConfigurationError(f"{file}: a {what} of more than 1 MiB is none; name another file")
        content = file.read_bytes()
        found = tomllib.loads(content.decode("utf-8-sig").replace("\r\n", "\n"))
    except OSError as error:
        raise ConfigurationError(f"{file}: the {what} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # tomllib's and unicode's errors are ValueErrors
        raise ConfigurationError(f"{file}: is no TOML file, which a {what} is: {error}") from error
    canonical = repr(_sorted(found))  # comments do not change the digest
    return found, hashlib.sha256(canonical.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return sorted((key, _sorted(each)) for key, each in value.items())
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def keys(table: Any, where: str, *, required: Collection[str], optional: Collection[str] = ()) -> Mapping[str, Any]:
    """Check that the table has these keys and no others, and return it; raises ValueError."""
    if not isinstance(table, Mapping):
        raise ValueError(f"{where} must be a table, not {table!r:.40}")  # noqa: TRY004 - reported with the file's name
    known = [*required, *optional]
    if lacking := [key for key in required if key not in table]:
        raise ValueError(f"{where} lacks {', '.join(lacking)}")
    if unknown := [key for key in table if key not in known]:
        raise ValueError(f"{where} has {unknown[0]!r}, expected only {', '.join(known)}")
    return table


def tables(value: Any, where: str) -> Sequence[Any]:
    """Check for a list of at least one table; raises ValueError."""
    if not isinstance(value, list) or not value:
        raise ValueError(f"{where} must be a list with at least one table, not {value!r:.40}")
    return value


def text(value: Any, where: str) -> str:
    """Check for a non-blank text; raises ValueError."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{where} must be a text, not {value!r:.40}")
    return value.strip()


def is_name(value: Any) -> bool:
    """Return whether this is a word of letters, digits and `_`, as allowed in a metric's name."""
    return isinstance(value, str) and bool(_NAME.fullmatch(value))


def name(value: Any, where: str) -> str:
    """Check for a word of letters, digits and `_`, as allowed in a metric's name; raises ValueError."""
    if not is_name(value):
        raise ValueError(
            f"{where} must be a word of letters, digits and _ that begins with a letter, not {value!r:.60}"
        )
    return str(value)


def whole(value: Any, where: str) -> int:
    """Check for a whole number; raises ValueError."""
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 10**6:
        raise ValueError(f"{where} must be a whole number, not {value!r:.40}")
    return value


def number(value: Any, where: str) -> float:
    """Check for a finite number; raises ValueError."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value) or abs(value) > 1e12:
        raise ValueError(f"{where} must be a number, not {value!r:.40}")
    return float(value)


def distinct(names: Sequence[str], where: str) -> None:
    """Raise ValueError if a name occurs twice."""
    if twice := [each for each in names if names.count(each) > 1]:
        raise ValueError(f"{where} has {twice[0]!r} more than once")
