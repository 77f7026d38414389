"""Marked blocks: text from outside, unaltered, between marks that it cannot close.

The marks of a prompt are chosen after its texts are known: `<answer>`, unless some text holds anything that looks like
one of the prompt's marks, then `<answer-2>`, `<answer-3>`, … until none does. So no text has to be escaped, and no text
can end its block and go on as if it were the prompt. Numbers of list items are guarded in the same way: `[1]`, unless
an item has a line that begins like that, then `[#1]`, `[##1]`, ….
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count

Material = str | Sequence[str]
"""The content of one block: a text, or a list whose items are numbered from 1."""

_BRACKET = re.compile("[<＜﹤‹〈⟨«《&]")
"""Without one of these a text cannot hold a mark; nearly all texts are done with after this look."""

_LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_ITEM_NUMBER = re.compile(rf"(?:^|[{_LINE_BREAKS}])[ \t\xa0\u3000]*[\[［]([#＃]*)\d")


def as_blocks(materials: Mapping[str, Material]) -> dict[str, str]:
    """The marked block of each material, by the name that is also its mark."""
    suffix = _free_suffix(materials, list(_texts(materials.values())))
    return {name: _block(f"{name}{suffix}", material) for name, material in materials.items()}


def _texts(materials: Iterable[Material]) -> Iterable[str]:
    for material in materials:
        yield from [material] if isinstance(material, str) else material


def _block(mark: str, material: Material) -> str:
    body = material if isinstance(material, str) else _numbered(material)
    return f"<{mark}>\n{body}\n</{mark}>"


def _numbered(items: Sequence[str]) -> str:
    taken = {len(run) for item in items if "[" in item or "［" in item for run in _ITEM_NUMBER.findall(item)}
    hashes = "#" * next(n for n in count() if n not in taken)
    return "\n".join(f"[{hashes}{number}] {item}" for number, item in enumerate(items, start=1))


def _free_suffix(names: Collection[str], texts: Sequence[str]) -> str:
    """Empty, or `-n` with the smallest n from 2 that no text uses with any of the names."""
    suspicious = [text for text in texts if _BRACKET.search(text)]
    if not suspicious:
        return ""
    mark = _looks_like_mark(names)
    taken = {int(number or 1) for text in suspicious for number in mark.findall(_plain(text))}
    free = next(n for n in count(1) if n not in taken)
    return "" if free == 1 else f"-{free}"


def _looks_like_mark(names: Collection[str]) -> re.Pattern[str]:
    """Opening or closing, in any case, with white space, unfinished, in any kind of angle bracket, escaped."""
    alternatives = "|".join(re.escape(name.casefold()) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?:[<‹〈⟨«《]|&lt;?|&#)[\s/\\⁄∕;\d]*(?:{alternatives})(?:\s*[-‐-―−_]\s*(\d{{1,9}}))?")


def _plain(text: str) -> str:
    """As a lenient reader sees it: full-width forms folded, case folded, invisible characters left out."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if unicodedata.category(character) != "Cf")
