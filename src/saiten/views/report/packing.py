"""Data of a page in a compact form that cannot be markup: JSON, compressed, as base64.

A browser unpacks one pack at a time with `DecompressionStream`: the index when the page opens, the others when one of
their samples is opened.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from gzip import compress
from typing import Any

import orjson

from saiten.views.strip_controls import clean

PACK = 200_000
"""Bytes of JSON from which a pack is full: a browser opens it in a few milliseconds."""
_LEVEL = 6
_LONGEST = 20_000
"""Maximum characters of a text; the run has the rest."""
_DEEPEST = 40
_CUT = " … [{} characters more: saiten show RUN --sample ID]"


class Packs:
    """Joins a stream of values into packs. Single-use: one per page."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        """The number of the first value of each pack."""
        self.count = 0
        """Number of values so far."""
        self._waiting: list[bytes] = []
        self._size = 0

    def add(self, value: Any) -> Iterator[str]:
        """Add a value; yield a pack if it is full."""
        if not self._waiting:
            self.starts.append(self.count)
        line = as_json(value)
        self._waiting.append(line)
        self._size += len(line)
        self.count += 1
        if self._size >= PACK:
            yield self._full()

    def rest(self) -> Iterator[str]:
        """Yield the last pack, if any values remain."""
        if self._waiting:
            yield self._full()

    def _full(self) -> str:
        made = packed(b"[" + b",".join(self._waiting) + b"]")
        self._waiting, self._size = [], 0
        return made


def packed(content: bytes) -> str:
    """Compress the bytes reproducibly."""
    return b64encode(compress(content, _LEVEL, mtime=0)).decode("ascii")


def as_json(value: Any) -> bytes:
    """Serialize a value as JSON, with its texts sanitized and bounded."""
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
    return clean(text)
