"""Preferred is not good: how often people preferred a system's answers, beside how often they gave them the top grade.

In the paper ChatGPT's answers were preferred in 83 % of the cases, yet only 54.4 % of them had the top grade (spec 06).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from saiten.meta_evaluation.outputs import Item
from saiten.meta_evaluation.pairing import VERSUS, halves
from saiten.records import Label


@dataclass(frozen=True, slots=True)
class Preferred:
    """One system."""

    system: str
    comparisons: int
    """Preferences, one a person, between an answer of this system and one of another."""
    preferred: float
    """The share of them that it won."""
    tied: float
    """The share of them that nobody won."""
    answers: int
    """Its answers that people graded."""
    top: float | None
    """The share of them with the top grade, each person's grade counting alike; None where none was graded."""
    top_of_preferred: float | None
    """The same over the answers that won, each as often as it did; None where none of those was graded."""


def preferred_and_top(
    labels: Iterable[Label], items: Mapping[str, Item], *, overall: str, best: float
) -> tuple[Preferred, ...]:
    """A row for each system that was compared, the most preferred first; empty without preferences.

    Args:
        labels: preferences between two answers (item `A vs B`), and grades of single answers.
        items: by sample id.
        overall: the aspect whose grades are meant.
        best: its top grade.
    """
    outcomes: dict[str, list[tuple[str, float]]] = {}
    tops: dict[str, list[float]] = {}
    for label in labels:
        two = halves(label.item, items) if VERSUS in label.item else None
        if two is not None:
            _note(outcomes, two, items, label.value)
        elif label.aspect == overall and label.item in items:
            tops.setdefault(label.item, []).append(float(label.value == best))
    shares = {item: fmean(each) for item, each in tops.items()}
    rows = [_row(system, of, shares, items) for system, of in sorted(outcomes.items())]
    return tuple(sorted(rows, key=lambda row: -row.preferred))


def _note(
    outcomes: dict[str, list[tuple[str, float]]], two: tuple[str, str], items: Mapping[str, Item], value: float
) -> None:
    """1 for the winner, 0 for the loser, 0.5 for both of a tie."""
    first, second = (items[half].system for half in two)
    if first is None or second is None or first == second:
        return
    won = 0.5 if value == 0 else float(value > 0)
    outcomes.setdefault(first, []).append((two[0], 1 - won))
    outcomes.setdefault(second, []).append((two[1], won))


def _row(
    system: str, outcomes: Sequence[tuple[str, float]], shares: Mapping[str, float], items: Mapping[str, Item]
) -> Preferred:
    own = [share for item, share in shares.items() if items[item].system == system]
    winners = [shares[item] for item, won in outcomes if won == 1 and item in shares]
    return Preferred(
        system,
        len(outcomes),
        fmean(float(won == 1) for _, won in outcomes),
        fmean(float(won == 0.5) for _, won in outcomes),
        len(own),
        fmean(own) if own else None,
        fmean(winners) if winners else None,
    )
