"""From one JSON value of a reply to the reply's type, or the fault in it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from saiten.judges.blocks import parse
from saiten.judges.fields import field_name, holds_lists, shown_fields
from saiten.judges.tidying import tidy
from saiten.protocols import Reply

_ELLIPSES = {"…", "...", "……"}


def from_list(kind: type[Reply], block: str) -> Sequence[Reply]:
    """Read a bare list where the requested object has a single list field; or a list of such objects."""
    items = parse(block)
    if isinstance(items, list) and items and all(isinstance(item, dict) for item in items):
        with suppress(ValueError):  # read as the list itself below
            whole = [validated(kind, with_all_fields(kind, item)) for item in items]
            if len(whole) == 1 or holds_lists(kind):
                return whole
    fields = shown_fields(kind)
    if len(fields) != 1 or not holds_lists(kind):
        raise ValueError(f"expected {expected(kind)}, got a list")
    _refuse_ellipses(items)
    return [validated(kind, {next(iter(fields)): items})]


def with_all_fields(kind: type[Reply], value: Any) -> Mapping[str, Any]:
    """Return the object, or the one inside it; raises ValueError unless all fields of the reply are there."""
    fields = shown_fields(kind)
    if not isinstance(value, dict):
        raise ValueError(f"expected {expected(kind)}")  # noqa: TRY004 - a ValueError is what the judge repairs
    present = {field_name(key, fields) for key in value}
    inner = next(iter(value.values())) if len(value) == 1 else None
    if not present & set(fields) and isinstance(inner, dict):
        return with_all_fields(kind, inner)  # {"result": {…}}
    if missing := [name for name in fields if name not in present]:
        raise ValueError(f"`{missing[0]}` is missing; expected {expected(kind)}")
    _refuse_ellipses(value)
    return value


def _refuse_ellipses(value: Any) -> None:
    """Refuse the prompt's form, whose texts are all `…`, and lists abbreviated with `…`."""
    texts = _texts(value)
    if texts and all(text.strip() in _ELLIPSES for text in texts):
        raise ValueError("the reply only repeats the requested form; fill it in")
    lists = [part for part in (value.values() if isinstance(value, dict) else [value]) if isinstance(part, list)]
    if any(isinstance(item, str) and item.strip() in _ELLIPSES for items in lists for item in items):
        raise ValueError("a list is abbreviated with an ellipsis; write every item")


def _texts(value: Any) -> Sequence[str]:
    if isinstance(value, str):
        return [value]
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for child in children for text in _texts(child)]


def validated(kind: type[Reply], value: Mapping[str, Any]) -> Reply:
    """Return the reply; raises ValueError for a value of the wrong type."""
    try:
        return kind.model_validate(tidy(value, kind))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"]) or "the object"
        raise ValueError(f"`{where}`: {first['msg']}, got {repr(first['input'])[:60]}") from None


def expected(kind: type[Reply]) -> str:
    """Describe the object that was requested, for errors."""
    return "one JSON object with " + ", ".join(f"`{name}`" for name in shown_fields(kind))
