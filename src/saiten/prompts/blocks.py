"""Marked blocks: untrusted text, unaltered, between marks that it cannot close.

The marks of a request are chosen after its texts are known: `<answer>`, or, if some text contains anything resembling
one of the marks, `<answer-2>`, `<answer-3>`, … until none does. So no text needs escaping, and no text can end its
block and continue as if it were the prompt. Numbers of list items are protected likewise: `[1]` and `S1:`, or, if an
item has a line that begins like that, `[#1]` and `S#1:`, `[##1]` and `S##1:`, ….
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count

Content = str | Sequence[str]
"""The content of one block: a text, or a list whose items are numbered from 1."""

LETTERS: Mapping[str, str] = {
    "statements": "S",
    "answer_statements": "A",
    "reference_statements": "R",
    "questions": "Q",
    "gist": "G",
    "supplement": "U",
}
"""Lists whose items a reply names: `S1`, so that no item is taken for a context, which is `[1]`."""

EXAMPLE = "example-"
"""The beginning of the marks of a worked example that is in the same message as the task itself."""

_BRACKET = re.compile("[<＜﹤‹〈⟨«《&]")
"""A text without any of these cannot contain a mark; this settles nearly all texts."""

_LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_LINE_BEGINS = rf"(?:^|[{_LINE_BREAKS}])[ \t\xa0\u3000\u200b-\u200f\u2060\ufeff]*"
_ITEM_NUMBER = re.compile(rf"{_LINE_BEGINS}[\[［]([#＃]*)\d")
_LETTERED = {
    letter: re.compile(rf"{_LINE_BEGINS}[\[［(（]?[{letter}{letter.lower()}{wide}{wide.lower()}]([#＃]*)\d")
    for letter, wide in ((letter, chr(ord(letter) + 0xFEE0)) for letter in LETTERS.values())
}


def as_blocks(materials: Mapping[str, Content], *, prefix: str = "", suffix: str | None = None) -> dict[str, str]:
    """Return the marked block of each material by its name, which is also its mark, between prefix and suffix.

    The suffix is by default one that is free in these materials.
    """
    if suffix is None:
        suffix = free_suffix([f"{prefix}{name}" for name in materials], texts_of(materials.values()))
    return {name: _block(f"{prefix}{name}{suffix}", material, name) for name, material in materials.items()}


def texts_of(materials: Iterable[Content]) -> tuple[str, ...]:
    """Return all texts, in order."""
    texts: list[str] = []
    for each in materials:
        if isinstance(each, str):
            texts.append(each)
        else:
            texts.extend(each)
    return tuple(texts)


def _block(mark: str, material: Content, name: str) -> str:
    body = material if isinstance(material, str) else _numbered(material, LETTERS.get(name))
    return marked(mark, body)


def marked(mark: str, body: str) -> str:
    """Return a text between the marks of a block."""
    return f"<{mark}>\n{body}\n</{mark}>"


def _numbered(items: Sequence[str], letter: str | None) -> str:
    pattern = _LETTERED[letter] if letter else _ITEM_NUMBER
    suspicious = items if letter else [item for item in items if "[" in item or "［" in item]
    taken = {len(run) for item in suspicious for run in pattern.findall(item)}
    hashes = "#" * next(n for n in count() if n not in taken)
    before, after = (f"{letter}{hashes}", ":") if letter else (f"[{hashes}", "]")
    return "\n".join(f"{before}{number}{after} {item}" for number, item in enumerate(items, start=1))


def free_suffix(names: Collection[str], texts: Sequence[str]) -> str:
    """Return "", or `-n` with the smallest n from 2 that no text uses with any of the names."""
    suspicious = [text for text in texts if may_hold_mark(text)]
    if not suspicious:
        return ""
    mark = _looks_like_mark(tuple(names))
    taken = {int(number or 1) for text in suspicious for number in mark.findall(_plain(text))}
    free = next(n for n in count(1) if n not in taken)
    return "" if free == 1 else f"-{free}"


def may_hold_mark(text: str) -> bool:
    """Return whether the text contains a character without which there is no mark."""
    return "<" in text or "&" in text if text.isascii() else _BRACKET.search(text) is not None


@lru_cache(256)
def _looks_like_mark(names: tuple[str, ...]) -> re.Pattern[str]:
    """Match marks, opening or closing, in any case, with white space, unfinished, in any angle brackets, escaped."""
    alternatives = "|".join(_leniently(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?:[<‹〈⟨«《]|&lt;?|&#)[\s/\\⁄∕;\d]*(?:{alternatives})(?:{_DASH}(\d{{1,9}}))?")


_DASH = r"\s*[-‐-―−_]\s*"


def _leniently(name: str) -> str:
    """Return the pattern of a name, in which any dash may be a hyphen."""
    return _DASH.join(map(re.escape, name.casefold().split("-")))


def _plain(text: str) -> str:
    """Normalize as a lenient reader would: fold full-width forms and case, drop invisible characters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if unicodedata.category(character) != "Cf")
