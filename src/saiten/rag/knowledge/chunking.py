"""Chunking: cuts a text into pieces of bounded length that end with a sentence, if one ends nearby."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from saiten.errors import ConfigurationError
from saiten.records import Language
from saiten.text.language import detect_language
from saiten.text.sentences import Sentence, split_sentences

_AHEAD = 100
"""Characters read beyond a chunk, since what follows a full stop shows whether a sentence ends there."""
_INK = re.compile(r"\S")
_CLAUSE = re.compile(r"[、，､；：;,]")
_PAUSES = (re.compile(r"[\n\r]\s*"), re.compile(r"\s+"), _CLAUSE)
"""Places to cut if no sentence ends: after a line, a word, or a clause, in this order."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a text: `text` equals the slice `start:end` of the whole."""

    text: str
    """Not blank; stripped unless cut exactly, except for white space that carries an accent."""
    start: int
    end: int


def cut(text: str, size: int = 512, overlap: int = 0, *, exact: bool = False) -> Iterator[Chunk]:
    """Yield the chunks of the text in order, each of at most `size` characters; only white space is skipped.

    A chunk ends with the last sentence (Japanese or English; lines count as in `split_sentences`) that ends in the last
    third of `size`. Failing that, it ends after a line, a word or a clause, or else at `size`, but never inside a
    character made of several code points unless that character alone exceeds `size`.

    With an overlap, a chunk begins at most that many characters before the end of the previous one: at a sentence if
    possible, else at a word (in Japanese, any character). Time is linear in the length of the text. With
    `exact`, every chunk but the last has exactly `size` characters and shares exactly `overlap` with the next, as in
    the paper on chains (spec 03); blank ones are skipped.
    """
    check_cutting(size, overlap)
    return _windows(text, size, overlap) if exact else _chunks(text, size, overlap, detect_language(text))


def check_cutting(size: int, overlap: int) -> None:
    """Raise ConfigurationError for chunks that would not advance through the text."""
    if size < 1 or not 0 <= overlap < size:
        raise ConfigurationError(
            f"chunks of {size} characters with an overlap of {overlap} are impossible; expected a size of at least 1 "
            "and a smaller overlap, for example --chunk-size 512 --overlap 64"
        )


def _windows(text: str, size: int, overlap: int) -> Iterator[Chunk]:
    for start in range(0, max(len(text) - overlap, 1), size - overlap):
        chunk = text[start : start + size]
        if not chunk.isspace() and chunk:
            yield Chunk(chunk, start, start + len(chunk))


def _chunks(text: str, size: int, overlap: int, language: Language) -> Iterator[Chunk]:
    start = fresh = _ink(text, 0)  # text from `fresh` on is in no chunk yet
    while start is not None and fresh is not None:
        limit = start + size
        if limit <= fresh or (start < fresh and not _whole(text, fresh, limit)):
            start = fresh  # the overlap would leave no room for new text
            continue
        sentences = _sentences(text, start, limit + _AHEAD, language)
        end = limit if limit >= len(text) else _end(text, max(start + 2 * size // 3 - 1, fresh), limit, sentences)
        chunk = text[start:end].rstrip()
        yield Chunk(chunk, start, start + len(chunk))
        fresh = _ink(text, end)
        again = _again(text, start, start + len(chunk), overlap, sentences) if overlap else None
        start = fresh if again is None else again


def _ink(text: str, at: int) -> int | None:
    """Return the place of the next visible character, or of the white space that carries its accent."""
    found = _INK.search(text, at)
    if found is None:
        return None
    place = found.start()
    return place - 1 if place > at and inside_grapheme(text, place) else place


def _whole(text: str, fresh: int, limit: int) -> bool:
    """Return whether a character that begins at or after `fresh` ends by `limit`."""
    return limit >= len(text) or any(not inside_grapheme(text, at) for at in range(limit, fresh, -1))


def _sentences(text: str, start: int, stop: int, language: Language) -> list[Sentence]:
    """Return the sentences that begin in the window, with places in the whole text; the last end is a guess."""
    found = split_sentences(text[start:stop], language)
    return [Sentence(sentence, start + begin, start + end) for sentence, begin, end in found]


def _end(text: str, low: int, limit: int, sentences: list[Sentence]) -> int:
    """Return where to end a chunk, after `low` and at most at `limit`."""
    for sentence in reversed(sentences[:-1]):
        if low < sentence.end <= limit and not inside_grapheme(text, sentence.end):
            return sentence.end
    for pause in _PAUSES:
        room = limit if pause is _CLAUSE else limit + 1  # a space after the last word takes no room
        for found in reversed(list(pause.finditer(text, low, room))):
            end = min(found.end(), limit)
            if end > low and not inside_grapheme(text, end):
                return end
    return next((at for at in range(limit, low, -1) if not inside_grapheme(text, at)), limit)


def _again(text: str, start: int, end: int, overlap: int, sentences: list[Sentence]) -> int | None:
    """Return where the next chunk begins, at most `overlap` before the end of this one; None: after it."""
    low = max(end - overlap, start + 1)
    for sentence in sentences:
        if low <= sentence.start < end and not inside_grapheme(text, sentence.start):
            return sentence.start
    for pause in _PAUSES[1:]:
        for found in pause.finditer(text, low - 1, end):
            if found.end() < end and not inside_grapheme(text, found.end()):
                return found.end()
    return next((at for at in range(low, end) if _may_begin(text, at)), None)


def _may_begin(text: str, at: int) -> bool:
    """Return whether a chunk may begin here within a line: not inside an English word."""
    inside_word = text[at - 1].isalnum() and text[at].isalnum() and text[at].isascii()
    return not inside_word and not text[at].isspace() and not inside_grapheme(text, at)


_JOINER = "\u200d"
_LEANING = frozenset("\u200c\u200d\uff9e\uff9f")
"""Attached to the preceding character despite their category: joiners, half-width voicing marks."""
_FLAGS = (0x1F1E6, 0x1F1FF)
_FLAGS_LOOKED_AT = 64


def inside_grapheme(text: str, at: int) -> bool:
    """Return whether both sides of `at` form one visible character: が written か + ゛, CR LF, 👩‍🔬, 🇯🇵.

    The common part of Unicode's rules (UAX #29, extended grapheme clusters): marks, joiners, selectors, flags, Hangul,
    line ends. Not covered: clusters of Indic scripts that need more than a mark's category.
    """
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
    return sum(1 for _ in takewhile(_is_flag, reversed(text[max(at - _FLAGS_LOOKED_AT, 0) : at])))


def _is_hangul(before: str, after: str) -> bool:
    leading = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c"
    syllable = "\uac00" <= before <= "\ud7a3" or "\u1160" <= before <= "\u11ff"
    return (leading and ("\u1100" <= after <= "\u11ff" or "\uac00" <= after <= "\ud7a3")) or (
        syllable and "\u1160" <= after <= "\u11ff"
    )
