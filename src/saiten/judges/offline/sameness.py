"""Whether two questions ask the same, by their words: how much they have in common, and what keeps them apart."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from saiten.judges.offline.names import japanese_names, latin_names
from saiten.tasks.same_question import bare_question
from saiten.text.common_words import is_common
from saiten.text.numbers import claimed_numbers
from saiten.text.polarity import is_negated
from saiten.text.quantities import quantities
from saiten.text.words import content_units, grams_of, has_digit, in_order, normalize, stem, units_of

SIMILAR = 0.85
"""From this similarity on, two questions that nothing keeps apart are duplicates."""

_ADDED = 0.3
"""The weight of an everyday word that only one question has."""

_ANSWERED_ALIKE = 0.6
"""The similarity from which questions with the same short answer are the same."""

_SHORT = 4
"""Maximum content units of an answer that says by itself what was asked: *2 years*."""

_SAME_WORD = {
    "何名": "何人",
    "何日間": "何日",
    "何年間": "何年",
    "何分間": "何分",
    "whats": "what is",
    "what's": "what is",
}
_ONE_WORD = re.compile("|".join(sorted(_SAME_WORD, key=len, reverse=True)))
_QUESTION_WORD = re.compile("何[一-鿿]{0,2}|誰|幾つ")
_CODE = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]+-?\d+[A-Za-z0-9-]*|\d+[A-Za-z]+\d*)(?![A-Za-z0-9])")
_LETTER = re.compile(r"(?<![A-Za-z'’&])(?!I\b)[A-Z](?![A-Za-z'’&])")
"""A letter that distinguishes: model A, A型; not the *A* that begins a sentence."""
_MARKED = re.compile(r"[「『“\"]([^」』”\"]{1,40})[」』”\"]|`([^`]{1,40})`")
_ASKED_FOR: dict[str, str] = {
    "person": r"\bwho(?:m|se)?\b|誰|だれ|どなた",
    "place": r"\bwhere\b|どこ(?!まで)",
    "time": r"\bwhen\b|\b(?:what|which) (?:time|date|day|year|month)\b|いつ|何時(?!間)|何曜日|何年何月|何月何日",
    "reason": r"\bwhy\b|なぜ|どうして|(?:理由|原因)(?:は|を)",
    "amount": r"\bhow (?:much|expensive)\b|いくら",
    "frequency": r"\bhow (?:often|frequently)\b|頻度|何(?:日|か月|年|週間)に[一1]?[回度]",
    "duration": r"\bhow long\b|どのくらいの期間|何(?:時間|日間|年間|か月|週間|分間?|秒間?)(?!前|後|以)",
    "count": r"\bhow many\b|いくつ|何(?:人|名|個|件|回|台|枚|本|冊|文字)",
}
_FORMS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _ASKED_FOR.items()}
_OPPOSITES = [
    tuple(re.compile(side) for side in pair)
    for pair in (
        (
            r"\bmin(?:imum)?\b|\bat least\b|\bleast\b|最小|最低|最短|下限|少なくとも",
            r"\bmax(?:imum)?\b|\bat most\b|\bmost\b|最大|最高|最長|上限|多くても",
        ),
        (r"\bbefore\b|以前|の前|前に", r"\bafter\b|以後|以降|の後|後に"),
        (r"\bbegin|\bstart|開始|始ま|始め", r"\bend(?:s|ed|ing)?\b|\bfinish|\bstop|終了|終わ"),
        (r"\bincrease|\braise|増え|増や|上げ|上が", r"\bdecrease|\blower|\breduc|減|下げ|下が"),
        (
            r"\benable|\bturn on\b|\bswitch on\b|有効|オンに|入れ",
            r"\bdisable|\bturn off\b|\bswitch off\b|無効|オフに|切",
        ),
        (r"\bfirst\b|\bearliest\b|最初|初回|初めて", r"\blast\b|\blatest\b|\bsecond\b|最後|最終|2回目|二回目"),
        (r"\badvantage|\bbenefit|利点|長所|メリット", r"\bdisadvantage|\bdrawback|欠点|短所|デメリット"),
        (r"\ballowed\b|\bpermitted\b|可能|できる|できます", r"\bforbidden\b|\bprohibited\b|禁止|できない|できません"),
        (
            r"\binside\b|\bdomestic|国内|社内|屋内",
            r"\boutside\b|\babroad\b|\binternational|\boverseas|国外|海外|社外|屋外",
        ),
        (r"\bfull-time\b|正社員", r"\bpart-time\b|パート|アルバイト|契約社員"),
        (r"\bopen|開", r"\bclos|閉"),
        (r"\bweekdays?\b|平日", r"\bweekends?\b|\bholidays?\b|休日|祝日|土日|週末"),
        (r"\barriv|到着|入社|入力", r"\bdepart|\bleav|出発|退社|退職|出力"),
    )
]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with what its comparison needs."""

    id: str
    lowered: str
    bare: str
    units: frozenset[str]
    words: frozenset[str]
    """The stems of English words, and Japanese runs of one script; without numbers and question words."""
    rare: frozenset[str]
    """Those that are not everyday words."""
    numbers: frozenset[frozenset[str]]
    """The readings of each number."""
    names: frozenset[str]
    """Lower-cased."""
    letters: frozenset[str]
    answer: frozenset[str]
    """The content units of a short answer; empty if it is long, or unknown."""

    @classmethod
    def of(cls, identity: str, question: str, reference: str = "") -> "AskedQuestion":
        """Analyze a question."""
        plain = normalize(question)
        low = _ONE_WORD.sub(lambda found: _SAME_WORD[found.group()], plain.lower())
        words = {word: stem(word) if word.isascii() else word for word in in_order(_QUESTION_WORD.sub(" ", low))}
        answer = content_units(reference)
        return cls(
            identity,
            low,
            bare_question(question),
            frozenset(units_of(low)),
            frozenset(word for written, word in words.items() if not has_digit(written)),
            frozenset(word for written, word in words.items() if not (has_digit(written) or is_common(written))),
            frozenset([each.readings for each in claimed_numbers(low)] + [each.readings for each in quantities(low)]),
            frozenset(map(str.lower, _names(plain))),
            frozenset(_LETTER.findall(plain[1:]))
            | (frozenset(_LETTER.findall(plain[:1])) if not plain.isascii() else frozenset()),
            frozenset(answer) if len(answer) <= _SHORT else frozenset(),
        )


def are_apart(one: AskedQuestion, other: AskedQuestion) -> bool:
    """Return whether something keeps two questions apart: a number, a name, the thing asked for, or their answers."""
    if one.bare == other.bare:
        return False
    return (
        one.letters != other.letters
        or _lacks(one, other)
        or _lacks(other, one)
        or _asks_for_another(one, other)
        or _answered_apart(one.answer, other.answer)
    )


def _answered_apart(answer: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two short answers have nothing in common, or other numbers: April 10, 2018 and May 1, 2018."""
    if not answer or not other:
        return False
    only, others_only = (any(map(has_digit, each)) for each in (answer - other, other - answer))
    return answer.isdisjoint(other) or (only and others_only)


def overlap(one: AskedQuestion, other: AskedQuestion) -> float:
    """Return the share of content that two questions have in common, 0 to 1; 0 if both have words of their own.

    Where only one has words of its own, and everyday ones, these count little: *the warranty period* is the warranty.
    Questions with the same short answer need less in common, and are raised above 0.85 if they have it.
    """
    if one.bare == other.bare:
        return 1.0
    added, others_added = _added(one, other), _added(other, one)
    share, letters = _dice(one.units, other.units), _dice(_grams(one.lowered), _grams(other.lowered))
    if one.answer and one.answer == other.answer and not (added & one.rare and others_added & other.rare):
        return _raised(max(share, letters))
    if (added and others_added) or (added | others_added) & (one.rare | other.rare):
        return 0.0
    return max(share, letters, _without(added | others_added, one, other))


def _raised(same: float) -> float:
    return SIMILAR + (1 - SIMILAR) * same if same >= _ANSWERED_ALIKE else same


def _without(added: frozenset[str], one: AskedQuestion, other: AskedQuestion) -> float:
    """Return the share of common words, where the added ones, all everyday words, count a little."""
    common = max(len(one.words), len(other.words)) - len(added)
    return 2 * common / (2 * common + _ADDED * len(added)) if common else 0.0


def _dice(first: frozenset[str], second: frozenset[str]) -> float:
    total = len(first) + len(second)
    return 2 * len(first & second) / total if total else 0.0


@lru_cache(50_000)
def _grams(lowered: str) -> frozenset[str]:
    return frozenset(grams_of(lowered))


def _names(plain: str) -> Iterable[str]:
    yield from latin_names(plain)
    yield from japanese_names(plain)
    yield from _CODE.findall(plain)
    yield from (first or second for first, second in _MARKED.findall(plain))


def _lacks(one: AskedQuestion, other: AskedQuestion) -> bool:
    """Return whether one has a number or a name that the other lacks."""
    known = frozenset().union(*other.numbers)
    if any(known.isdisjoint(readings) for readings in one.numbers):
        return True
    return any(name not in other.lowered for name in one.names)


def _added(one: AskedQuestion, other: AskedQuestion) -> frozenset[str]:
    """Return the words of one that the other has in no form."""
    return frozenset(word for word in one.words - other.words if not _has(word, other))


def _has(word: str, other: AskedQuestion) -> bool:
    if word.isascii():
        return any(known.startswith(word[:5]) and word.startswith(known[:5]) for known in other.words if len(word) > 4)
    pairs = [word[at : at + 2] for at in range(len(word) - 1)] or [word]
    return all(pair in other.lowered for pair in pairs)


def _asks_for_another(one: AskedQuestion, other: AskedQuestion) -> bool:
    """Return whether they ask for different things, or for the opposite."""
    forms, other_forms = ({name for name, form in _FORMS.items() if form.search(each.lowered)} for each in (one, other))
    if forms and other_forms and forms.isdisjoint(other_forms):
        return True
    if is_negated(one.lowered) != is_negated(other.lowered):
        return True
    return any(
        bool(first.search(one.lowered)) != bool(first.search(other.lowered))
        and bool(second.search(one.lowered)) != bool(second.search(other.lowered))
        for first, second in _OPPOSITES
    )
