"""From one JSON value of a reply to the reply's type, or the fault in it."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from saiten.judges.blocks import Block, parse
from saiten.judges.fields import field_name, holds_lists, needed_fields, only_list, plain_key, shown_fields
from saiten.judges.item_forms import from_string, is_keyed
from saiten.judges.quotations import QUOTED
from saiten.judges.tidying import tidy
from saiten.judges.wanted import Wanted
from saiten.protocols import Reply
from saiten.tasks.verdicts import Verdict

_ELLIPSES = {"…", "...", "……"}
_HOLDERS = frozenset(
    {"arguments", "parameters", "args", "input", "function", "result", "output", "response", "reply", "answer", "json"}
)
"""Keys under which a reply may be wrapped, as in a tool call."""
_NAMES = frozenset({"name", "tool", "tool_name", "type", "id", "call_id", "index", "status", "role"})
"""Keys that may be next to it."""


def from_list(wanted: Wanted, block: Block) -> Sequence[Reply]:
    """Read a bare list where the requested object has a single list field; or a list of such objects."""
    kind, items = wanted.kind, parse(block.text)
    found: Sequence[Reply] = ()
    if isinstance(items, list) and items and all(isinstance(item, dict) for item in items):
        with suppress(ValueError):  # read as the list itself below
            whole = [validated(wanted, with_all_fields(wanted, item)) for item in items]
            if len(whole) == 1 or holds_lists(kind):
                found = whole
    if found:
        _refuse_quotations(wanted, items)
        return found
    only = only_list(kind)
    if only is None:
        raise ValueError(f"expected {expected(kind)}, got a list")
    name, item_type = only
    if block.held and item_type is Verdict:  # other lists, such as [1], may be in the material by chance
        raise ValueError(QUOTED)
    return [validated(wanted, {name: items})]


def with_all_fields(wanted: Wanted, value: Any) -> Mapping[str, Any]:
    """Return the object, or the one inside it; raises ValueError unless all needed fields of the reply are there."""
    kind = wanted.kind
    if not isinstance(value, dict):
        raise ValueError(f"expected {expected(kind)}")  # noqa: TRY004 - a ValueError is what the judge repairs
    present = {field_name(key, shown_fields(kind)) for key in value}
    inner = _inside(kind, value, present - {None})
    if inner is not None:
        _refuse_quotations(wanted, [inner])
        inner, only = from_string(inner), only_list(kind)
        return {only[0]: inner} if only and isinstance(inner, list) else with_all_fields(wanted, inner)
    only = only_list(kind)
    if only is not None and only[1] in (str, Verdict) and is_keyed(value):
        return {only[0]: value}
    if missing := [name for name in needed_fields(kind) if name not in present]:
        raise ValueError(f"`{missing[0]}` is missing; expected {expected(kind)}")
    return value


def _refuse_quotations(wanted: Wanted, inner: Sequence[Any]) -> None:
    """Refuse a value, or JSON in a string, that is from the material, whatever is around it."""
    for each in inner:
        written = each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)
        if wanted.material.holds(written) or wanted.material.holds_end(written):
            raise ValueError(QUOTED)


def _inside(kind: type[Reply], value: Mapping[str, Any], present: set[Any]) -> Any:
    """Return the object, list or string of JSON that the object only wraps; None if it wraps none.

    `present`: the reply's fields in the object. One of them can be a wrapper, too, since answers are in `answer`.
    """
    wrapped = {key: entry for key, entry in value.items() if _is_json(entry)}
    if len(wrapped) != 1 or any(plain_key(key) not in _NAMES for key in value.keys() - wrapped.keys()):
        return None
    ((key, entry),) = wrapped.items()
    held = plain_key(key) in _HOLDERS
    inner = from_string(entry)
    if present:
        fields = shown_fields(kind)
        whole = isinstance(inner, dict) and {field_name(each, fields) for each in inner} >= set(needed_fields(kind))
        return entry if isinstance(entry, str) and whole else None
    if isinstance(inner, list):
        return entry if held and only_list(kind) is not None else None
    only = only_list(kind)
    if only is not None and only[1] in (str, Verdict) and is_keyed(value):
        return None
    return entry if held or (len(value) == 1 and isinstance(entry, dict)) else None


def _is_json(value: Any) -> bool:
    return isinstance(from_string(value), dict | list)


def _refuse_ellipses(value: Any) -> None:
    """Refuse the prompt's form, whose texts are all `…`, and lists abbreviated with `…`."""
    texts = [text for text in _texts(value) if text]
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


def validated(wanted: Wanted, value: Mapping[str, Any]) -> Reply:
    """Return the reply; raises ValueError for a value of the wrong type."""
    _refuse_ellipses(value)
    tidied = tidy(value, wanted.kind, wanted.counts)
    _refuse_ellipses(tidied)
    try:
        return wanted.kind.model_validate(tidied)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"]) or "the object"
        raise ValueError(f"`{where}`: {first['msg']}, got {repr(first['input'])[:60]}") from None


def expected(kind: type[Reply]) -> str:
    """Describe the object that was requested, for errors."""
    return "one JSON object with " + ", ".join(f"`{name}`" for name in shown_fields(kind))
