"""Reading: from a model's reply, however messy, to the reply that the task requires, or the reason why not.

Only unambiguous faults are mended. Anything truncated, abbreviated, contradictory or out of range is refused with a
sentence the model can act on: an unreadable reply is never a verdict.

A model that writes `{"statements": ["a"]}` and then `{"statements": ["b"]}` wrote two parts of one list. Taking either
alone would lose statements, so parts are joined, and contradictions are refused.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from saiten.judges.blocks import find_blocks, half_width, parse
from saiten.judges.fields import holds_lists, shown_fields
from saiten.judges.grades import read_grade
from saiten.judges.json_values import expected, from_list, validated, with_all_fields
from saiten.judges.list_parts import read_parts
from saiten.judges.marks import read_decision
from saiten.judges.quotations import QUOTED, Material, restore_thinking_tags
from saiten.prompts import BUILT_IN, Prompts
from saiten.protocols import R, Reply, Task
from saiten.tasks.correctness import Decision, Grade, GroundedDecision
from saiten.text.thinking import without_thinking

_ReadMark = Callable[[str, Material], Mapping[str, Any]]
_MARKED: Mapping[type[Reply], _ReadMark] = {
    Grade: read_grade,
    Decision: read_decision,
    GroundedDecision: read_decision,
}
"""Readers of the replies that may also be prose with a marker."""
_REPLY = re.compile(r"^[\s*#_`]*(?:reply|返答)[\s*_`]*[:：][\s*_`]*", re.IGNORECASE)
"""The word before an example's reply, which a model may write before its own."""


def read_reply(task: Task[R], text: str, *, cut_off: bool = False, prompts: Prompts = BUILT_IN) -> R:
    """Return the reply in the text, checked against the task. Of several objects, the last one that fits wins.

    Thinking, fences and surrounding prose are skipped, and so are quotations of the task's texts (`quotations`). A
    marker (`[RESULT] 4`, `[[True]]`) is accepted where JSON was requested, and vice versa, since both are unambiguous.
    `cut_off`: whether the model was stopped before it finished.

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
        raise ValueError(f"found no JSON; expected {expected(kind)}")
    return reply


def _from_mark(kind: type[Reply], text: str, material: Material, read_mark: _ReadMark) -> Reply:
    spoken = restore_thinking_tags(without_thinking(material.hide_thinking_tags(text)))
    return validated(kind, read_mark(_REPLY.sub("", spoken), material))


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
        return read_parts(kind, blocks)
    if len(blocks) == 1 and blocks[0].is_list and blocks[0].alone:
        return from_list(kind, blocks[0].text)[-1]
    fault: ValueError | None = None
    for block in reversed([block.text for block in blocks if not block.is_list]):
        try:
            found = with_all_fields(kind, parse(block))
        except ValueError as error:
            if all(name in block for name in shown_fields(kind)):
                raise  # meant as the answer, so an earlier draft must not replace it
            fault = fault or error
        else:
            return validated(kind, found)
    if fault is not None:
        raise fault
    return None
