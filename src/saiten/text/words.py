"""Comparing texts without a dictionary: content units, character n-grams and words.

A *unit* is an English word without its ending, a number, a kanji, or two adjacent kanji or katakana. The characters
decide which, not the sample's language: Japanese text with Latin names and wrongly detected languages work alike.
"""

import re
import unicodedata
from functools import lru_cache

from saiten.text.measures import one_spelling
from saiten.text.numbers import NUMBER, canonical

JAPANESE = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
"""Kana and kanji, for use in a character class."""

TOKEN = re.compile(
    rf"(?P<ja>[{JAPANESE}]+)|(?P<number>{NUMBER})|(?P<word>[^\W\d_{JAPANESE}]+(?:['’][^\W\d_{JAPANESE}]+)?)"
)
_CONTENT = re.compile(
    "(?P<kanji>[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)|[\u30a1-\u30fa\u30fc\u31f0-\u31ff]+"
)
_GRAM_RUN = re.compile(rf"(?P<ja>[{JAPANESE}]+)|[^\W{JAPANESE}]+(?:\W[^\W{JAPANESE}]+)*")
_ASCII_TOKEN = re.compile(rf"(?P<number>{NUMBER})|(?P<word>[a-z]+(?:'[a-z]+)?)", re.ASCII | re.IGNORECASE)
_ASCII_RUN = re.compile(r"\w+(?:\W\w+)*", re.ASCII)
"""The same for ASCII, in half the time."""
_CITATION = re.compile(r"\[\d{1,4}(?:\s?[,\-–]\s?\d{1,4}){0,20}\]")
_SPACES = re.compile(r"\s+")

STOP_WORDS = frozenset(
    """
    a about above after again all also although am an and any are as at be because been before being below between
    both but by can could did do does doing down during each few for from further had has have having he her here
    hers him his how however i if in into is it its itself just may me might more most must my no nor not of off on
    once only or other our ours out over own s same shall she should since so some such t than that the their theirs
    them then there these they this those through thus to too under until up upon very was we were what when where
    whether which while who whom whose why will with within without would yes you your yours
    """.split()  # noqa: SIM905 - a list of words is read as prose
)

_FOOTNOTE = re.compile("(?<=\\d)(?=[⁰¹²³⁴-⁹])")


def normalize(text: str) -> str:
    """Return the text in one width (NFKC) with single spaces, without citations such as [3]; case is kept.

    Unless it is pure ASCII, years in kanji and units of measure are also given one spelling.
    """
    # 1994⁶ is the year 1994 with a footnote, not the number 19946.
    apart = text if text.isascii() else _FOOTNOTE.sub(" ", text)
    wide = apart if apart.isascii() else unicodedata.normalize("NFKC", apart).replace("’", "'")
    plain = _SPACES.sub(" ", _CITATION.sub(" ", wide) if "[" in wide else wide)
    return plain if plain.isascii() else one_spelling(plain)


def content_units(text: str) -> set[str]:
    """Return the content units of a text as written."""
    return units_of(normalize(text).lower())


def units_of(lowered: str) -> set[str]:
    """Return the content units of a normalized, lower-cased text."""
    if lowered.isascii():
        found_here = _ASCII_TOKEN.findall(lowered)
        units = {stem(word) for _, word in found_here if word and word not in STOP_WORDS}
        units.update([canonical(number) for number, _ in found_here if number])
        return units
    units = set()
    for token in TOKEN.finditer(lowered):
        kind, found = token.lastgroup, token.group()
        if kind == "word":
            if found not in STOP_WORDS:
                units.add(stem(found))
        elif kind == "number":
            units.add(canonical(found))
        else:
            units.update(_japanese_units(found))
    return units


def words_of(lowered: str) -> set[str]:
    """Return all words, for comparing texts without content words."""
    return {token.group() for token in TOKEN.finditer(lowered)}


def grams_of(lowered: str) -> set[str]:
    """Return runs of four characters of Latin text, and of two Japanese characters; shorter pieces as a whole."""
    if lowered.isascii():
        runs = [(piece, 4) for piece in _ASCII_RUN.findall(lowered)]
    else:
        runs = [(run.group(), 2 if run.lastgroup == "ja" else 4) for run in _GRAM_RUN.finditer(lowered)]
    grams = set()
    for piece, length in runs:
        grams.update([piece[at : at + length] for at in range(max(len(piece) - length, 0) + 1)])
    return grams


def _japanese_units(run: str) -> list[str]:
    """Return kanji singly and in pairs, katakana in pairs; hiragana is grammar and left out."""
    units: list[str] = []
    for part in _CONTENT.finditer(run):
        found = part.group()
        if part.lastgroup == "kanji":
            units.extend(found)
        elif len(found) == 1:
            units.append(found)
        units.extend([found[at : at + 2] for at in range(len(found) - 1)])
    return units


@lru_cache(10_000)
def stem(word: str) -> str:
    """Strip the commonest endings of a lower-cased English word: studies, studied, study → studi."""
    word = word.removesuffix("'s")
    if len(word) <= 3 or not word.isascii():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and word[-2] not in "su":
        word = word[:-1]
    for ending in ("ing", "ed", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    word = word.rstrip("e") if len(word) > 3 else word
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def in_order(lowered: str) -> list[str]:
    """Return the content words in order without repetition: English words, numbers, Japanese runs of one script."""
    words: list[str] = []
    for token in TOKEN.finditer(lowered):
        if token.lastgroup == "ja":
            words.extend(part.group() for part in _CONTENT.finditer(token.group()))
        elif token.group() not in STOP_WORDS:
            words.append(token.group())
    return list(dict.fromkeys(words))


def has_digit(word: str) -> bool:
    """Return whether any character is a digit."""
    return any(map(str.isdigit, word))
