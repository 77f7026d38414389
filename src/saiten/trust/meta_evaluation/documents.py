"""Question by question: correlations over the answers to one (summary level), and which of two systems wins more often.

Both compare answers to the same question only, so a question that is easy for everybody changes nothing. Sources:
Bhandari et al. 2020, *Re-evaluating Evaluation in Text Summarization*, for summary-level correlations; Peyrard, Zhao,
Eger and West 2021, *Better than Average: Paired Evaluation of NLP Systems*, for pairs of systems by wins.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saiten.stats.clusters import Floats, Ints
from saiten.stats.correlation import apart, correlations_by_row
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.trust.meta_evaluation.system_pairs import FEWEST, Ordered, few, ordered


@dataclass(frozen=True, slots=True)
class QuestionLevel:
    """The mean over questions of the correlation over the answers to each; `n` counts the questions that have one."""

    questions: int
    """With an answer that has both values."""
    pearson: Estimate
    spearman: Estimate
    kendall: Estimate


def question_level(metric: Floats, people: Floats, resamples: Resamples) -> QuestionLevel:
    """The means, questions resampled; a question with fewer than three answers, or equal values, has no correlation."""
    found = np.full((resamples.clusters, 3), np.nan)
    for questions, rows in _by_size(resamples.groups):
        found[questions] = correlations_by_row(metric[rows], people[rows])
    figures = [_mean(column, resamples) for column in found.T]
    return QuestionLevel(resamples.clusters, *figures)


def _by_size(groups: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Questions with equally many answers, and the rows of these (questions x answers)."""
    order = np.argsort(groups, kind="stable")
    numbers, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    for size in np.unique(sizes[sizes >= FEWEST]).tolist():
        chosen = sizes == size
        yield numbers[chosen], order[starts[chosen][:, None] + np.arange(size)]


def _mean(values: Floats, resamples: Resamples) -> Estimate:
    if not np.isfinite(values).any():
        return Estimate(None, 0, f"no question has {FEWEST} answers with both values that differ")
    return replace(resamples, groups=np.arange(len(values)), clusters=len(values)).mean(values)


def wins(
    metric: Floats,
    people: Floats,
    systems: Sequence[str | None],
    resamples: Resamples,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    lacking: str = "",
) -> Ordered:
    """Pairs of systems ordered alike, where a system is above another if it wins more questions against it.

    On a question that both systems answered, the system with the higher value wins, and equal values are half a win for
    each. A system is above another if its share of wins exceeds one half, and tied with it at one half exactly. Several
    answers of a system to a question count by their mean. Pairs without a common question are left out and counted.
    `lacking`: why the metric has values of fewer systems than there are.
    """
    rows = np.array([i for i, system in enumerate(systems) if system is not None], dtype=np.int64)
    names, of = np.unique([str(systems[i]) for i in rows], return_inverse=True)
    if reason := few(len(names), lacking):
        return Ordered.none(reason)
    questions = resamples.clusters
    at = resamples.groups[rows] * len(names) + of
    sizes = np.bincount(at, minlength=questions * len(names))
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (
            (np.bincount(at, side[rows], minlength=len(sizes)) / sizes).reshape(questions, -1)
            for side in (metric, people)
        )
    by_question = replace(resamples, groups=np.arange(questions))

    def signs(first: Ints, second: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        a, b = apart(x[:, first], x[:, second]), apart(y[:, first], y[:, second])
        met = np.isfinite(a)
        a, b = np.where(met, a, 0.0), np.where(met, b, 0.0)
        some = np.flatnonzero(met.any(axis=0))
        a, b = a[:, some], b[:, some]
        drawn = np.sign(by_question.sums(np.concatenate([a, b], axis=1)))
        return np.sign(a.sum(axis=0)), np.sign(b.sum(axis=0)), drawn[:, : len(some)], drawn[:, len(some) :]

    return ordered(names.tolist(), signs, by_question, pairs=pairs)
