"""Values in rows: documents, messages and answers of other tools as texts, lists and mappings."""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from numbers import Number
from pathlib import PurePath
from typing import Any
from uuid import UUID

from saiten.data.objects.answered import Answered
from saiten.data.objects.readers import VALUES
from saiten.data.objects.types import declared_fields, found_for, type_name

_ATOMS = frozenset({str, int, float, bool, bytes, type(None)})
_SIMPLE = (str, bytes, Number, dt.date, dt.time, dt.timedelta, Decimal, UUID, PurePath)
_DEEPEST = 20


def plain(value: Any, depth: int = 0) -> Any:
    """Return the value made of texts, numbers, lists and mappings.

    Raises:
        ValueError: it holds an object of a type that is not read, or is nested more than 20 deep.
    """
    if type(value) in _ATOMS or isinstance(value, _SIMPLE):
        return value
    if depth > _DEEPEST:
        raise ValueError(f"nested more than {_DEEPEST} deep")
    if isinstance(value, list | tuple):
        return _plain_list(value, depth)
    if isinstance(value, Mapping):
        return {key_text(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, Enum):
        return plain(value.value, depth + 1)
    if type(value).__module__ == "numpy":
        return plain(value.tolist(), depth + 1) if value.dtype == object else value
    return _of_object(value, depth)


def key_text(key: Any) -> str:
    """Return the name of a column; pandas and YAML have numbers as names, too."""
    return key if isinstance(key, str) else str(plain(key))


def _plain_list(value: list[Any] | tuple[Any, ...], depth: int) -> Any:
    if set(map(type, value)) <= _ATOMS:
        return value
    items = [plain(item, depth + 1) for item in value]
    return items[0] if len(items) == 1 and isinstance(items[0], Answered) else items


def _of_object(value: Any, depth: int) -> Any:
    read = found_for(value, VALUES)
    made = declared_fields(value) if read is None else read(value)
    if made is None and read is None:
        raise ValueError(
            "expected text, a number, a list, a mapping, or a document, message or answer of LangChain, LlamaIndex, "
            f"Haystack or DeepEval, got {type_name(value)}"
        )
    if isinstance(made, Answered):
        contexts = made.contexts
        return Answered.of(made, None if contexts is None else plain(contexts, depth + 1), made.question)
    return plain(made, depth + 1)
