"""Clean replies: the requested JSON and nothing else, as most models send it, read at once.

All other replies, and those that may be quotations, are left to `reading`, which gives the same result for clean ones.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, get_args, get_origin

import orjson

from saiten.judges.fields import shown_fields
from saiten.lookalikes import SIGNS
from saiten.protocols import Reply, Task
from saiten.tasks.verdicts import Verdict

_OBJECT = re.compile(rf"[{{}}\\{SIGNS['{']}{SIGNS['}']}\U000e0020-\U000e007e]|&[#a-z]|%[0-9a-f]{{2}}", re.IGNORECASE)
"""A brace, what a reader may take for one, or an escape that may stand for one."""
_PRIVATE = ("\ue000", "\ue001", "\ue002")
"""Characters that stand for those of hidden thinking tags (`quotations`)."""

_Shape = Mapping[str, Any]
"""The form of each field's value: a type, the values of a Literal, `[str]`, or `[shape of an item]`."""


def read_clean(task: Task[Any], text: str, materials: Sequence[str]) -> Reply | None:
    """Return the reply if the text is one JSON object with exactly the requested fields, in the requested types.

    None if it is anything else, if a key may occur twice, if something in it may be abbreviated or JSON in a string, or
    if an object can be in the materials word for word. The reply is not checked against the task.
    """
    plain = text.strip()
    if not (plain[:1] == "{" and plain[-1:] == "}") or "\\" in plain or "..." in plain:
        return None
    if not plain.isascii() and ("…" in plain or any(sign in plain for sign in _PRIVATE)):
        return None
    shape = _shape_of(task.reply)
    if shape is None or any(map(_OBJECT.search, materials)):
        return None
    try:
        value = orjson.loads(plain)
    except ValueError:
        return None
    if not _fits(value, shape) or not _keys_are_single(plain, value, shape):
        return None
    return task.reply.model_validate(value)


@cache
def _shape_of(kind: type[Reply]) -> _Shape | None:
    """Return the shape of such replies; None if a field has a type for which there is none."""
    shape = {name: _form(field.annotation) for name, field in shown_fields(kind).items()}
    return None if None in shape.values() else shape


def _form(hint: Any) -> Any:
    if hint in (str, bool, int):
        return hint
    if hint == int | None:
        return int
    if get_origin(hint) is Literal:
        return get_args(hint)
    if hint == list[str]:
        return [str]
    if hint == list[Verdict]:
        return [{name: _form(field.annotation) for name, field in shown_fields(Verdict).items()}]
    return None


def _fits(value: Any, shape: _Shape) -> bool:
    if type(value) is not dict or value.keys() != shape.keys():
        return False
    return all(_entry_fits(value[name], form) for name, form in shape.items())


def _entry_fits(entry: Any, form: Any) -> bool:
    if form is str:
        return type(entry) is str and entry.lstrip()[:1] not in ("{", "[")
    if type(form) is tuple:
        return any(type(entry) is type(each) and entry == each for each in form)
    if type(form) is not list:
        return type(entry) is form
    if type(entry) is not list:
        return False
    (item,) = form
    return all(type(each) is str for each in entry) if item is str else all(_fits(each, item) for each in entry)


def _keys_are_single(text: str, value: Mapping[str, Any], shape: _Shape) -> bool:
    """Return whether each key occurs once in its object: the parser keeps the last of several."""
    wanted = dict.fromkeys(shape, 1)
    for name, form in shape.items():
        if type(form) is list and form[0] is not str:
            for each in form[0]:
                wanted[each] = wanted.get(each, 0) + len(value[name])
    return all(text.count(f'"{name}"') == times for name, times in wanted.items())
