"""Preferred is not good: how often people preferred a system's answers, beside how often they gave them the top grade.

In the paper ChatGPT's answers were preferred in 83 % of the cases, yet only 54.4 % of them had the top grade (spec 06).
A case is a question: the pick that settles it is the third decision's, else the one that most annotators made.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from saiten.records import Label
from saiten.trust.inputs.outputs import VERSUS, SampleInfo
from saiten.trust.inputs.pairing import halves
from saiten.trust.inputs.picks import AnswerPair, Pick, picks

_ROUNDING = 1e-9
"""Thirds of a vote do not add up to 1."""


@dataclass(frozen=True, slots=True)
class Preferred:
    """One system."""

    system: str
    questions: int
    """Those in which an answer of this system was compared with one of another."""
    preferred: float
    """The share of them in which its answer is the pick."""
    tied: float
    """The share of them without a single pick in which its answer is among those with most votes."""
    comparisons: int
    """Preferences of annotators between an answer of this system and one of another; third decisions are not among
    them."""
    answers: int
    """Its answers that people graded."""
    top: float | None
    """The share of them with the top grade, each person's grade counting alike; None where none was graded."""
    top_of_preferred: float | None
    """The same over the answers that are picks; None where none of those was graded."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One question: the systems that were compared, and those with most votes; an annotator has one vote to share."""

    systems: frozenset[str]
    best: frozenset[str]
    answers: tuple[str, ...]
    """Of the best systems, the most picked first."""


def preferred_and_top(
    labels: Iterable[Label], items: Mapping[str, SampleInfo], *, overall: str, best: float
) -> tuple[Preferred, ...]:
    """A row for each system that was compared, the most preferred first; empty without preferences.

    Args:
        labels: preferences between two answers (item `A vs B`), and grades of single answers.
        items: by sample id.
        overall: the aspect whose grades are meant.
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


def _pair(item: str, items: Mapping[str, SampleInfo]) -> AnswerPair | None:
    """Two answers of different systems."""
    two = halves(item, items) if VERSUS in item else None
    if two is None:
        return None
    first, second = (items[half] for half in two)
    if first.system is None or second.system is None or first.system == second.system:
        return None
    return AnswerPair(first.question, *two)


def _grades(labels: Iterable[Label]) -> dict[str, list[float]]:
    """By item what counts: the third decisions where there are some, else what each annotator said last."""
    last: dict[tuple[str, bool, str | int], float] = {}
    for number, label in enumerate(labels):
        last[label.item, label.adjudicated, label.annotator or number] = label.value
    settled = {item for item, adjudicated, _ in last if adjudicated}
    found: dict[str, list[float]] = {}
    for (item, adjudicated, _), value in last.items():
        if adjudicated == (item in settled):
            found.setdefault(item, []).append(value)
    return found


def _outcomes(
    found: Iterable[Pick], pairs: Mapping[str, AnswerPair], items: Mapping[str, SampleInfo]
) -> list[_Outcome]:
    """One for each question in which answers were compared, circles included."""
    compared: dict[Hashable, set[str]] = {}
    for pair in pairs.values():
        compared.setdefault(pair.question, set()).update((pair.first, pair.second))
    by_question: dict[Hashable, list[Pick]] = {}
    for pick in found:
        by_question.setdefault(pick.question, []).append(pick)
    return [_outcome(answers, by_question.get(question, ()), items) for question, answers in compared.items()]


def _outcome(compared: Iterable[str], found: Sequence[Pick], items: Mapping[str, SampleInfo]) -> _Outcome:
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
    favourites = tuple(answer for answer, _ in answers.most_common() if system_of[answer] in best)
    return _Outcome(frozenset(system_of.values()), best, favourites)


def _row(
    system: str,
    outcomes: Sequence[_Outcome],
    comparisons: int,
    shares: Mapping[str, float],
    items: Mapping[str, SampleInfo],
) -> Preferred:
    own = [share for item, share in shares.items() if items[item].system == system]
    of = [outcome for outcome in outcomes if system in outcome.systems]
    won = [outcome for outcome in of if outcome.best == {system}]
    winners = [shares[outcome.answers[0]] for outcome in won if outcome.answers[0] in shares]
    return Preferred(
        system,
        len(of),
        len(won) / len(of),
        fmean(float(system in outcome.best and len(outcome.best) > 1) for outcome in of),
        comparisons,
        len(own),
        fmean(own) if own else None,
        fmean(winners) if winners else None,
    )
