"""Parsing of one block of JSON, mending typical errors of models where nothing is lost by it."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from json_repair import repair_json

from saiten.judges.blocks import half_width

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
        try:
            return _strictly(text)
        except json.JSONDecodeError:
            continue
    return _mended(half_width(block))


def _strictly(text: str) -> Any:
    return json.loads(text, strict=False, object_pairs_hook=_once)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice[:40]!r} stands twice in one object")
    return table


def _mended(text: str) -> Any:
    if len(text) > LONGEST_MENDED:
        raise ValueError("the JSON is not valid, and too long to be mended")
    if _ABBREVIATED.search(text):
        raise ValueError("a list is abbreviated with an ellipsis; write every item")
    value = repair_json(text, return_objects=True, skip_json_loads=True)
    if _substance(json.dumps(value, ensure_ascii=False)) != _substance(text):
        raise ValueError("the JSON is not valid")
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
