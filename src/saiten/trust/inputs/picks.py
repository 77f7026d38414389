"""Each annotator's preferred answer per question: the pairs of one ranking make one pick.

An annotator's pick is the answer that loses none of that annotator's comparisons. Several such answers share it: they
are tied, or were never compared with each other. Cyclic preferences make no pick. Adjudicated labels on all pairs of a
question are a separate pick; adjudicated labels on only some pairs replace each annotator's comparisons of those.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from saiten.records import Label
from saiten.results.agreement import Unanimity
from saiten.trust.inputs.outputs import VERSUS
from saiten.trust.inputs.pairing import halves

ASPECT = "preference"
"""The aspect of preferences labeled on the annotation page."""
GOOD = "good"
"""The aspect of labels of single answers there: 0 for all if none is good, else 1 for the best."""


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two answers to one question."""

    question: Hashable
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Pick:
    """A pick by an annotator, an adjudicator, or an annotator with some comparisons adjudicated."""

    question: Hashable
    annotator: str
    adjudicated: bool
    answers: frozenset[str]
    """Never empty."""


def pairs_of(labels: Iterable[Label], questions: Mapping[str, str]) -> dict[str, AnswerPair]:
    """Return the pairs of answers among the labeled items of one aspect; empty if the labels are not preferences.

    Answers to unknown questions share a question if pairs connect them: `a vs b` and `b vs c`. Such items are pairs
    only if all items of the aspect look like pairs, and the aspect is `preference` or has values below 0.

    Args:
        labels: labels of one aspect.
        questions: answer → question, for known questions.
    """
    said = list(labels)
    items = dict.fromkeys(label.item for label in said)
    found = {item: AnswerPair(questions[two[0]], *two) for item in items if (two := halves(item, questions))}
    others = [item for item in items if item not in found]
    if not all(VERSUS in item for item in others) or any(item in questions for item in others):
        return found
    if not any(label.value < 0 or label.aspect == ASPECT for label in said):
        return found
    return found | _joined({item: cut for item in others if len(cut := item.split(VERSUS)) == 2})


def picks(labels: Iterable[Label], pairs: Mapping[str, AnswerPair]) -> Iterator[Pick]:
    """Yield each annotator's pick per question, and the adjudicated picks if there are adjudicated labels.

    An annotator's last label on two answers counts. Labels without a name count as from as many annotators as there are
    labels on the same two answers.
    """
    unnamed: Counter[tuple[str, bool]] = Counter()
    own: dict[Hashable, _Said] = {}
    third: dict[Hashable, _Said] = {}
    for label in labels:
        pair = pairs.get(label.item)
        if pair is None:
            continue
        unnamed[label.item, label.adjudicated] += not label.annotator
        who = label.annotator or unnamed[label.item, label.adjudicated]
        of = (third if label.adjudicated else own).setdefault(pair.question, {}).setdefault(who, {})
        of[frozenset({pair.first, pair.second})] = (pair, label.value)
    for question in dict.fromkeys([*own, *third]):
        yield from _picked(question, own.get(question, {}), adjudicated=False)
        yield from _picked(question, _settled(own.get(question, {}), third.get(question, {})), adjudicated=True)


def unanimity(found: Iterable[Pick]) -> tuple[Unanimity, ...]:
    """Count how many annotators make the same pick, over questions with at least two annotators, without adjudication.

    Picks are equal if they name the same answers, so that two annotators who tie the same answers agree.
    """
    by_question: dict[Hashable, Counter[frozenset[str]]] = {}
    for pick in found:
        if not pick.adjudicated:
            by_question.setdefault(pick.question, Counter())[pick.answers] += 1
    counts = Counter((of.total(), max(of.values())) for of in by_question.values())
    sizes = sorted({annotators for annotators, _ in counts if annotators > 1})
    return tuple(Unanimity(n, {same: counts[n, same] for same in range(n, 0, -1)}) for n in sizes)


_Said = dict[str | int, dict[frozenset[str], tuple[AnswerPair, float]]]
"""Annotator → the two answers → the pair and its value."""


def _picked(question: Hashable, said: _Said, *, adjudicated: bool) -> Iterator[Pick]:
    for who, compared in said.items():
        best = _unbeaten(compared.values())
        if best:
            yield Pick(question, who if isinstance(who, str) else "", adjudicated, best)


def _settled(own: _Said, third: _Said) -> _Said:
    """Return adjudicated labels if they cover all pairs, otherwise each annotator's with those replaced."""
    decided = {two: said for compared in third.values() for two, said in compared.items()}
    if not decided or all(compared.keys() <= decided.keys() for compared in own.values()):
        return third
    return {who: compared | decided for who, compared in own.items()}


def _unbeaten(compared: Iterable[tuple[AnswerPair, float]]) -> frozenset[str]:
    answers: set[str] = set()
    beaten: set[str] = set()
    for pair, value in compared:
        answers |= {pair.first, pair.second}
        if value:
            beaten.add(pair.first if value > 0 else pair.second)
    return frozenset(answers - beaten)


def _joined(halves_of: Mapping[str, list[str]]) -> dict[str, AnswerPair]:
    """Return the pairs, with the first of the connected answers as the question."""
    leader: dict[str, str] = {}

    def first_of(answer: str) -> str:
        while (above := leader.setdefault(answer, answer)) != answer:
            leader[answer] = leader[above]
            answer = above
        return answer

    for one, other in halves_of.values():
        leader[first_of(other)] = first_of(one)
    # Tagged, so that an answer's id is never mistaken for a question's text.
    return {item: AnswerPair(("answers with", first_of(one)), one, other) for item, (one, other) in halves_of.items()}
