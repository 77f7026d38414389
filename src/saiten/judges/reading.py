"""Reading: from a model's reply, however messy, to the reply that the task requires, or the reason why not.

Only unambiguous faults are mended. Anything truncated, abbreviated, contradictory or out of range is refused with a
sentence the model can act on: an unreadable reply is never a verdict.

A model that writes `{"statements": ["a"]}` and then `{"statements": ["b"]}` wrote two parts of one list. Taking either
alone would lose statements, so parts are joined, and contradictions are refused.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, get_origin

from pydantic import ValidationError

from saiten import prompts
from saiten.judges.blocks import MOST_BLOCKS, Block, find_blocks, half_width, parse
from saiten.judges.marks import read_decision, read_grade
from saiten.judges.quotations import QUOTED, Material, restore_thinking_tags
from saiten.judges.tidying import field_name, shown_fields, tidy
from saiten.protocols import R, Reply, Task
from saiten.tasks.correctness import Decision, Grade
from saiten.tasks.verdicts import Verdict
from saiten.text.thinking import without_thinking

_KEPT = ("type", "enum", "const", "description", "anyOf")
"""Not bounds, lengths, formats and defaults, which servers refuse or ignore; grades are therefore enums."""


@cache
def schema_of(reply: type[Reply]) -> Mapping[str, Any]:
    """Return the schema: all fields required, no others allowed, hidden fields left out, definitions inlined.

    Its `title` is the type's name in snake case. The result is shared; do not change it.

    Raises:
        TypeError: the reply contains itself, which needs references that servers do not accept.
    """
    whole = reply.model_json_schema()
    title = re.sub(r"(?<!^)(?=[A-Z])", "_", reply.__name__).lower()
    return {"title": title} | _strict(whole, whole.get("$defs", {}), within=())


def _strict(schema: Mapping[str, Any], definitions: Mapping[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name in within or name not in definitions:
            raise TypeError(f"{name} contains itself; a reply must be a tree of finite depth")
        described = {"description": schema["description"]} if "description" in schema else {}
        return _strict(definitions[name], definitions, (*within, name)) | described
    strict = {key: schema[key] for key in _KEPT if key in schema}
    if "anyOf" in strict:
        strict["anyOf"] = [_strict(option, definitions, within) for option in strict["anyOf"]]
    if "items" in schema:
        strict["items"] = _strict(schema["items"], definitions, within)
    if schema.get("type") == "object":
        strict.pop("description", None)  # the class's docstring is for programmers
        shown = {name: field for name, field in schema.get("properties", {}).items() if not field.get("hidden")}
        strict["properties"] = {name: _strict(field, definitions, within) for name, field in shown.items()}
        strict["required"] = list(shown)
        strict["additionalProperties"] = False
    return strict


_ReadMark = Callable[[str, Material], Mapping[str, Any]]
_MARKED: Mapping[type[Reply], _ReadMark] = {Grade: read_grade, Decision: read_decision}
"""Readers of the replies that may also be prose with a marker."""

_ELLIPSES = {"…", "...", "……"}


def read_reply(task: Task[R], text: str, *, cut_off: bool = False) -> R:
    """Return the reply in the text, checked against the task. Of several objects, the last one that fits wins.

    Thinking, fences and surrounding prose are skipped, and so are quotations of the task's texts (`quotations`). A
    marker (`[RESULT] 4`, `[[True]]`) is accepted where JSON was requested, and vice versa, since both are unambiguous.

    Args:
        task: The task.
        text: The model's reply.
        cut_off: Whether the model was stopped before it finished.

    Raises:
        ValueError: with a sentence that says what is wrong and what was expected.
    """
    reply: R = _read(task, text.lstrip("\ufeff"), Material(prompts.texts_in(task), strict=cut_off))
    task.check(reply)
    return reply


def _read(task: Task[R], text: str, material: Material) -> Any:
    kind = task.reply
    read_mark = _MARKED.get(kind)
    if task.written != "json" and read_mark is not None:
        try:
            return _from_mark(kind, text, material, read_mark)
        except ValueError:
            with suppress(ValueError):  # report the fault of the requested format
                if (reply := _from_json(kind, text, material)) is not None:
                    return reply
            raise
    reply = _from_json(kind, text, material)
    if reply is None and read_mark is not None:
        with suppress(ValueError):  # likewise: if JSON was requested, do not ask for a marker
            reply = _from_mark(kind, text, replace(material, strict=True), read_mark)
    if reply is None:
        raise ValueError(f"found no JSON; expected {_expected(kind)}")
    return reply


def _from_mark(kind: type[Reply], text: str, material: Material, read_mark: _ReadMark) -> Reply:
    spoken = restore_thinking_tags(without_thinking(material.hide_thinking_tags(text)))
    return _validated(kind, read_mark(spoken, material))


def _from_json(kind: type[Reply], text: str, material: Material) -> Reply | None:
    """Return the last object that has all fields, or all of them joined if the reply consists of lists.

    None if there is no JSON except quotations.

    Raises:
        ValueError: there is JSON, but none that fits; or the last object with all fields has a wrong value.
    """
    every = find_blocks(text, material) or find_blocks(half_width(text), material)
    blocks = [block for block in every if not block.quoted]
    if every and not blocks and kind not in _MARKED:
        raise ValueError(QUOTED)
    if holds_lists(kind):
        return join(_parts(kind, blocks))
    if len(blocks) == 1 and blocks[0].is_list and blocks[0].alone:
        return _from_list(kind, blocks[0].text)[-1]
    fault: ValueError | None = None
    for block in reversed([block.text for block in blocks if not block.is_list]):
        try:
            found = _with_all_fields(kind, parse(block))
        except ValueError as error:
            if all(name in block for name in shown_fields(kind)):
                raise  # meant as the answer, so an earlier draft must not replace it
            fault = fault or error
        else:
            return _validated(kind, found)
    if fault is not None:
        raise fault
    return None


def _parts(kind: type[Reply], blocks: Sequence[Block]) -> Sequence[Reply]:
    """Return every relevant value; drafts, parts and repetitions look alike, so none is skipped.

    Raises:
        ValueError: one cannot be read, or their formats differ.
    """
    if len(blocks) == MOST_BLOCKS:
        raise ValueError(f"the reply holds {MOST_BLOCKS} JSON values or more; write one")
    lists = [block for block in blocks if block.is_list]
    objects = [block.text for block in blocks if not block.is_list]
    if not any(block.alone for block in lists):
        return _objects(kind, objects)
    if not all(block.alone for block in lists) or any(name in each for each in objects for name in shown_fields(kind)):
        raise ValueError(f"the reply holds several JSON values; expected {_expected(kind)}")
    return [part for block in lists for part in _from_list(kind, block.text)]


def _objects(kind: type[Reply], blocks: Sequence[str]) -> Sequence[Reply]:
    """Return the parts among the objects; raises ValueError if none is a part, or an intended one cannot be read."""
    found: list[Reply] = []
    fault: ValueError | None = None
    for block in blocks:
        try:
            found.append(_part(kind, block))
        except ValueError as error:
            if any(name in block for name in shown_fields(kind)):
                raise
            fault = fault or error
    if fault is not None and not found:
        raise fault
    return found


def _part(kind: type[Reply], block: str) -> Reply:
    try:
        return _validated(kind, _with_all_fields(kind, parse(block)))
    except ValueError:
        if any(name in block for name in shown_fields(kind)):
            raise
        with suppress(ValueError):
            return _from_list(kind, f"[{block}]")[0]
        raise


def _from_list(kind: type[Reply], block: str) -> Sequence[Reply]:
    """Read a bare list where the requested object has a single list field; or a list of such objects."""
    items = parse(block)
    if isinstance(items, list) and items and all(isinstance(item, dict) for item in items):
        try:
            whole = [_validated(kind, _with_all_fields(kind, item)) for item in items]
        except ValueError:
            pass  # read as the list itself below
        else:
            if len(whole) == 1 or holds_lists(kind):
                return whole
    fields = shown_fields(kind)
    if len(fields) != 1 or not holds_lists(kind):
        raise ValueError(f"expected {_expected(kind)}, got a list")
    _refuse_ellipses(items)
    return [_validated(kind, {next(iter(fields)): items})]


def _with_all_fields(kind: type[Reply], value: Any) -> Mapping[str, Any]:
    fields = shown_fields(kind)
    if not isinstance(value, dict):
        raise ValueError(f"expected {_expected(kind)}")  # noqa: TRY004 - a ValueError is what the judge repairs
    present = {field_name(key, fields) for key in value}
    inner = next(iter(value.values())) if len(value) == 1 else None
    if not present & set(fields) and isinstance(inner, dict):
        return _with_all_fields(kind, inner)  # {"result": {…}}
    if missing := [name for name in fields if name not in present]:
        raise ValueError(f"`{missing[0]}` is missing; expected {_expected(kind)}")
    _refuse_ellipses(value)
    return value


def _refuse_ellipses(value: Any) -> None:
    """Refuse the prompt's form, whose texts are all `…`, and lists abbreviated with `…`."""
    texts = _texts(value)
    if texts and all(text.strip() in _ELLIPSES for text in texts):
        raise ValueError("the reply repeats the form that was asked for; fill it in")
    lists = [part for part in (value.values() if isinstance(value, dict) else [value]) if isinstance(part, list)]
    if any(isinstance(item, str) and item.strip() in _ELLIPSES for items in lists for item in items):
        raise ValueError("a list is abbreviated with an ellipsis; write every item")


def _texts(value: Any) -> Sequence[str]:
    if isinstance(value, str):
        return [value]
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for child in children for text in _texts(child)]


def _validated(kind: type[Reply], value: Mapping[str, Any]) -> Reply:
    try:
        return kind.model_validate(tidy(value, kind))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"]) or "the object"
        raise ValueError(f"`{where}`: {first['msg']}, got {repr(first['input'])[:60]}") from None


def _expected(kind: type[Reply]) -> str:
    return "one JSON object with " + ", ".join(f"`{name}`" for name in shown_fields(kind))


def holds_lists(kind: type[Reply]) -> bool:
    """Return whether replies of this type consist of lists, and so may come in parts."""
    return any(get_origin(field.annotation) is list for field in shown_fields(kind).values())


def join(parts: Sequence[Reply]) -> Reply | None:
    """Join the parts into one reply; None if there are none.

    Lists are joined if they share no item, or if the later one contains the earlier. Numbered verdicts are the same
    item if their numbers are equal, and must then agree. All other fields must be equal.

    Raises:
        ValueError: two parts contradict each other.
    """
    whole: Reply | None = None
    for part in parts:
        whole = part if whole is None else _joined(whole, part)
    return whole


def _joined(first: Reply, second: Reply) -> Reply:
    fields = {name: (getattr(first, name), getattr(second, name)) for name in shown_fields(type(first))}
    lists = [pair for pair in fields.values() if isinstance(pair[0], list)]
    if any(one for one, _ in lists) and not any(other for _, other in lists):
        raise ValueError("the reply holds two JSON values, and the second is empty; write one, complete")
    return second.model_copy(update={name: _joined_field(name, one, other) for name, (one, other) in fields.items()})


def _joined_field(name: str, first: Any, second: Any) -> Any:
    if first == second:
        return second
    if isinstance(first, list):
        known, new = ({_key(item): item for item in items} for items in (first, second))
        if all(_says(known[key]) == _says(new[key]) for key in known.keys() & new.keys()):
            if known.keys() <= new.keys():
                return second
            if known.keys().isdisjoint(new) or isinstance(first[0], Verdict):
                return [*first, *(item for item in second if _key(item) not in known)]
    raise ValueError(f"the reply holds two JSON values that contradict each other in `{name}`; write one, complete")


def _key(item: Any) -> Any:
    return item.number if isinstance(item, Verdict) else item


def _says(item: Any) -> Any:
    return item.verdict if isinstance(item, Verdict) else item
