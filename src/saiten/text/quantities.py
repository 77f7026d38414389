"""Quantities: numbers with their units, to detect that 13,000円 replaces 10,000円."""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from saiten.text.numbers import CLAIMED, japanese_value, read_claim
from saiten.text.words import STOP_WORDS, stem, units_of

_CURRENCIES = {"$": "$", "€": "€", "£": "£", "¥": "円"}
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_SAME = {
    "yen": "円", "jpy": "円", "dollar": "$", "usd": "$", "ドル": "$", "euro": "€", "ユーロ": "€", "pound": "£",
    "ポンド": "£", "percent": "%", "per cent": "%", "名": "人", "people": "人", "person": "人",
    "kilometer": "km", "kilometre": "km", "meter": "m", "metre": "m", "kilogram": "kg", "gram": "g",
    "am": "時", "pm": "時",
} | dict.fromkeys(_MONTHS.replace("?", "").split("|"), "日")  # fmt: skip
_COUNTER = (
    "営業日|時間|分間|秒間|日間|週間|か月間?|年間|年度|ドル|ユーロ|ポンド|種類|か所|か国|丁目"
    "|[年月日時分秒円%割人名個件回台本枚歳倍階位度社校頭匹泊区点冊杯羽章巻号戸棟軒席票段字語曲話問条項]"
)
_AFTER = re.compile(
    rf"(?P<clock>:)(?=\d)|(?:(?:st|nd|rd|th)(?![a-z]))?[ -]?"
    rf"(?:(?P<counter>{_COUNTER})|(?P<word>per ?cent|[a-z]+)|(?P<kana>[ァ-ヺー]+)|(?P<kanji>[一-鿿]))"
)
_BEFORE = re.compile(rf"(?:(?P<sign>[$€£¥]) ?|\b(?P<month>{_MONTHS})\.? |(?<=\d)(?P<clock>:))$")
_KANJI = re.compile(
    rf"(?<![\d〇一二三四五六七八九十百千万億兆数何第])(?P<number>[〇一二三四五六七八九十百千万億兆]+)(?={_COUNTER})"
)
_IDIOM = re.compile(
    "一(?:[度時](?!間)|人(?:ひとり|一人|で|前|当|あたり)|日(?:中|も|当|あたり)|回性|本化|年(?:中|を通))"
)
"""Phrases such as 一人で, 一日中, 一時的, 一度, which claim no number."""
_YEAR = re.compile("1\\d{3}|20\\d\\d")
_CLAUSES = re.compile(r"[、。;!?\n]|[,.](?!\d)")
_ANY = re.compile(r"[\d〇一二三四五六七八九十百千万億兆]")
_WHOLE = frozenset("人個件回台本枚頭匹泊冊章巻号戸棟軒席票段字語曲話問条項社校")
"""Units of whole numbers: 5.5人 is a list number run into its text."""
_FEW = 3


class Quantity(NamedTuple):
    """A number claimed by a text, with its unit."""

    written: str
    """As written in the text, including the unit."""
    readings: frozenset[str]
    """Its canonical forms, any of which matches."""
    unit: str
    """In one spelling: 円 for yen and ¥, $ for dollars and ドル, 年 for a year; never empty."""
    around: frozenset[str]
    """The content units of the rest of its clause, which say what it counts."""

    def may_replace(self, other: "Quantity") -> bool:
        """Return whether both have the same unit and their clauses are about the same thing."""
        fewer = min(len(self.around), len(other.around))
        return self.unit == other.unit and 2 * len(self.around & other.around) >= fewer


def quantities(lowered: str) -> list[Quantity]:
    """Return the numbers with a unit, in digits or kanji, of a normalized, lower-cased text, without repetition."""
    if not _ANY.search(lowered):
        return []
    found: dict[Quantity, None] = {}
    for clause in _CLAUSES.split(lowered):
        placed = list(_placed(clause))
        rest = clause
        for start, end, _, _ in placed:
            rest = rest[:start] + " " * (end - start) + rest[end:]
        around = frozenset(units_of(rest)) if placed else frozenset()
        for start, end, readings, unit in placed:
            found.setdefault(Quantity(clause[start:end].strip(), readings, unit, around))
    return list(found)


def has_other_units(one: Quantity, found: Iterable[Quantity]) -> bool:
    """Return whether `found` contains the number, but only with other units: 13,000人 is unrelated to 13,000円."""
    units = {other.unit for other in found if not one.readings.isdisjoint(other.readings)}
    return bool(units) and not any(unit == one.unit or (unit[0] == one.unit[0] >= "一") for unit in units)


def _placed(clause: str) -> Iterator[tuple[int, int, frozenset[str], str]]:
    for match in CLAIMED.finditer(clause):
        unit, end = _unit(clause, match.start(), match.end())
        if unit and not (unit in _WHOLE and "." in match.group()):
            yield match.start(), end, read_claim(match).readings, unit
    for match in _KANJI.finditer(clause):
        if not _IDIOM.match(clause, match.start()):
            unit, end = _unit(clause, match.start(), match.end())
            yield match.start(), end, frozenset({japanese_value(match.group())}), unit


def replaced(
    wanted: Sequence[Quantity], claimed: Sequence[Quantity], *, there: AbstractSet[str], known: AbstractSet[str]
) -> list[tuple[Quantity, Quantity]]:
    """Return (missing, instead): quantities of `wanted` that `claimed` replaces with another of the same unit.

    `there` are the numbers of the text of `claimed`, `known` those that it may contain: these count as neither missing
    nor replaced. Without words around it, it is unclear which of several numbers a number replaces (a list of years may
    omit one and add another without contradiction), so such a number counts only among a few.
    """
    others = [each for each in claimed if known.isdisjoint(each.readings) and not _is_sum(each, wanted)]
    found = []
    for missing in wanted:
        instead = next((each for each in others if each.may_replace(missing)), None)
        if instead is None or not there.isdisjoint(missing.readings) or _is_sum(missing, claimed):
            continue
        of_unit = sum(each.unit == missing.unit for each in wanted)
        if of_unit <= _FEW or (missing.around and instead.around):
            found.append((missing, instead))
    return found


def _is_sum(total: Quantity, parts: Iterable[Quantity]) -> bool:
    """Return whether the parts with its unit add up to it: 2人 and 1人 are 3人."""
    values = [float(min(each.readings, key=len)) for each in parts if each.unit == total.unit]
    return len(values) > 1 and f"{sum(values):g}" in total.readings


def _unit(lowered: str, start: int, end: int) -> tuple[str, int]:
    before = _BEFORE.search(lowered, max(0, start - 12), start)
    if before and before["sign"]:
        return _CURRENCIES[before["sign"]], end
    if before:
        return ("日" if before["month"] else "分"), end
    after = _AFTER.match(lowered, end)
    kind = after.lastgroup if after else None
    if after is None or kind is None or (kind == "word" and after["word"] in STOP_WORDS):
        return ("年" if _YEAR.fullmatch(lowered, start, end) else ""), end
    if kind == "clock":
        return "時", end
    unit = after[kind]
    return _SAME.get(unit.removesuffix("s"), stem(unit)), after.end()
