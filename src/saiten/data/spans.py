"""Marked spans in a cell: a list of `{text, start, end}`, `[start, end]` or `[start, end, text]`."""

import json
from collections.abc import Mapping
from typing import Any

from saiten.data.values import as_text, is_list, is_nothing
from saiten.records import Span

_FORMS = "a span is {text, start, end}, [start, end] or [start, end, text]"
_LONGEST = 2**40
"""Larger offsets are invalid, since no text is as long."""


def as_spans(value: Any) -> tuple[Span, ...] | None:
    """Return the spans in order, from a list or its JSON; None for null or an empty cell.

    An empty list means that nothing was marked. Offsets count characters (code points) from 0, the end exclusive; a
    span that was not found in its text has only a text.

    Raises:
        ValueError: it is no list of spans; the message names the span and its fault.
    """
    if is_nothing(value) or (isinstance(value, str) and not value.strip()):
        return None
    items = _parsed(value) if isinstance(value, str) else value
    if not is_list(items):
        raise ValueError(f"a list was expected, {_shown(value)} came; {_FORMS}")
    return tuple(_span(item, number) for number, item in enumerate(items, 1))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"a list in JSON was expected, {_shown(text)} came") from error


def _span(item: Any, number: int) -> Span:
    if isinstance(item, Mapping):
        text, start, end = item.get("text"), item.get("start"), item.get("end")
    elif is_list(item) and len(item) in (2, 3):
        start, end, text = (*item, None) if len(item) == 2 else item
    else:
        raise ValueError(f"span {number} is {_shown(item)}; {_FORMS}")
    if not is_nothing(text) and not isinstance(text, str):
        raise ValueError(f"the text of span {number} is {_shown(text)}")
    said = as_text(text) or ""
    if is_nothing(start) and is_nothing(end):
        if not said:
            raise ValueError(f"span {number} has neither text nor offsets")
        return Span(said)
    first, last = _offset(start, f"the start of span {number}"), _offset(end, f"the end of span {number}")
    if last <= first:
        what = "ends before it starts" if last < first else "is empty"
        raise ValueError(f"span {number} {what}: start {first}, end {last} (exclusive)")
    return Span(said, first, last)


def _offset(value: Any, name: str) -> int:
    """Return a whole number from 0; tables write it as 3.0 if others in the column are null."""
    number = value.item() if hasattr(value, "item") and not isinstance(value, str) else value
    whole = isinstance(number, int) or (isinstance(number, float) and number.is_integer())
    if isinstance(number, bool) or not whole or not 0 <= number < _LONGEST:
        raise ValueError(f"{name} is {_shown(value)}; an offset in characters, counted from 0, was expected")
    return int(number)


def _shown(value: Any) -> str:
    """Describe a value briefly, without writing out huge numbers."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _LONGEST:
        return "a number that no text is long enough for"
    if isinstance(value, str):
        return repr(value[:40])
    return repr(value)[:40] if value is None or isinstance(value, int | float) else f"a {type(value).__name__}"
