"""Values in a reply of somebody's system: texts, numbers and counts, and sentences about anything else."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from saiten.data.objects.readers import VALUES
from saiten.data.objects.types import found_for
from saiten.data.objects.values import plain
from saiten.text.normalization import without_surrogates

_MOST = 2**40
"""More tokens, calls or characters than are plausible."""
_NAMES_SHOWN = 10


def text_of(value: Any, name: str) -> str:
    """Return the text; raises ValueError, with this name, for anything else."""
    if not isinstance(value, str):
        raise ValueError(f"`{name}` must be a text, got {kind_of(value)}")  # noqa: TRY004 - the input is at fault
    return without_surrogates(value)


def answer_text(value: Any, name: str) -> str:
    """Return the text, or that of a message or an answer of LangChain, LlamaIndex or Haystack.

    Raises:
        ValueError: it is something else, or a message with images, without which it means something else.
    """
    if isinstance(value, str) or found_for(value, VALUES) is None:
        return text_of(value, name)
    found = plain(value)
    return text_of(found.get("content") if isinstance(found, Mapping) else found, name)


def count_of(value: Any) -> int | None:
    """Return a plausible count; anything else is missing."""
    return value if type(value) is int and 0 <= value <= _MOST else None


def number_of(value: Any) -> float | None:
    """Return a finite number, including NumPy's; NaN, infinities and other types count as missing."""
    if value is None or isinstance(value, str | bytes | bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def kind_of(value: Any) -> str:
    """Describe a value's type in a word or two."""
    if value is None:
        return "nothing (null, None)"
    if type(value) is tuple:
        return f"a tuple of {len(value)}"
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), f"a {type(value).__name__}")


def names_in(value: Mapping[Any, Any]) -> str:
    """List the first names of an object, for an error."""
    names = [f"`{str(name)[:40]}`" for name in list(value)[:_NAMES_SHOWN]]
    return ", ".join(names) + (", …" if len(value) > _NAMES_SHOWN else "") if names else "nothing in it"
