"""Data of a page in a compact form that cannot be markup: JSON, compressed, as base64.

A browser unpacks it with `DecompressionStream`, a pack at a time: the index when the page opens, the others when one of
their samples is looked at.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from gzip import compress
from typing import Any

import orjson

from saiten.views.page.page import clean

PACK = 200_000
"""Bytes of JSON, from which a pack is full: a browser opens it in a few milliseconds."""
_LEVEL = 6
_LONGEST = 20_000
"""Characters of a text that are shown; whoever wants more reads the run."""
_DEEPEST = 40
_CUT = " … [{} characters more: saiten show RUN --sample ID]"
_ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""What `clean` changes, found faster than it is changed."""


class Packs:
    """Values as they come, joined to packs; one is made for a page."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        """The number of the first value of each pack."""
        self.count = 0
        """Values so far."""
        self._waiting: list[bytes] = []
        self._size = 0

    def add(self, value: Any) -> Iterator[str]:
        """A pack where this value fills one."""
        if not self._waiting:
            self.starts.append(self.count)
        line = as_json(value)
        self._waiting.append(line)
        self._size += len(line)
        self.count += 1
        if self._size >= PACK:
            yield self._full()

    def rest(self) -> Iterator[str]:
        """The last pack, where something is left."""
        if self._waiting:
            yield self._full()

    def _full(self) -> str:
        made = packed(b"[" + b",".join(self._waiting) + b"]")
        self._waiting, self._size = [], 0
        return made


def packed(content: bytes) -> str:
    """The bytes, compressed; the same each time."""
    return b64encode(compress(content, _LEVEL, mtime=0)).decode("ascii")


def as_json(value: Any) -> bytes:
    """JSON of a value whose texts are made harmless and not endless."""
    return orjson.dumps(_harmless(value, _DEEPEST), option=orjson.OPT_SERIALIZE_NUMPY)


def _harmless(value: Any, deep: int) -> Any:
    if isinstance(value, str):
        return _text(value)
    if not deep:
        return "…"
    if isinstance(value, Mapping):
        return {_text(str(key)): _harmless(item, deep - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_harmless(item, deep - 1) for item in value]
    if isinstance(value, int) and abs(value) > 2**53:
        return float(value)
    return value


def _text(text: str) -> str:
    if len(text) > _LONGEST:
        text = text[:_LONGEST] + _CUT.format(len(text) - _LONGEST)
    return clean(text) if _ACTS.search(text) else text
