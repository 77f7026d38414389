"""JSON and TOML from files that anybody may have written: a value, or a ValueError with a sentence.

Python's own parsers let the last of equal keys win, accept NaN and numbers beyond every float, and end deep nesting
with a RecursionError, or with a value that breaks whatever walks it later.
"""

import json
import math
import tomllib
from collections.abc import Sequence
from typing import Any

DEEPEST = 400
"""Levels of lists and objects: what walks them recurses, and the details of a metric of one's own may nest deep."""

_TOO_DEEP = f"lists and objects are nested more than {DEEPEST} deep"


def strict_json(text: bytes | str) -> Any:
    """Return the value of a JSON document.

    Raises:
        ValueError: it is not JSON, repeats a key, has a number that is not finite, or is nested too deeply.
    """
    try:
        value = json.loads(
            text, object_pairs_hook=once, parse_constant=_finite, parse_float=_finite, parse_int=_integer
        )
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return _of_depth(value)


def strict_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML document.

    Raises:
        ValueError: it is not TOML (a `tomllib.TOMLDecodeError`, with the line), or is nested too deeply.
    """
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _of_depth(tables)
    return tables


class RepeatedKey(ValueError):
    """An object has the same key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key[:40]!r} occurs twice in one object; keep one of them")
        self.key = key


def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these keys and values; raises RepeatedKey if one occurs twice. A hook of `json.loads`."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise RepeatedKey(twice)
    return found


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number[:40]} is not a finite number")
    return value


def _integer(digits: str) -> int:
    _finite(digits)  # a larger one breaks the first division
    return int(digits)


def _of_depth(value: Any) -> Any:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return value
    raise ValueError(_TOO_DEEP)
