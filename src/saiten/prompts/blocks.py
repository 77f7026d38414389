"""Marked blocks: untrusted text, unaltered, between marks that it cannot close.

The marks of a request are chosen after its texts are known: `<answer>`, or, if some text contains anything resembling
one of the marks, `<answer-2>`, `<answer-3>`, … until none does. So no text needs escaping, and no text can end its
block and continue as if it were the prompt. Numbers of list items are protected likewise: `[1]` and `S1:`, or, if an
item has a line that begins like that, `[#1]` and `S#1:`, `[##1]` and `S##1:`, ….
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count

from saiten.lookalikes import BLANK, LINE_BREAKS, SIGNS, plain, readings

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

_OPENINGS = f"<{SIGNS['<']}\U000e003c"
_HEX = "0-9A-Fa-fUuXx０-９Ａ-Ｆａ-ｆｕｘ"
_OPENING = re.compile(
    rf"[{_OPENINGS}&＆﹠%％﹪\\＼﹨](?:(?<=[&＆﹠])|(?<=[%％﹪\\＼﹨])[{_HEX}]"
    rf"|(?<=[{_OPENINGS}])[^\w{_OPENINGS}]*+[^\W_ぁ-ゖァ-ネハ-ヺ丁-丵丷-丽乀-鿿가-힣])"
)
"""What a mark begins with, or an escape; this settles nearly all texts. 〈 and 《 before kana or kanji are no marks."""
_ESCAPED = re.compile(rf"[%\\][{_HEX}]")

_ITEM_NUMBER = re.compile(r"^\[(#*)(?:\d|[lio|]+\])", re.MULTILINE)
_SQUARE = re.compile(rf"[\[{SIGNS['[']}]")
_SQUARE_BEGINS = re.compile(rf"(?:^|[{LINE_BREAKS}])(?:[^\w{LINE_BREAKS}\[{SIGNS['[']}]|[{BLANK}])*+[\[{SIGNS['[']}]")
_LETTERED = {
    letter: re.compile(rf"^[\[({{]?{letter.lower()}(#*)(?:\d|[lio|]+[:.)\]}}])", re.MULTILINE)
    for letter in LETTERS.values()
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
    suspicious = items if letter else filter(_may_hold_number, items)
    taken = {len(run) for item in suspicious for run in pattern.findall(plain(item))}
    hashes = "#" * next(n for n in count() if n not in taken)
    before, after = (f"{letter}{hashes}", ":") if letter else (f"[{hashes}", "]")
    return "\n".join(f"{before}{number}{after} {item}" for number, item in enumerate(items, start=1))


def _may_hold_number(item: str) -> bool:
    bracket = "[" in item if item.isascii() else _SQUARE.search(item)
    return bool(bracket) and _SQUARE_BEGINS.search(item) is not None


def free_suffix(names: Collection[str], texts: Sequence[str]) -> str:
    """Return "", or `-n` with the smallest n from 2 that no text uses with any of the names.

    A text with `-2` does not leave "" free, since a lenient reader may ignore the number.
    """
    suspicious = [text for text in texts if may_hold_mark(text)]
    if not suspicious:
        return ""
    mark = _looks_like_mark(tuple(names))
    read = (reading.replace("\n", "") for text in suspicious for reading in readings(text))
    taken = {int(number.translate(_DIGITS) or 1) for reading in read for number in mark.findall(reading)}
    return f"-{next(n for n in count(2) if n not in taken)}" if taken else ""


def may_hold_mark(text: str) -> bool:
    """Return whether the text contains anything without which there is no mark."""
    if not text.isascii():
        return _OPENING.search(text) is not None
    return "<" in text or "&" in text or (("%" in text or "\\" in text) and _ESCAPED.search(text) is not None)


_BETWEEN = r"(?:[^\w<>]|_)*"
_DIGITS = str.maketrans("lio|", "1101")
_CONFUSED = {"f": "[fs]", "i": "[il1|]", "l": "[il1|]", "m": "(?:m|rn)", "o": "[o0]", "w": "(?:w|vv)"}
"""What may be read as a letter: ASCII that resembles it, or is read from its look-alikes (ſ resembles f, and is s)."""


@lru_cache(256)
def _looks_like_mark(names: tuple[str, ...]) -> re.Pattern[str]:
    """Match marks in a reading of a text, opening or closing, unfinished, with any signs before and in the name."""
    alternatives = "|".join(_leniently(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"<{_BETWEEN}(?:{alternatives})(?:{_BETWEEN}([\dlio|]{{1,9}}))?")


def _leniently(name: str) -> str:
    parts = re.split("[-_]", name)
    return _BETWEEN.join("".join(_CONFUSED.get(letter, letter) for letter in part) for part in parts)
