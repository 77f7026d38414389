"""Units of gist as a model names them: by number, text, or an object with either."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

_NUMBER = re.compile(
    r"[\[(#]*(?:(?:the|missing|gist|supplement|units?|no\.|[gu]|趣旨|補足|ユニット|単位|番号|第)[ :#_-]*){0,4}#?"
    r"(\d{1,6})(?:番目?)?[\])\].:,]*",
    re.IGNORECASE,
)
_MARK = re.compile(r"\s*[\[(]*[GU]?#*\d{1,6}[\]).:、]+\s*")
_TEXT_KEYS = ("text", "unit", "content", "quote", "passage", "span")
_NUMBER_KEYS = ("number", "index", "id", "unit")
_DISTINCTIVE = 4  # minimum letters of a part of a unit that identifies the unit


def text_of_unit(value: Any) -> Any:
    """Return the text in `{"text": "…"}`, or the value; lone surrogates, which no file can hold, are replaced."""
    if isinstance(value, Mapping):
        value = next((value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str)), value)
    if isinstance(value, str) and not value.isprintable():
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def read_number(value: Any) -> Any:
    """Return the number if one is meant, else the text; anything else is left for pydantic to refuse."""
    if isinstance(value, Mapping):
        numbers = (value[key] for key in _NUMBER_KEYS if isinstance(value.get(key), int))
        value = next(numbers, text_of_unit(value))
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        plain = _NUMBER.fullmatch(unicodedata.normalize("NFKC", value).strip())
        return int(plain[1]) if plain else value
    return value


UnitNumber = Annotated[int | str, BeforeValidator(read_number), WithJsonSchema({"type": "integer"})]
"""The number of a unit, which is all that the schema allows."""

Positions = tuple[tuple[int, ...], tuple[str, ...]]
"""Positions of units, and a fault for each name that matches none."""


def read_positions(named: Sequence[int | str], units: Sequence[str], what: str, *, before: int = 0) -> Positions:
    """Return the positions of the named units from 0, in order without repetition, and a fault per unknown name.

    Args:
        named: Numbers counted from 1, or texts. 0 is a fault, since it may mean the first, or none.
        units: The units that can be named.
        what: The word for a unit.
        before: The size of another list, after which a model may have continued counting.
    """
    numbers: list[int] = []
    faults: list[str] = []
    for name in named:
        try:
            numbers.append(name if isinstance(name, int) else _number_of(name, units, what))
        except ValueError as error:
            faults.append(str(error))
    continued = range(before + 1, before + len(units) + 1)
    if max(numbers, default=0) > len(units) and all(number in continued for number in numbers):
        numbers = [number - before for number in numbers]
    outside = [number for number in numbers if not 1 <= number <= len(units)]
    expected = f"the numbers are 1 to {len(units)}" if units else "leave that list empty"
    faults += [f"there is no {what} {number}; {expected}" for number in outside]
    return tuple(sorted({number - 1 for number in numbers if number not in outside})), tuple(dict.fromkeys(faults))


def _number_of(text: str, units: Sequence[str], what: str) -> int:
    """Return the number of the unit with this text, or of the only one that contains it."""
    known = [_letters(unit) for unit in units]
    for wanted in (_letters(text), _letters(_MARK.sub("", text, count=1))):
        if wanted in known:
            return known.index(wanted) + 1
        near = [n for n, unit in enumerate(known, 1) if unit and (wanted in unit or unit in wanted)]
        if len(near) == 1 and len(wanted) >= _DISTINCTIVE:
            return near[0]
    raise ValueError(f"{text[:60]!r} is not a {what}; name each by its number, 1 to {len(units)}")


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
