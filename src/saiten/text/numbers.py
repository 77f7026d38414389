"""Numbers: 1,200, 千二百 and 1200 are equal; claims are read strictly, sources leniently."""

import math
import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import NamedTuple

NUMBER = r"\d+(?:[.,]\d+)*"
"""A number in normalized text; dates and times are several numbers."""

_SCALES = {
    "hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "十": 10, "百": 100, "千": 1_000, "万": 10**4, "億": 10**8, "兆": 10**12,
}  # fmt: skip
_ENGLISH_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "  # noqa: SIM905 - as prose it is read at a glance
        "seventeen eighteen nineteen twenty".split()
    )
} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12,
    "half": 50, "once": 1, "twice": 2, "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "hundred": 100,
    "thousand": 1_000, "single": 1, "both": 2, "pair": 2,
}  # fmt: skip
_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")}
CLAIMED = re.compile(
    rf"(?P<number>{NUMBER})(?P<scale>\s?(?:thousand|million|billion|trillion)\b|[十百千万億兆]+(?P<rest>\d[\d,十百千万億兆]*)?)?"
)
"""A number in digits with its scale: 1,200, 1.2 million, 1万3千, 1億2,000万."""
_LIST_MARK = re.compile(r"\s*[(（]?\d{1,3}[.)．）](?=\s|\D)")
_JAPANESE = re.compile(
    r"(?:\d+(?:[.,]\d+)*|[〇一二三四五六七八九十百千])(?:\d+(?:[.,]\d+)*|[〇一二三四五六七八九十百千万億兆]){0,24}"
)
_WORD = re.compile(r"[a-z]+")


class Claimed(NamedTuple):
    """A number claimed by a statement."""

    written: str
    readings: frozenset[str]
    """Its canonical forms, any of which matches: 1.2 million is 1200000, and 1.2 in a table headed *millions*."""


def canonical(number: str) -> str:
    """Convert `1,200` to `1200`, `007` to `7`, `3.50` to `3.5`; a comma is never a decimal separator."""
    plain = number.replace(",", "")
    if plain.count(".") > 1:  # a version or a date: 3.11.4
        return plain
    whole, _, fraction = plain.partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def claimed_numbers(lowered: str) -> list[Claimed]:
    """Return the numbers in digits, in order without repetition, except the number of a list item."""
    mark = _LIST_MARK.match(lowered)
    found: dict[str, Claimed] = {}
    for match in CLAIMED.finditer(lowered, mark.end() if mark else 0):
        claim = read_claim(match)
        found.setdefault(claim.written, claim)
    return list(found.values())


def missing_numbers(claimed: Iterable[Claimed], known: AbstractSet[str]) -> tuple[str, ...]:
    """Return the claims, as written, that no known number matches."""
    return tuple(each.written for each in claimed if known.isdisjoint(each.readings))


def read_claim(match: re.Match[str]) -> Claimed:
    """Read a match of `CLAIMED`."""
    number, scale, written = match["number"], match["scale"], match.group().strip()
    if match["rest"]:
        return Claimed(written, frozenset({japanese_value(written)}))
    readings = {canonical(number)} | ({_scaled(number, scale.strip())} if scale else set())
    return Claimed(written, frozenset(readings))


def known_numbers(lowered: str) -> set[str]:
    """Return every reading of every number in a source, in digits, English words (`two`) and kanji (`二`, `千二百`)."""
    known = {reading for claim in claimed_numbers(lowered) for reading in claim.readings}
    mark = _LIST_MARK.match(lowered)
    if mark:
        known.update(canonical(number) for number in re.findall(NUMBER, mark.group()))
    known.update(str(_ENGLISH_WORDS[word]) for word in _WORD.findall(lowered) if word in _ENGLISH_WORDS)
    known.update(japanese_value(found) for found in _JAPANESE.findall(lowered))
    return known


def _scaled(number: str, scale: str) -> str:
    factor = math.prod(_SCALES[step] for step in ([scale] if scale in _SCALES else scale))
    whole, _, fraction = number.replace(",", "").partition(".")
    if "." in fraction or len(whole) + len(fraction) > 30:
        return canonical(number)
    value = int(whole + fraction) * factor
    return canonical(f"{value // 10 ** len(fraction)}.{value % 10 ** len(fraction):0{len(fraction) or 1}d}")


def japanese_value(written: str) -> str:
    """Return the value of 二十, 千二百, 1万2千 or 二〇二四."""
    if all(sign in _DIGITS for sign in written):
        return canonical("".join(str(_DIGITS[sign]) for sign in written))
    total = below = 0.0
    current: float | None = None
    for part in re.findall(rf"{NUMBER}|.", written):
        if part[0].isdigit():
            current = _float(part)
        elif part in _DIGITS:
            current = (current or 0) * 10 + _DIGITS[part]
        elif _SCALES[part] < 10**4:
            below += (1 if current is None else current) * _SCALES[part]
            current = None
        else:
            total += ((below + (current or 0)) or 1) * _SCALES[part]
            below, current = 0.0, None
    value = total + below + (current or 0)
    return canonical(f"{value:.6f}")


def _float(number: str) -> float:
    plain = number.replace(",", "")
    return float(plain) if plain.count(".") <= 1 and len(plain) <= 30 else 0.0
