"""Preferred is not good: how often people preferred a system's answers, and how often they gave them the top grade.

In the paper ChatGPT's answers were preferred in 83 % of the cases, yet only 54.4 % of them had the top grade (spec 06).
A case is a question: its pick is the adjudicated one, otherwise the one with the most votes. An annotator who ties
answers shares the vote among them, and a majority is not needed.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from saiten.data.labels import deciding
from saiten.records import Label
from saiten.results.place import Place
from saiten.trust.inputs.outputs import VERSUS
from saiten.trust.inputs.pairing import halves
from saiten.trust.inputs.picks import AnswerPair, Pick, picks

_ROUNDING = 1e-9
"""Tolerance: thirds of a vote do not add up to exactly 1."""


@dataclass(frozen=True, slots=True)
class Preferred:
    """Preferences and top grades of one system."""

    system: str
    questions: int
    """Questions in which an answer of this system was compared with one of another."""
    preferred: float
    """The share of these questions in which its answer is the pick."""
    tied: float
    """The share of these questions without a single pick in which its answer is among those with most votes."""
    comparisons: int
    """Annotators' preferences between an answer of this system and one of another, adjudicated labels excluded."""
    answers: int
    """Its answers that people graded."""
    top: float | None
    """The mean, over these answers, of the share of people's grades that are the top one; None if none was graded."""
    top_of_preferred: float | None
    """The same over the answers that are picks; None if none of those was graded."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One question: the systems compared, and those with most votes; each annotator has one vote to share."""

    systems: frozenset[str]
    best: frozenset[str]
    answers: tuple[str, ...]
    """Answers of the best systems, the most picked first."""


def preferred_and_top(
    labels: Iterable[Label], items: Mapping[str, Place], *, overall: str, best: float
) -> tuple[Preferred, ...]:
    """Return a row per system that was compared, the most preferred first; empty without preferences.

    Args:
        labels: preferences between two answers (item `A vs B`), and grades of single answers.
        items: by sample id.
        overall: the aspect of the grades.
        best: its top grade.
    """
    said = list(labels)
    pairs = {item: pair for item in {label.item for label in said} if (pair := _pair(item, items)) is not None}
    grades = [label for label in said if label.item not in pairs and label.aspect == overall and label.item in items]
    shares = {item: fmean(float(value == best) for value in each) for item, each in _grades(grades).items()}
    outcomes = _outcomes(picks(said, pairs), pairs, items)
    compared = Counter(
        items[half].system
        for label in said
        if label.item in pairs and not label.adjudicated
        for half in (pairs[label.item].first, pairs[label.item].second)
    )
    systems = sorted({system for outcome in outcomes for system in outcome.systems})
    rows = [_row(system, outcomes, compared[system], shares, items) for system in systems]
    return tuple(sorted(rows, key=lambda row: -row.preferred))


def _pair(item: str, items: Mapping[str, Place]) -> AnswerPair | None:
    """Return the pair if its answers are of different systems."""
    two = halves(item, items) if VERSUS in item else None
    if two is None:
        return None
    first, second = (items[half] for half in two)
    if first.system is None or second.system is None or first.system == second.system:
        return None
    return AnswerPair(first.question, *two)


def _grades(labels: Iterable[Label]) -> dict[str, list[float]]:
    """Return the grades by item: the adjudicated ones if there are any, otherwise each annotator's last."""
    last = {(one.item, one.adjudicated, one.annotator or number): one for number, one in enumerate(labels)}
    return {item: [label.value for label in each] for item, each in deciding(last.values()).items()}


def _outcomes(found: Iterable[Pick], pairs: Mapping[str, AnswerPair], items: Mapping[str, Place]) -> list[_Outcome]:
    """Return one outcome per question in which answers were compared, cyclic preferences included."""
    compared: dict[Hashable, set[str]] = {}
    for pair in pairs.values():
        compared.setdefault(pair.question, set()).update((pair.first, pair.second))
    by_question: dict[Hashable, list[Pick]] = {}
    for pick in found:
        by_question.setdefault(pick.question, []).append(pick)
    return [_outcome(answers, by_question.get(question, ()), items) for question, answers in compared.items()]


def _outcome(compared: Iterable[str], found: Sequence[Pick], items: Mapping[str, Place]) -> _Outcome:
    system_of = {answer: items[answer].system or "" for answer in compared}
    votes: defaultdict[str, float] = defaultdict(float)
    answers: Counter[str] = Counter()
    for pick in [pick for pick in found if pick.adjudicated] or found:
        systems = {system_of[answer] for answer in pick.answers}
        for system in systems:
            votes[system] += 1 / len(systems)
        answers.update(pick.answers)
    most = max(votes.values(), default=0.0)
    best = frozenset(system for system, n in votes.items() if n > most - _ROUNDING)
    favorites = tuple(answer for answer, _ in answers.most_common() if system_of[answer] in best)
    return _Outcome(frozenset(system_of.values()), best, favorites)


def _row(
    system: str,
    outcomes: Sequence[_Outcome],
    comparisons: int,
    shares: Mapping[str, float],
    items: Mapping[str, Place],
) -> Preferred:
    own = [share for item, share in shares.items() if items[item].system == system]
    of = [outcome for outcome in outcomes if system in outcome.systems]
    won = [outcome for outcome in of if outcome.best == {system}]
    winners = [shares[outcome.answers[0]] for outcome in won if outcome.answers[0] in shares]
    tied = fmean(float(system in outcome.best and len(outcome.best) > 1) for outcome in of)
    top, top_of_preferred = (fmean(each) if each else None for each in (own, winners))
    return Preferred(system, len(of), len(won) / len(of), tied, comparisons, len(own), top, top_of_preferred)
