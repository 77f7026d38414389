"""Conversion of values as models write them to the reply's types, where only one meaning is possible.

Handles keys in another case or in Japanese, reasons left out, numbers as words, full-width digits, and lists in other
forms (`item_forms`). Ambiguous values are left for the type to refuse.
"""

import re
import unicodedata
from collections.abc import Mapping
from math import isfinite
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from saiten.judges.fields import STAND_INS, field_name, needed_fields, plain_key, shown_fields
from saiten.judges.item_forms import from_string, items_of
from saiten.text.normalization import without_surrogates

_NO_COUNTS: Mapping[str, int] = {}


def tidy(value: Any, kind: Any, counts: Mapping[str, int] = _NO_COUNTS) -> Any:
    """Convert the value to the type's form, without hidden or unknown keys; raises ValueError if a key occurs twice.

    `counts`: the number of verdicts that each list of the object needs, by field.
    """
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        value = from_string(value)
        return _tidy_object(value, kind, counts) if isinstance(value, dict) else value
    if get_origin(kind) is list and isinstance(value, list):
        return [tidy(item, get_args(kind)[0]) for item in value]
    return _tidy_scalar(value, kind)


def _tidy_scalar(value: Any, kind: Any) -> Any:
    if kind is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value) if isinstance(value, int) or isfinite(value) else value
    if kind is str and isinstance(value, str):
        return without_surrogates(value)
    if kind in {int, int | None}:
        return _whole(value, highest=None)
    if get_origin(kind) is Literal and all(type(option) is int for option in get_args(kind)):
        return _whole(value, highest=max(get_args(kind)))
    return value


def _tidy_object(value: Mapping[str, Any], kind: type[BaseModel], counts: Mapping[str, int]) -> dict[str, Any]:
    fields = shown_fields(kind)
    tidied: dict[str, Any] = {}
    for key, entry in value.items():
        name = field_name(key, fields)
        if name is None:
            continue
        if name in tidied:
            raise ValueError(f"`{name}` occurs twice in one object; write each key once")
        tidied[name] = entry
    for name, field in fields.items():
        if tidied.get(name) is None and name in STAND_INS:
            said = [entry for key, entry in value.items() if plain_key(key) in STAND_INS[name] and entry is not None]
            if len(said) == 1:
                tidied[name] = said[0]
        if tidied.get(name) is None and field.annotation is str and name not in needed_fields(kind):
            tidied[name] = ""
    return {name: _tidy_field(name, entry, fields[name].annotation, counts) for name, entry in tidied.items()}


def _tidy_field(name: str, value: Any, kind: Any, counts: Mapping[str, int]) -> Any:
    items = items_of(value, name, get_args(kind)[0], counts.get(name)) if get_origin(kind) is list else value
    return tidy(items, kind)


_WHOLE = re.compile(r"[^\d+\-−‐‒–—―./]{0,12}(\d{1,6})(?:\.0+)?(?:\s*(?:/|out of)\s*(\d{1,3}))?[^\d+\-−/]{0,3}")


def _whole(value: Any, highest: int | None) -> Any:
    """Convert `4`, `"4"`, `"４"`, `"4/5"`, `"Statement 4"`, `4.0` to 4; leave anything else to be refused."""
    if isinstance(value, bool):
        return str(value)  # pydantic would read true as 1
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        match = _WHOLE.fullmatch(unicodedata.normalize("NFKC", value).strip())
        if match and (match[2] is None or int(match[2]) == highest):
            return int(match[1])
    return value
