"""Finding JSON in prose, and parsing it: the outermost blocks in brackets, in one pass over the text.

A block that never closes belongs to a truncated reply and is refused, never mended: mending would silently drop what
was not yet written, and a list of statements looks just as good with one statement less. Other typical errors of models
are mended where nothing is lost by it.
"""

import json
import re
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from json_repair import repair_json

from saiten.judges.quotations import Material, enclosed, restore_thinking_tags
from saiten.strict_parsing import RepeatedKey, once
from saiten.text.thinking import CLOSING, OPENING, end_of_thinking, last_end_of_thinking

MOST_BLOCKS = 64
"""Only this many blocks, from the end, are considered; a reply with more is no reply."""
DEEPEST = 40
"""Deeper nesting is refused, so that ten thousand brackets cannot exhaust the stack."""
_LONGEST_REST = 200
"""Number of characters considered on the rest of a line around a block."""
_LONGEST_REPEATED = 2_000
"""Characters of a block that is compared value by value with the material."""
_NOTHING = re.compile(r"\s*+")
_FENCE = re.compile(r"\s*+(?:`{1,3}(?:json)?)?\s*+", re.IGNORECASE)

CUT_OFF = (
    "the JSON is incomplete, or a quotation mark or bracket in it is not closed; send all of it, shorter if necessary"
)

_START = re.compile(
    rf"(?P<opening>{OPENING})|(?P<closing>{CLOSING})"
    r"|(?P<object>\{)(?=\s*(?:[\"'“”}]|[^\W\d][\w ]{0,30}\s{0,9}:))"  # `{` before a key; not prose such as {1, 2}
    r"|(?P<keyed>\{)(?=\s*\d{1,4}\s{0,9}:\s{0,9}(?:[\"'“{]|(?:true|false)\b))"
    r"|^[ \t]*(?P<list>\[)(?=\s*(?:[\"'“”{\[\]\d]|(?:true|false)\b))"  # at the start of a line; else a citation
    r"|(?P<inline>\[)(?=\s*[\"“{])",
    re.MULTILINE | re.IGNORECASE,
)
_INSIDE = re.compile(r"\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|[{}\[\]]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """One JSON-like value in a reply: an object or a list."""

    text: str
    alone: bool
    """Whether nothing but fences shares its lines."""
    quoted: bool
    """Whether it is a quotation, and so not part of the reply."""
    held: bool
    """Whether it is in the material word for word, be it a quotation or by chance."""
    ends: bool
    """Whether nothing but white space follows."""

    @property
    def is_list(self) -> bool:
        return self.text.startswith("[")


def find_blocks(text: str, material: Material) -> Sequence[Block]:
    """Return the outermost JSON-like blocks of a reply in order, without thinking; at most the last `MOST_BLOCKS`.

    Raises:
        ValueError: the last block is truncated, or the reply ends within its thinking.
    """
    text = material.hide_thinking_tags(text)
    found: deque[tuple[int, int]] = deque(maxlen=MOST_BLOCKS)
    position = spoken = 0
    while start := _START.search(text, position):
        if start.lastgroup == "opening":
            position = spoken = end_of_thinking(text, start.end())
            continue
        if start.lastgroup == "closing":
            found.clear()
            position = spoken = start.end()
            continue
        begin = start.start(start.lastgroup or 0)
        end = end_of_block(text, begin)
        if end is None:
            after_thinking = last_end_of_thinking(text, begin)
            if after_thinking is None and material.holds(text[begin:]):
                break  # a truncated quotation
            if after_thinking is None:
                raise ValueError(CUT_OFF)
            found.clear()
            position = spoken = after_thinking
        else:
            found.append((begin, end))
            position = end
    return tuple(_block(text, begin, end, material, spoken) for begin, end in found)


def _block(text: str, begin: int, end: int, material: Material, spoken: int) -> Block:
    block = restore_thinking_tags(text[begin:end])
    opens_line = _FENCE.fullmatch(text[max(0, begin - _LONGEST_REST) : begin].rpartition("\n")[2]) is not None
    ends_line = _FENCE.fullmatch(text[end : end + _LONGEST_REST].partition("\n")[0]) is not None
    whole = _FENCE.fullmatch(text, min(spoken, begin), begin) is not None and _FENCE.fullmatch(text, end) is not None
    held = material.holds(block)
    quoted = (
        (material.may_forge and enclosed(text, begin, end))
        or (material.strict and not opens_line)
        or material.holds_end(block)
        or (not whole and _repeats_values(block, material))
        or (held and not (whole and block.startswith("[") and "{" not in block and not material.strict))
    )
    ends = _NOTHING.fullmatch(text, end) is not None
    return Block(block, alone=opens_line and ends_line, quoted=quoted, held=held, ends=ends)


def _repeats_values(block: str, material: Material) -> bool:
    if not material.may_forge or len(block) > _LONGEST_REPEATED:
        return False
    value: Any = None
    with suppress(ValueError):
        value = parse(block)
    return material.holds_values(value)


def end_of_block(text: str, begin: int) -> int | None:
    """Return the end of the block that begins here; None if it never closes or its brackets do not match."""
    expected: list[str] = []
    for piece in _INSIDE.finditer(text, begin):
        bracket = piece[0]
        if bracket in "{[":
            expected.append("}" if bracket == "{" else "]")
            if len(expected) > DEEPEST:
                return None
        elif bracket in "}]":
            if bracket != expected.pop():
                return None
            if not expected:
                return piece.end()
    return None


_FULL_WIDTH = str.maketrans("｛｝［］：，、＂０１２３４５６７８９", '{}[]:,,"0123456789')
_STRINGS = re.compile(
    r"(\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z))|[“”](?P<curly>[^“”]*)[“”]|＂(?P<wide>[^＂]*)＂|[｛｝［］：，、０-９]+",
    re.DOTALL,
)


def half_width(text: str) -> str:
    """Convert full-width brackets, colons, commas, digits and quotation marks outside strings to ASCII."""
    return _STRINGS.sub(_half_width, text)


def _half_width(match: re.Match[str]) -> str:
    if match[1] is not None:
        return match[1]
    inside = match["curly"] if match["curly"] is not None else match["wide"]
    if inside is None:
        return match[0].translate(_FULL_WIDTH)
    return '"' + inside.replace('"', '\\"') + '"'


LONGEST_MENDED = 200_000
"""Characters; repair costs about 2 µs per character."""


def parse(block: str) -> Any:
    """Parse the block.

    Trailing commas, single quotes, raw control characters, Python's True and None, bare keys, unescaped quotation marks
    and full-width punctuation are mended; dropped, doubled or invented text is not.

    Raises:
        ValueError: it cannot be read without guessing.
    """
    for text in (block, half_width(block)):
        with suppress(json.JSONDecodeError):
            return _strictly(text)
    return _mended(half_width(block))


def _strictly(text: str) -> Any:
    try:
        return json.loads(text, strict=False, object_pairs_hook=once)
    except RepeatedKey as error:
        raise ValueError(f"the key {error.key[:40]!r} occurs twice in one object; write each key once") from error


def _mended(text: str) -> Any:
    if len(text) > LONGEST_MENDED:
        raise ValueError("the JSON is not valid, and too long to repair; check quotation marks, commas and brackets")
    if _ABBREVIATED.search(text):
        raise ValueError("a list is abbreviated with an ellipsis; write every item")
    value = repair_json(text, return_objects=True, skip_json_loads=True)
    if _substance(json.dumps(value, ensure_ascii=False)) != _substance(text):
        raise ValueError("the JSON is not valid; check quotation marks, commas and brackets")
    return value


_ABBREVIATED = re.compile(r"[,\[{]\s*(?:\.\.\.|…)\s*[,\]}]")
_TRAILING_COMMA = re.compile(r",(?=\s*[\]}])")
_ESCAPED_CHARACTER = re.compile(r"\\u([0-9a-fA-F]{4})")
_PYTHON_NONE = re.compile(r"\bNone\b")
_NO_SUBSTANCE = re.compile(r"\\.|[^\w,]|_", re.DOTALL)


def _substance(text: str) -> str:
    """Return letters, digits and the commas between them, which a repair must neither lose nor invent."""
    text = _ESCAPED_CHARACTER.sub(lambda match: chr(int(match[1], 16)), text)
    return _NO_SUBSTANCE.sub("", _TRAILING_COMMA.sub("", _PYTHON_NONE.sub("null", text))).casefold()
