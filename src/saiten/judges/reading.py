"""Reading: from a model's reply, however messy, to the reply that the task requires, or the reason why not.

Only unambiguous faults are mended. Anything truncated, abbreviated, contradictory or out of range is refused with a
sentence the model can act on: an unreadable reply is never a verdict.

A model that writes `{"statements": ["a"]}` and then `{"statements": ["b"]}` wrote two parts of one list. Taking either
alone would lose statements, so parts are joined. Two verdicts that contradict each other are refused.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from saiten.judges.bare_words import read_word
from saiten.judges.blocks import CUT_OFF, Block, find_blocks, half_width, parse
from saiten.judges.clean_replies import read_clean
from saiten.judges.fields import WHY, field_name, holds_lists, needed_fields, shown_fields
from saiten.judges.grades import read_grade
from saiten.judges.json_values import expected, from_list, validated, with_all_fields
from saiten.judges.list_parts import differ_in, read_parts
from saiten.judges.marks import read_decision
from saiten.judges.quotations import QUOTED, Material, restore_thinking_tags
from saiten.judges.wanted import Wanted
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
_ESCAPED = re.compile(r"\"(?:\\[nrt]|\s)*+[{\[](?:\\[nrt]|[\s{\[])*+\\\"")
"""The beginning of a string that contains JSON."""


def read_reply(task: Task[R], text: str, *, cut_off: bool = False, prompts: Prompts = BUILT_IN) -> R:
    """Return the reply in the text, checked against the task.

    Thinking, fences and surrounding prose are skipped, and so are quotations of the task's texts (`quotations`). A
    marker (`[RESULT] 4`, `[[True]]`) is accepted where JSON was requested, and vice versa, since both are unambiguous;
    a single word (`Yes.`, `○`) only if it is the whole reply. `cut_off`: whether the model was stopped before it
    finished.

    Raises:
        ValueError: with a sentence that says what is wrong and what was expected.
    """
    texts, text = prompts.texts_in(task), text.lstrip("\ufeff")
    clean: Any = None if cut_off or task.written != "json" else read_clean(task, text, texts)
    reply: R = clean or _read(task, Wanted(task.reply, task.counts, Material(texts, strict=cut_off)), text)
    task.check(reply)
    return reply


def _read(task: Task[R], wanted: Wanted, text: str) -> Any:
    read_mark = _MARKED.get(wanted.kind)
    if task.written != "json" and read_mark is not None:
        try:
            marked = _from_mark(wanted, text, read_mark)
        except ValueError:
            with suppress(ValueError):  # report the fault of the requested format
                if (reply := _from_json(wanted, text) or _from_word(wanted, text)) is not None:
                    return reply
            raise
        return _agreeing(wanted, text, marked)
    reply = _from_json(wanted, text)
    if reply is None and read_mark is not None:
        strict = replace(wanted, material=replace(wanted.material, strict=True))
        with suppress(ValueError):  # likewise: if JSON was requested, do not ask for a marker
            reply = _from_mark(strict, text, read_mark)
    reply = reply or _from_word(wanted, text)
    if reply is None:
        raise ValueError(f"found no JSON; expected {expected(wanted.kind)}")
    return reply


def _spoken(wanted: Wanted, text: str) -> str:
    """Return the reply without its thinking."""
    return restore_thinking_tags(without_thinking(wanted.material.hide_thinking_tags(text)))


def _from_mark(wanted: Wanted, text: str, read_mark: _ReadMark) -> Reply:
    return validated(wanted, read_mark(_REPLY.sub("", _spoken(wanted, text)), wanted.material))


def _agreeing(wanted: Wanted, text: str, reply: Reply) -> Reply:
    """Return the reply; raises ValueError if JSON beside its marker disagrees, and either may be a quotation."""
    other: Reply | None = None
    if wanted.material.may_forge and "{" in text:
        with suppress(ValueError):
            other = _from_json(wanted, text)
    for name in shown_fields(wanted.kind) if other else ():
        if name not in WHY and getattr(other, name) != getattr(reply, name):
            raise ValueError(differ_in(name))
    return reply


def _from_word(wanted: Wanted, text: str) -> Reply | None:
    return None if wanted.material.strict else read_word(wanted, _spoken(wanted, text))


def _from_json(wanted: Wanted, text: str) -> Reply | None:
    """Return the reply in JSON; None if there is no JSON except quotations.

    Raises:
        ValueError: there is JSON, but none that fits, or values that contradict each other.
    """
    text = _out_of_string(wanted, text)
    kind, material = wanted.kind, wanted.material
    every = find_blocks(text, material) or find_blocks(half_width(text), material)
    blocks = [block for block in every if not block.quoted]
    if every and not blocks and kind not in _MARKED:
        raise ValueError(QUOTED)
    if not holds_lists(kind):
        return _from_objects(wanted, blocks)
    if material.strict and blocks and blocks[-1].ends:
        raise ValueError("the reply was cut off; answer more briefly")  # another part could have followed
    return read_parts(wanted, blocks)


def _out_of_string(wanted: Wanted, text: str) -> str:
    """Return the JSON in a reply that is a JSON string, or any other reply unchanged.

    Raises:
        ValueError: the string is truncated, or something follows it.
    """
    if not _ESCAPED.search(text):
        return text
    string = _spoken(wanted, text).strip().removeprefix("```json").strip("` \r\n")
    if not _ESCAPED.match(string):
        return text
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        raise ValueError(CUT_OFF) from None


def _from_objects(wanted: Wanted, blocks: Sequence[Block]) -> Reply | None:
    """Return the last object that has all fields, with which any other such object must agree.

    Raises:
        ValueError: none has them; the last one that should has a wrong value; or two differ in more than the reason.
    """
    if len(blocks) == 1 and blocks[0].is_list and blocks[0].alone:
        return from_list(wanted, blocks[0])[-1]
    reply: Reply | None = None
    fault: ValueError | None = None
    for block in reversed([block.text for block in blocks if not block.is_list]):
        try:
            found = validated(wanted, with_all_fields(wanted, parse(block)))
        except ValueError as error:
            if reply is None and _is_meant(wanted.kind, block):
                raise  # an earlier draft must not replace it
            fault = fault or error
            continue
        reply = reply or found
        for name in shown_fields(wanted.kind):
            if name not in WHY and getattr(found, name) != getattr(reply, name):
                raise ValueError(differ_in(name))
    if reply is None and fault is not None:
        raise fault
    return reply


def _is_meant(kind: type[Reply], block: str) -> bool:
    """Return whether an object that cannot be read is meant as the reply, and not as a note about it."""
    value: Any = None
    with suppress(ValueError):
        value = parse(block)
    named = {field_name(key, shown_fields(kind)) for key in value} if isinstance(value, dict) else set()
    return named >= set(needed_fields(kind)) or all(name in block for name in shown_fields(kind))
