"""Reading: a model's reply, however messy, → the reply that the task asked for, or the reason why not.

Mended is what can mean one thing only. What is cut off, abbreviated, contradictory or out of range is refused with a
sentence that the model can act on: a reply that cannot be read is never a verdict.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from saiten import prompts
from saiten.judges.blocks import MOST_BLOCKS, Block, find_blocks, half_width
from saiten.judges.joining import holds_lists, join
from saiten.judges.marks import read_decision, read_grade
from saiten.judges.mending import parse
from saiten.judges.quotations import QUOTED, Material, shown
from saiten.judges.tidying import field_name, shown_fields, tidy
from saiten.protocols import R, Reply, Task
from saiten.tasks.correctness import Decision, Grade
from saiten.text.thinking import without_thinking

_ReadMark = Callable[[str, Material], Mapping[str, Any]]
_MARKED: Mapping[type[Reply], _ReadMark] = {Grade: read_grade, Decision: read_decision}
"""The replies that are also written as prose with a mark, and who reads them."""

_ELLIPSES = {"…", "...", "……"}


def read_reply(task: Task[R], text: str, *, cut_off: bool = False) -> R:
    """The reply that the text holds, checked against the task. Of several objects the last that fits wins.

    Thinking, fences and prose around are passed over, and so is what the judge quotes of the task's texts
    (`quotations`). A reply with a mark (`[RESULT] 4`, `[[True]]`) is read where JSON was asked for, and the other way
    round, since both say unmistakably what is meant.

    Args:
        task: What was asked.
        text: What came.
        cut_off: Whether the model was stopped before it had finished.

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
            with suppress(ValueError):  # the fault to report is that of the form that was asked for
                if (reply := _from_json(kind, text, material)) is not None:
                    return reply
            raise
    reply = _from_json(kind, text, material)
    if reply is None and read_mark is not None:
        with suppress(ValueError):  # as above: a model that was asked for JSON is not asked for a mark
            reply = _from_mark(kind, text, replace(material, strict=True), read_mark)
    if reply is None:
        raise ValueError(f"found no JSON; expected {_expected(kind)}")
    return reply


def _from_mark(kind: type[Reply], text: str, material: Material, read_mark: _ReadMark) -> Reply:
    spoken = shown(without_thinking(material.without_marks_of_thinking(text)))
    return _validated(kind, read_mark(spoken, material))


def _from_json(kind: type[Reply], text: str, material: Material) -> Reply | None:
    """The last object that has all the fields, or all of them as one where the reply is made of lists.

    None where there is no JSON but what is quoted.

    Raises:
        ValueError: there is JSON, but none that fits; or the last that has all the fields has a wrong value in one.
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
                raise  # it was meant to be the answer, so an earlier draft is not taken for it
            fault = fault or error
        else:
            return _validated(kind, found)
    if fault is not None:
        raise fault
    return None


def _parts(kind: type[Reply], blocks: Sequence[Block]) -> Sequence[Reply]:
    """Each value that has to do with the reply; a draft, a part and a repetition look alike, so none is passed over.

    Raises:
        ValueError: one cannot be read, or they differ in form.
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
    """The parts among the objects.

    Raises:
        ValueError: none is a part, or one that was meant to be cannot be read.
    """
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
    """The reply that an object is, or a reply with the object as the one item of its list."""
    try:
        return _validated(kind, _with_all_fields(kind, parse(block)))
    except ValueError:
        if any(name in block for name in shown_fields(kind)):
            raise
        with suppress(ValueError):
            return _from_list(kind, f"[{block}]")[0]
        raise


def _from_list(kind: type[Reply], block: str) -> Sequence[Reply]:
    """A bare list, where the object that was asked for has one field, a list; or such objects in a list."""
    items = parse(block)
    if isinstance(items, list) and items and all(isinstance(item, dict) for item in items):
        try:
            whole = [_validated(kind, _with_all_fields(kind, item)) for item in items]
        except ValueError:
            pass  # then it is the list itself
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
    """Refuse the form in the prompt, whose texts are all `…`, and lists with `…` for the items left out."""
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
