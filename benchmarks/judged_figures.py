"""How a judge's scores are compared with people's labels: figures with intervals, and differences between judges."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

import saiten
from saiten.stats.classification import agreement, cohen_kappa
from saiten.stats.correlation import kendall, pearson
from saiten.stats.estimate import Estimate, Statistic, bootstrap_statistic

OFFLINE = "offline judge"
PEOPLE = "people among themselves"
CORRELATIONS: Mapping[str, Statistic] = {"Pearson": pearson, "Kendall": kendall}
DECISIONS: Mapping[str, Statistic] = {"agreement": agreement, "kappa": cohen_kappa}
Column = Sequence[float | None]
Scores = Mapping[tuple[str, str], saiten.Score]
"""(sample, metric) → score."""


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    data: str
    what: str
    by: str
    found: Estimate
    behind: Estimate | None = None
    """The first judge's figure minus this one, on the items for which both have a value."""


@dataclass(frozen=True)
class Run:
    """Samples to score with some metrics, in a folder of their own."""

    metrics: tuple[str, ...]
    samples: Sequence[Any]


@dataclass(frozen=True)
class Compared:
    """Labels of people, and how to read a judge's figures for the same items from its scores."""

    what: str
    statistics: Mapping[str, Statistic]
    truth: Sequence[float]
    questions: Sequence[Hashable]
    """The clusters to resample."""
    read: Callable[[Scores], Column]
    baselines: Mapping[str, Column] = field(default_factory=dict)
    people: Sequence[tuple[float, float, Hashable]] = ()
    """The others' label, one annotator's label, and the question."""

    def lines(self, data: str, judges: Mapping[str, Scores], offline: Scores) -> Iterator[Line]:
        """Compute the figures of all on the items for which every judge has a value."""
        read = {name: self.read(scores) for name, scores in judges.items()}
        scored = [at for at in range(len(self.truth)) if all(column[at] is not None for column in read.values())]
        first = next(iter(read.values()), None)
        for name, column in {**read, OFFLINE: self.read(offline), **self.baselines}.items():
            kept = [at for at in scored if column[at] is not None]
            for label, statistic in self.statistics.items() if kept else ():
                behind = (
                    None
                    if first is None or column is first
                    else self._estimate(_difference(statistic, first, column), kept)
                )
                found = self._estimate(_of(statistic, column), kept)
                yield Line(data, f"{self.what}, {label}", name, found, behind)
        if self.people:
            others, one, questions = zip(*self.people, strict=True)
            for label, statistic in self.statistics.items():
                found = bootstrap_statistic(statistic, others, one, questions)
                yield Line(data, f"{self.what}, {label}", PEOPLE, found)

    def _estimate(self, statistic: Statistic, kept: Sequence[int]) -> Estimate:
        return bootstrap_statistic(
            statistic, [self.truth[at] for at in kept], list(map(float, kept)), [self.questions[at] for at in kept]
        )


def _of(statistic: Statistic, column: Column) -> Statistic:
    """Return the statistic of the labels and, in place of the figures, their positions in the column."""
    figures = np.array([np.nan if each is None else each for each in column], dtype=np.float64)
    return lambda truth, at: statistic(truth, figures[at.astype(int)])


def _difference(statistic: Statistic, one: Column, other: Column) -> Statistic:
    """Return the statistic of one column minus that of the other."""
    first, second = _of(statistic, one), _of(statistic, other)

    def difference(truth: Any, at: Any) -> Estimate:
        a, b = first(truth, at).value, second(truth, at).value
        return Estimate(None, len(truth)) if a is None or b is None else Estimate(a - b, len(truth))

    return difference


@dataclass(frozen=True)
class Chosen:
    """A set: what to score, and what the scores are compared with."""

    run: Run
    compared: Sequence[Compared] = ()
    measured: Callable[[Mapping[str, Scores]], Iterator[Line]] | None = None
    """Figures of another kind, for judges by name."""


def values(ids: Sequence[str], metric: str, read: Callable[[saiten.Score], float | None]) -> Callable[[Scores], Column]:
    """Return a function that reads one figure per sample, None where there is no score."""
    return lambda scores: [None if (one := scores.get((each, metric))) is None else read(one) for each in ids]


def plain(score: saiten.Score) -> float | None:
    """Return the score's value, if it has one."""
    return score.value


def at_least_4(score: saiten.Score) -> float | None:
    """Return whether the grade is 4 or 5; an answer that declines is not correct."""
    return 0.0 if score.status == "declined" else None if score.value is None else float(score.value >= 4)


def against_others(grades: Sequence[float], question: Hashable) -> Iterator[tuple[float, float, Hashable]]:
    """Yield each annotator's grade with the mean of the others'."""
    for at, one in enumerate(grades):
        yield fmean([*grades[:at], *grades[at + 1 :]]), one, question
