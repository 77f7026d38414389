"""Names in normalized texts: capitalized Latin words, runs of katakana, and kanji before a suffix."""

import re

from saiten.text.words import JAPANESE, STOP_WORDS

_LIMIT = 64
"""Maximum number of names per statement."""

_LATIN = re.compile(rf"[^\W\d_{JAPANESE}][^\W_{JAPANESE}]*(?:['-][^\W_{JAPANESE}]+)*")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{3,}")
SUFFIXED = (
    "[\u4e00-\u9fff々]{1,8}?(?:さん|氏|様|先生|市|県|府|都|区|町|村|州|国|社|大学|高校|銀行|病院|空港|駅|省|庁|党"
    "|川|山|島|湖|城|寺|神社)"
)
"""A regular expression for kanji marked as a name by a suffix."""

_SUFFIXED = re.compile(SUFFIXED)
_ENDS = frozenset('.!?。！？:;\n"“「『(（')


def latin_names(normalized: str) -> list[str]:
    """Return names recognized by their capitals, in order without repetition; `normalized` must keep its case.

    The first word of a sentence counts only if it has another capital (`iPhone`, `NASA`) or the next word is a name
    too (`Marie Curie`).
    """
    found: dict[str, None] = {}
    held: str | None = None
    last = 0
    for token in _LATIN.finditer(normalized):
        word, between = token.group(), normalized[last : token.start()]
        begins = last == 0 or not _ENDS.isdisjoint(between)
        adjacent = between == " "
        last = token.end()
        if word.islower() or word.lower() in STOP_WORDS or word.startswith("I'") or len(word) < 2:
            held = None
            continue
        if begins and word[1:].islower():
            held = word
            continue
        if held is not None and adjacent:
            found.setdefault(held)
        held = None
        found.setdefault(word)
        if len(found) >= _LIMIT:
            break
    return list(found)


def japanese_names(normalized: str) -> list[str]:
    """Return runs of three or more katakana, and kanji before a suffix such as 市 or 氏, without repetition."""
    found = dict.fromkeys(match.group() for match in _KATAKANA.finditer(normalized))
    found.update(dict.fromkeys(match.group() for match in _SUFFIXED.finditer(normalized)))
    return list(found)[:_LIMIT]
