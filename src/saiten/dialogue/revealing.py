"""The words of a question that give the reference away: its numbers, names and rare words that were never said.

A system finds what it is asked for in the reference's own words, or merely has to confirm it. So these words have to
come from the first question or from the dialogue. Words are compared as in the leak check: paraphrases are missed, and
so are Japanese words in hiragana.
Source: spec 02 forbids a question to state them and allows it to ask for confirmation; that even asking with them gives
too much away is saiten's own rule.
"""

import re
from collections.abc import Iterable, Iterator

from saiten.judges.offline.names import latin_names
from saiten.text.common_words import is_common
from saiten.text.numbers import claimed_numbers, known_numbers
from saiten.text.quantities import has_other_units, quantities
from saiten.text.words import STOP_WORDS, has_digit, in_order, normalize, stem, units_of

_CODE = re.compile(r"(?<![a-z0-9])[a-z]+-?\d+[a-z0-9]*(?![a-z0-9])")
"""A code such as E02 or HK-500, lower-cased."""

_COUNTED = re.compile(r"(?<![\w-])([a-z]+|\d+)(?=[ -]([a-z]{3,}))")
_PER_ONE = re.compile("[1一](?:人|日|週間?|か月|年|回|時間|件|個)(?=に|いくら|あたり|当たり)")
"""1日に何回 and 1人いくら ask for a rate; they state no number."""

_KANJI_NUMBERS = re.compile("[〇一二三四五六七八九十百千万億兆]")
_ORDINALS = frozenset("first second third fourth fifth single both pair".split())  # noqa: SIM905 - read as prose
_ROOT = 3
"""Shortest stem that is taken for the root of a longer one."""

_KIN = 0.7
"""Share of the longer of two related English stems that they have in common: *approv* and *approval*."""

_ENDINGS = frozenset("ness ment ation ion al er or able ance ence ity ful les iv ship".split())  # noqa: SIM905 - as above
"""Endings by which a short stem becomes a related one: *ill* and *illness*."""


def revealed(question: str, reference: str, said: Iterable[str]) -> tuple[str, ...]:
    """Return the question's numbers, names and rare words that the reference has and that were never said.

    `said`: the first question and everything asked and answered since.
    """
    texts = [normalize(each) for each in (question, reference, "\n".join(said))]
    asked, meant, heard = (text.lower() for text in texts)
    found = (
        *_codes(asked, meant, heard),
        *_numbers(asked, meant, heard),
        *_names(*texts),
        *_words(asked, meant, heard),
    )
    whole = {each.lower(): each for each in reversed(found)}
    return tuple(
        each for low, each in reversed(whole.items()) if not any(low != other and low in other for other in whole)
    )


def _codes(asked: str, meant: str, heard: str) -> Iterator[str]:
    wanted, known = ({code.replace("-", "") for code in _CODE.findall(text)} for text in (meant, heard))
    for code in _CODE.findall(asked):
        if code.replace("-", "") in wanted - known:
            yield code


def _numbers(asked: str, meant: str, heard: str) -> Iterator[str]:
    """Yield numbers that are new, or that count something new: two hours after two euros."""
    asked, meant, heard = (_CODE.sub(" ", text) for text in (asked, meant, heard))
    asked = _PER_ONE.sub(" ", asked)
    new = known_numbers(meant) - _stated_numbers(heard)
    for each in quantities(asked):
        unit = any(each.unit == other.unit and each.readings & other.readings for other in quantities(meant))
        if each.readings & new or (unit and has_other_units(each, quantities(heard))):
            yield each.written
    yield from (number.written for number in claimed_numbers(asked) if number.readings & new)
    pairs = _counted(meant).keys() - _counted(heard).keys()
    yield from (written for pair, written in _counted(asked).items() if pair in pairs)


def _stated_numbers(lowered: str) -> set[str]:
    """Return the numbers that a text states; 一部 and 一般 state none."""
    stated = [each.readings for each in claimed_numbers(lowered)] + [each.readings for each in quantities(lowered)]
    return known_numbers(_KANJI_NUMBERS.sub(" ", lowered)).union(*stated)


def _counted(lowered: str) -> dict[tuple[str, str], str]:
    """Return (number, what it counts) → as written: *two hours*, *2 hours*."""
    found: dict[tuple[str, str], str] = {}
    for match in _COUNTED.finditer(lowered):
        number, unit = match.groups()
        if number not in _ORDINALS and unit not in STOP_WORDS:
            found |= {(value, stem(unit)): f"{number} {unit}" for value in known_numbers(number)}
    return found


def _names(asked: str, meant: str, heard: str) -> Iterator[str]:
    known, names = set(in_order(heard.lower())), set(latin_names(meant))
    yield from (name for name in latin_names(asked) if name in names and name.lower() not in known)


def _words(asked: str, meant: str, heard: str) -> Iterator[str]:
    """Yield rare words: English ones by their stems, Japanese ones by the pieces they share with the reference."""
    wanted, known = units_of(meant), units_of(heard)
    for word in in_order(asked):
        if has_digit(word):
            continue
        if word[0].isascii():
            if units_of(word) <= wanted and not is_common(word) and not _has_kin(stem(word), known):
                yield word
        elif any(not is_common(piece) and not _is_heard(piece, heard) for piece in _shared(word, meant)):
            yield word


def _has_kin(word: str, known: Iterable[str]) -> bool:
    """Return whether a known stem is the same or related."""
    return any(_are_kin(*sorted((word, other), key=len)) for other in known)


def _are_kin(shorter: str, longer: str) -> bool:
    start = next((at for at, pair in enumerate(zip(shorter, longer, strict=False)) if len(set(pair)) > 1), len(shorter))
    return start >= _KIN * len(longer) or (start == len(shorter) >= _ROOT and longer[start:] in _ENDINGS)


def _shared(word: str, meant: str) -> Iterator[str]:
    """Yield the longest pieces of a Japanese word that are in the reference; a single character only as a whole."""
    start = 0
    while start < len(word):
        end = start
        while end < len(word) and word[start : end + 1] in meant:
            end += 1
        if end - start >= min(2, len(word)):
            yield word[start:end]
        start = max(end, start + 1)


def _is_heard(piece: str, heard: str) -> bool:
    """Return whether the piece was said, or most of it: 申請書 after 申請."""
    pairs = [piece[at : at + 2] for at in range(len(piece) - 1)] or [piece]
    return 2 * sum(pair in heard for pair in pairs) >= len(pairs)
