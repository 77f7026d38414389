"""Placement: the sentences of a text that the statements made from it come from.

Statements are reworded (pronouns replaced, subjects added, list items merged), so they are found by the words and
characters that they share with a sentence. `alignment` finds units that were copied.
"""

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from saiten.records import Language
from saiten.text.sentences import split_sentences
from saiten.text.words import grams_of, normalize, units_of

_LEAST = 0.1
"""The smallest share of a statement that places it."""
_BACK = 0.25
"""What a step back in the text has to gain, since statements mostly follow the order of the text."""
_TIE = 0.1
"""The weight of the opposite share: of two sentences that contain a statement, the one that says less is better."""
_LEADING = 0.5
"""The factor for a sentence that ends in a colon: it introduces the next ones."""
_CONTAINED = 0.6
"""The share of a further sentence that a statement must contain to come from there, too."""
_ADDED = 0.5
"""The share of a further sentence that the statement must not have from the sentences before."""
_EVERYWHERE = 0.1
"""The part of a feature's weight that remains if all sentences, or all statements, have it."""
_COMMON = 64
"""Features of more sentences are ignored, so that time is linear in the length of the text."""
_CANDIDATES = 16
"""The best sentences of a statement; the others are not considered."""


class StatementPlace(NamedTuple):
    """A sentence that a statement comes from."""

    sentence: int
    """The index among the text's sentences, as `split_sentences` lists them."""
    start: int
    """The start in the text, in characters."""
    end: int
    """The end, exclusive."""


def place_statements(text: str, statements: Sequence[str], language: Language) -> list[tuple[StatementPlace, ...]]:
    """Return the sentences that each statement comes from, the best one first; () if none is found.

    The best sentences maximize the sum of the statements' shares that occur in them, where a step back in the text
    costs `_BACK`. Shares are those of content units and character n-grams. They weigh more the fewer sentences, and the
    fewer statements, have them: a subject repeated in every statement hardly counts. Further sentences follow if the
    statement contains them, too, for example several items of a list. A statement that shares nothing with any sentence
    is placed if the statements around it leave only one.
    """
    sentences = split_sentences(text, language)
    features = {text: _features(text) for text in {*(sentence.text for sentence in sentences), *statements}}
    shares = _shares([features[sentence.text] for sentence in sentences], [features[each] for each in statements])
    leading = frozenset(at for at, sentence in enumerate(sentences) if sentence.text.endswith((":", "：")))
    found = [shares.matches(statement, leading) for statement in shares.statements]
    best = _between(_path([_likely(matches) for matches in found]), len(sentences))
    return [
        ()
        if at is None
        else tuple(
            StatementPlace(each, sentences[each].start, sentences[each].end)
            for each in (at, *shares.further(statement, at, matches))
        )
        for at, statement, matches in zip(best, shares.statements, found, strict=True)
    ]


def _features(text: str) -> frozenset[str]:
    """Return the content units, marked, and the n-grams."""
    lowered = normalize(text).lower()
    features = grams_of(lowered)
    features.update(["=" + unit for unit in units_of(lowered)])
    return frozenset(features)


class _Match(NamedTuple):
    sentence: int
    gain: float
    """The share of the statement that the sentence has, and a little of the opposite share."""
    contained: float
    """The share of the sentence that the statement has."""


@dataclass(frozen=True, slots=True)
class _Shares:
    """Sentences and statements as sets of weighted features."""

    sentences: Sequence[AbstractSet[str]]
    statements: Sequence[AbstractSet[str]]
    weights: Mapping[str, float]
    """The weight of each feature of a statement."""
    having: Mapping[str, Sequence[int]]
    """The sentences that have a feature of a statement."""
    totals: Sequence[float]
    """The weights of the sentences."""

    def weigh(self, features: AbstractSet[str]) -> float:
        """Return the weight of features of a statement."""
        return math.fsum(map(self.weights.__getitem__, features))

    def matches(self, statement: AbstractSet[str], leading: AbstractSet[int]) -> list[_Match]:
        """Return the sentences that have enough of the statement, or are contained in it, in the order of the text."""
        shared: defaultdict[int, list[float]] = defaultdict(list)
        for feature in statement & self.having.keys():
            weight = self.weights[feature]
            for at in self.having[feature]:
                shared[at].append(weight)
        total = self.weigh(statement)
        matches = []
        for at, each in shared.items():
            weight = (_LEADING if at in leading else 1.0) * math.fsum(each)  # which is the same in any order
            contained = weight / self.totals[at]
            gain = weight / total + _TIE * contained
            if gain >= _LEAST or contained >= _CONTAINED:
                matches.append(_Match(at, gain, contained))
        return sorted(matches)

    def further(self, statement: AbstractSet[str], best: int, matches: Sequence[_Match]) -> list[int]:
        """Return the other sentences that the statement contains, if they add to those before."""
        covered, chosen = statement & self.sentences[best], []
        for match in sorted(matches, key=lambda match: (-match.contained, match.sentence)):
            added = (statement & self.sentences[match.sentence]) - covered
            contained = match.sentence != best and match.contained >= _CONTAINED
            if contained and self.weigh(added) >= _ADDED * self.totals[match.sentence]:
                chosen.append(match.sentence)
                covered |= added
        return chosen


def _shares(sentences: Sequence[AbstractSet[str]], statements: Sequence[AbstractSet[str]]) -> _Shares:
    saying, stating = (dict(Counter(chain.from_iterable(texts))) for texts in (sentences, statements))
    rarities = [[_rarity(times, len(texts)) for times in range(len(texts) + 1)] for texts in (sentences, statements)]
    in_sentences, in_statements = rarities
    weights = {
        feature: in_sentences[saying.get(feature, 0)] * in_statements[times] for feature, times in stating.items()
    }
    unstated = [rarity * in_statements[0] for rarity in in_sentences]
    having: dict[str, list[int]] = {}
    totals = []
    for at, features in enumerate(sentences):
        stated = features & weights.keys()
        for feature in stated:
            if feature in having:
                having[feature].append(at)
            else:
                having[feature] = [at]
        rest = map(unstated.__getitem__, map(saying.__getitem__, features - stated))
        totals.append(math.fsum(chain(map(weights.__getitem__, stated), rest)))
    if len(sentences) > _COMMON:
        having = {feature: places for feature, places in having.items() if len(places) <= _COMMON}
    return _Shares(sentences, statements, weights, having, totals)


def _rarity(having: int, of: int) -> float:
    return _EVERYWHERE + math.log(max(of, 1) / max(having, 1))


def _likely(matches: Sequence[_Match]) -> list[_Match]:
    """Return the sentences with enough of the statement, at most the best `_CANDIDATES`, in the order of the text."""
    likely = [match for match in matches if match.gain >= _LEAST]
    return sorted(sorted(likely, key=lambda match: (-match.gain, match.sentence))[:_CANDIDATES])


@dataclass(frozen=True, slots=True)
class _Step:
    """A statement at a sentence, with the steps before it."""

    statement: int
    sentence: int
    value: float
    before: "_Step | None"


def _path(found: Sequence[Sequence[_Match]]) -> list[int | None]:
    """Return each statement's sentence on the path of the highest value; None if it is not on the path.

    `ends` are the best paths so far by the sentence they end at; of those kept, the ones that end later are worth more.
    """
    ends: list[_Step] = []
    for number, matches in enumerate(found):
        steps = []
        for match in matches:
            at = bisect_right(ends, match.sentence, key=lambda step: step.sentence)
            before = ends[at - 1] if at else None
            if ends and ends[-1].value - _BACK > (before.value if before else 0.0):
                steps.append(_Step(number, match.sentence, ends[-1].value - _BACK + match.gain, ends[-1]))
            else:
                steps.append(_Step(number, match.sentence, (before.value if before else 0.0) + match.gain, before))
        for step in steps:
            at = bisect_right(ends, step.sentence, key=lambda each: each.sentence)
            if not at or ends[at - 1].value < step.value:
                worse = at
                while worse < len(ends) and ends[worse].value <= step.value:
                    worse += 1
                ends[at - (at > 0 and ends[at - 1].sentence == step.sentence) : worse] = [step]
    places: list[int | None] = [None] * len(found)
    last = ends[-1] if ends else None
    while last is not None:
        places[last.statement] = last.sentence
        last = last.before
    return places


def _between(places: Sequence[int | None], sentences: int) -> list[int | None]:
    """Place the others where the statements before and after them leave only one sentence."""
    filled = list(places)
    after: list[int] = []
    following = sentences - 1
    for place in reversed(places):
        after.append(following)
        following = following if place is None else place
    preceding = 0
    for at, (place, following) in enumerate(zip(places, reversed(after), strict=True)):
        if place is not None:
            preceding = place
        elif preceding == following:
            filled[at] = preceding
    return filled
