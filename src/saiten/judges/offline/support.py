"""Support: the probability that contexts support a statement, from shared words, numbers and names.

A logistic regression over five features (`constants.toml`). It detects invented words, numbers and names, but neither
negations nor values swapped within the same contexts. Names are capitalized Latin words, runs of katakana, and kanji
before a suffix. The reasons of verdicts are in the sample's language; negative ones name something *to check*.
"""

import math
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from saiten.judges.offline.calibration import sigmoid
from saiten.judges.offline.index import Constants, Index
from saiten.records import Language
from saiten.text.numbers import claimed_numbers, known_numbers
from saiten.text.polarity import is_negated
from saiten.text.quantities import Quantity, has_other_units, quantities, replaced
from saiten.text.words import JAPANESE, STOP_WORDS, grams_of, normalise, stem, units_of

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


_DATES = frozenset("年月日時分")
"""Units of dates, which often identify an event rather than state something about it."""
_NAMES_SOMETHING = 3
"""Number of content units around a number that make clear what it counts."""
_OTHERS = frozenset(units_of("他 以外 otherwise elsewhere rest"))
_MOST = 0.5
"""Share of a clause above which a statement is about the clause's subject."""
_HIRAGANA = re.compile("[\u3041-\u309f]{4}")


@dataclass(frozen=True, slots=True)
class Support:
    """The support found for one statement."""

    p: float
    """The probability of support; 0.5 if there was nothing to compare."""
    comparable: bool
    """Whether the statement has content words, numbers or names at all."""
    share: float = 0.0
    """The share of its content units in the best sentence."""
    window: int = -1
    """The best sentence, -1 if none shares a unit."""
    missing_numbers: tuple[str, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    """Quantities of the best sentence, each with the statement's quantity of the same unit."""
    rivals: tuple[tuple[str, str], ...] = ()
    """Quantities of the statement, each with another quantity of the same unit in the best sentence: which one is meant
    is undecided, since the statement names hardly anything of its clause."""
    missing_names: tuple[str, ...] = ()
    negation_differs: bool = False
    """Whether only one of statement and best sentence is negated; a warning that does not change `p`."""


def support(statement: str, index: Index, constants: Constants, excused: AbstractSet[str] = frozenset()) -> Support:
    """Return the indexed contexts' support for the statement; `excused` units (the question's) never count as new."""
    text = normalise(statement)
    lowered = text.lower()
    units, grams = sorted(units_of(lowered)), grams_of(lowered)
    contained = len(grams & index.grams) / len(grams) if grams else 0.0
    if units:
        window, coverage, share = index.best_window(units)
    elif _HIRAGANA.search(lowered):  # もちろんあります。 has no content units, but its characters can be compared
        window, coverage, share = -1, contained, contained
    else:
        return Support(p=0.5, comparable=False)
    numbers = claimed_numbers(lowered)
    missing_numbers = tuple(each.written for each in numbers if index.numbers.isdisjoint(each.readings))
    latin, japanese = latin_names(text), japanese_names(text)
    missing_names = tuple(
        [name for name in latin if not _known_name(name.lower(), index)]
        + [name for name in japanese if name.lower() not in index.text]
    )
    novel = sum(unit not in index.postings and unit not in excused for unit in units)
    weights = constants.support
    logit = math.fsum(
        (
            weights["intercept"],
            weights["coverage"] * coverage,
            weights["characters"] * contained,
            weights["number_missing"] * bool(missing_numbers),
            weights["names_missing"] * len(missing_names) / (len(latin) + len(japanese) or 1),
            weights["novel"] * math.log1p(novel),
        )
    )
    close = window >= 0 and coverage > constants.band["negation"]
    p, swapped, rivals = sigmoid(logit), *_quantities(lowered, index, window, constants)
    if swapped:
        p = min(p, weights["number_conflict"])
    elif rivals:
        p = min(p, weights["number_open"])
    return Support(
        p=p,
        comparable=True,
        share=share,
        window=window,
        missing_numbers=missing_numbers,
        replaced=swapped,
        rivals=rivals,
        missing_names=missing_names,
        negation_differs=close and is_negated(lowered) != is_negated(index.sentence(window)),
    )


_Pairs = tuple[tuple[str, str], ...]


def _quantities(lowered: str, index: Index, window: int, constants: Constants) -> tuple[_Pairs, _Pairs]:
    """Return `replaced` and `rivals` of `Support`, if the window contains most of the statement's other words."""
    claimed = quantities(lowered)
    near = quantities(index.sentence(window)) if claimed and window >= 0 else []
    if not any(one.unit == other.unit for one in claimed for other in near):
        return (), ()
    units = units_of(lowered)
    rest = units.difference(*(units_of(one.written) for one in claimed))
    if rest and index.shares(sorted(rest)).get(window, 0.0) <= constants.band["negation"]:
        return (), ()
    return _replaced(lowered, claimed, near, index), _rivals(claimed, near, rest)


def _replaced(lowered: str, claimed: Sequence[Quantity], near: Sequence[Quantity], index: Index) -> _Pairs:
    """Return quantities that the statement replaced by others found nowhere with that unit."""
    elsewhere = [one for one in claimed if has_other_units(one, quantities(index.text))]
    known = index.numbers.difference(*(one.readings for one in elsewhere))
    found = replaced(near, claimed, there=known_numbers(lowered), known=known)
    return tuple((missing.written, instead.written) for missing, instead in found if missing.around and instead.around)


def _rivals(claimed: Sequence[Quantity], near: Sequence[Quantity], rest: AbstractSet[str]) -> _Pairs:
    """Return `rivals` of `Support`; `rest` are the statement's units other than its numbers.

    A statement of little but a number (*60度までです*) takes its subject from the question, and is decided. So is one
    that shares more with its number's clause than with the other's, unless the other is about *all others*.
    """
    if len(rest) < _NAMES_SOMETHING:
        return ()

    def named(one: Quantity) -> float:
        return len(one.around & rest) / (len(one.around) or 1)

    found: list[tuple[str, str]] = []
    for one in (each for each in claimed if each.unit not in _DATES):
        same = [each for each in near if each.unit == one.unit]
        own = max((named(each) for each in same if not each.readings.isdisjoint(one.readings)), default=1.0)
        others = [each for each in same if all(each.readings.isdisjoint(other.readings) for other in claimed)]
        if own < _MOST and any(not each.around or each.around & _OTHERS or named(each) >= own for each in others):
            found.append((one.written, others[0].written))
    return tuple(found)


def _known_name(name: str, index: Index) -> bool:
    return (
        name in index.words
        or stem(name) in index.postings
        or all(part in index.words for part in re.split("['-]", name))
    )


Source = Literal["contexts", "reference", "answer", "summary"]
"""The text a statement was compared with."""

_SHOWN = 3
"""Maximum number of numbers and names listed in a reason; the rest are counted."""

_ABSENT: dict[Language, dict[Source, str]] = {
    "en": {
        "contexts": "in no context",
        "reference": "not in the reference",
        "answer": "not in the answer",
        "summary": "not in the summary",
    },
    "ja": {
        "contexts": "がどのコンテキストにもない",
        "reference": "が正答例にない",
        "answer": "が回答にない",
        "summary": "が要約にない",
    },
}


def said(language: Language, english: str, japanese: str) -> str:
    """Return the words in the sample's language."""
    return japanese if language == "ja" else english


def why(found: Support, verdict: bool, unclear: bool, source: Source, language: Language, *, cut: bool = False) -> str:  # noqa: FBT001 - the verdict itself
    """Explain a verdict: what is missing, how much is shared, and whether a negation differs."""
    if not found.comparable:
        english = "unclear: no content words, numbers or names to compare"
        return said(language, english, "比べられる内容語・数値・名称がない")
    parts = absent(found.missing_numbers, found.missing_names, source, language) + instead_of(found.replaced, language)
    for one, other in found.rivals[:_SHOWN]:
        english = f"the sentence also has {other}, and words do not tell which of the two {one} is to be"
        parts.append(said(language, english, f"同じ文には {other} もあり、{one} がどちらの値かは語からは分からない"))
    percent = round(100 * found.share)
    english = f"{percent} % of the content words in the best sentence"
    parts.append(said(language, english, f"内容語の {percent} % が最も近い文にある"))
    if found.negation_differs:
        parts.append(said(language, "negation differs", "否定の有無が異なる"))
    if cut:
        english = "the contexts were too long to be read to their end"
        parts.append(said(language, english, "長すぎるため末尾は読んでいない"))
    lead = said(language, "unclear: ", "判定保留：") if unclear else said(language, "to check: ", "要確認：")
    return ("" if verdict and not unclear else lead) + said(language, "; ", "；").join(parts)


def instead_of(replaced: Sequence[tuple[str, str]], language: Language) -> list[str]:
    """Format *has 13,000 yen in the place of 10,000 yen*, at most three."""
    template = said(language, "has {1} in the place of {0}", "{0} のところが {1} になっている")
    return [template.format(*pair) for pair in list(dict.fromkeys(replaced))[:_SHOWN]]


def absent(numbers: tuple[str, ...], names: tuple[str, ...], source: Source, language: Language) -> list[str]:
    """Format *number 1,200 in no context* and the like, at most three of each."""
    kinds = ("数値", "名称", "ほか") if language == "ja" else ("number", "name", "and more")
    listed = []
    for kind, missing in zip(kinds, (numbers, names), strict=False):
        joined = (", " if language == "en" else "、").join(missing[:_SHOWN])
        rest = f" {kinds[2]} {len(missing) - _SHOWN}" if len(missing) > _SHOWN else ""
        if missing:
            listed.append(f"{kind} {joined}{rest} {_ABSENT[language][source]}")
    return listed
