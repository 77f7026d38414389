"""Whether a metric ranks answers as people do: Pearson, Spearman and Kendall's tau-b, each with its interval.

Over all items (item level), and over the answers to each question (summary level; Bhandari et al. 2020, *Re-evaluating
Evaluation in Text Summarization*), where a question that is easy for all systems has no effect.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from saiten.results.metric_figures import ItemLevel, QuestionLevel
from saiten.stats.clusters import Floats, Ints
from saiten.stats.correlation import (
    correlations_by_row,
    kendall,
    kendall_each,
    moments,
    pearson,
    pearson_of,
    spearman,
    spearman_each,
)
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.trust.meta_evaluation.systems import FEWEST
from saiten.words import Message


def item_level(metric: Floats, people: Floats, resamples: Resamples) -> ItemLevel:
    """Compute the correlations, resampled by question; undefined for constant columns and fewer than three items."""
    linear, ranked, pairs = pearson(metric, people), spearman(metric, people), kendall(metric, people)
    if linear.value is None:
        return ItemLevel(linear, ranked, pairs)
    return ItemLevel(
        resamples.interval(linear, pearson_of(resamples.sums(moments(metric, people)))),
        resamples.interval(ranked, resamples.each(spearman_each(metric, people))),
        resamples.interval(pairs, resamples.each(kendall_each(metric, people))),
    )


def question_level(metric: Floats, people: Floats, resamples: Resamples) -> QuestionLevel:
    """Compute mean correlations, resampling questions; fewer than three answers or equal values give none."""
    found = np.full((resamples.clusters, 3), np.nan)
    for questions, rows in _by_size(resamples.groups):
        found[questions] = correlations_by_row(metric[rows], people[rows])
    figures = [_mean(column, resamples) for column in found.T]
    return QuestionLevel(resamples.clusters, *figures)


def _by_size(groups: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield the questions that have equally many answers, with their rows (questions x answers)."""
    order = np.argsort(groups, kind="stable")
    numbers, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    for size in np.unique(sizes[sizes >= FEWEST]).tolist():
        chosen = sizes == size
        yield numbers[chosen], order[starts[chosen][:, None] + np.arange(size)]


def _mean(values: Floats, resamples: Resamples) -> Estimate:
    if not np.isfinite(values).any():
        return Estimate(None, 0, Message("remark", "no_differing_answers", n=FEWEST))
    return replace(resamples, groups=np.arange(len(values)), clusters=len(values)).mean(values)
