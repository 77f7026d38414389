"""Grapheme boundaries: whether a cut would split what a reader sees as one character.

The common part of Unicode's rules (UAX #29, extended grapheme clusters): marks, joiners, selectors, flags, Hangul, line
ends. Not covered: clusters of Indic scripts that need more than a mark's category.
"""

import unicodedata

_JOINER = "\u200d"
_LEANING = frozenset("\u200c\u200d\uff9e\uff9f")
"""Attached to the preceding character despite their category: joiners, half-width voicing marks."""
_FLAGS = (0x1F1E6, 0x1F1FF)
_FLAGS_LOOKED_AT = 64


def inside_grapheme(text: str, at: int) -> bool:
    """Return whether both sides of `at` form one visible character: が written か + ゛, CR LF, 👩‍🔬, 🇯🇵."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if after < "\u0300":
        return before == "\r" and after == "\n"
    if after in _LEANING or unicodedata.category(after)[0] == "M" or "\U0001f3fb" <= after <= "\U0001f3ff":
        return before not in "\r\n"
    if before == _JOINER:
        return unicodedata.category(after) == "So"
    if _is_flag(after):
        return _flags_before(text, at) % 2 == 1
    return _is_hangul(before, after)


def _is_flag(character: str) -> bool:
    return _FLAGS[0] <= ord(character) <= _FLAGS[1]


def _flags_before(text: str, at: int) -> int:
    """Count the regional indicators directly before `at`; two of them make one flag."""
    count = 0
    while count < _FLAGS_LOOKED_AT and at > count and _is_flag(text[at - count - 1]):
        count += 1
    return count


def _is_hangul(before: str, after: str) -> bool:
    """Return whether a decomposed syllable continues."""
    leading = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c"
    syllable = "\uac00" <= before <= "\ud7a3" or "\u1160" <= before <= "\u11ff"
    return (leading and ("\u1100" <= after <= "\u11ff" or "\uac00" <= after <= "\ud7a3")) or (
        syllable and "\u1160" <= after <= "\u11ff"
    )
