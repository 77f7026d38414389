"""The answer that each annotator prefers, question by question: the pairs of one ranking make one pick.

An annotator's pick is the answer that loses none of their comparisons. Several such answers share it: they are tied, or
were never compared with each other. Preferences that go in a circle leave no pick. A third decision on all pairs of a
question is a pick apart; one on some of them takes their place in each annotator's comparisons.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from saiten.records import Label
from saiten.results.agreement import Unanimity
from saiten.trust.inputs.outputs import VERSUS
from saiten.trust.inputs.pairing import halves

ASPECT = "preference"
"""The aspect under which the annotation page writes preferences."""


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two answers to one question."""

    question: Hashable
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Pick:
    """One annotator's, one third decision's, or one annotator's with what a third decision settled."""

    question: Hashable
    annotator: str
    adjudicated: bool
    answers: frozenset[str]
    """Never empty."""


def pairs_of(labels: Iterable[Label], questions: Mapping[str, str]) -> dict[str, AnswerPair]:
    """The pairs of answers among the labelled items of one aspect; none where the labels are no preferences.

    Answers of unknown questions are those of one question where pairs join them: `a vs b` and `b vs c`. Such items are
    pairs only if all of the aspect look like it, and it is `preference` or has values below 0.

    Args:
        labels: of one aspect.
        questions: answer → question, of those that are known.
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
    """Each annotator's pick of each question, and the settled ones where there are third decisions.

    The last label of an annotator on two answers counts. Labels without a name are of as many annotators as there are
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
    """How many annotators pick the same, over the questions with two annotators or more; third decisions are no one's.

    Picks are the same if they name the same answers, so that two who tie the same answers agree.
    """
    by_question: dict[Hashable, Counter[frozenset[str]]] = {}
    for pick in found:
        if not pick.adjudicated:
            by_question.setdefault(pick.question, Counter())[pick.answers] += 1
    counts = Counter((of.total(), max(of.values())) for of in by_question.values())
    sizes = sorted({annotators for annotators, _ in counts if annotators > 1})
    return tuple(Unanimity(n, {same: counts[n, same] for same in range(n, 0, -1)}) for n in sizes)


_Said = dict[str | int, dict[frozenset[str], tuple[AnswerPair, float]]]
"""Annotator → the two answers → what was said of them."""


def _picked(question: Hashable, said: _Said, *, adjudicated: bool) -> Iterator[Pick]:
    for who, compared in said.items():
        best = _unbeaten(compared.values())
        if best:
            yield Pick(question, who if isinstance(who, str) else "", adjudicated, best)


def _settled(own: _Said, third: _Said) -> _Said:
    """The third decisions where they are on all pairs; else each annotator's comparisons with theirs in their place."""
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
    """The pairs with the first answer of those that they are joined with as the question."""
    leader: dict[str, str] = {}

    def first_of(answer: str) -> str:
        while (above := leader.setdefault(answer, answer)) != answer:
            leader[answer] = leader[above]
            answer = above
        return answer

    for one, other in halves_of.values():
        leader[first_of(other)] = first_of(one)
    # Marked, so that an answer's id is never taken for a question that is known by its text.
    return {item: AnswerPair(("answers with", first_of(one)), one, other) for item, (one, other) in halves_of.items()}
