"""Whether a metric decides as people do: agreement, kappa, F1, AUROC, balanced accuracy, and the confusion matrix.

People's verdict is the majority of 0 and 1; an evenly split item has no verdict. Grades become verdicts only by a
threshold that the user gives (`yes_from`). A metric's values of 0 and 1 are its decisions; other values are decided by
the same threshold on the same scale. On another scale the metric has no decisions, and only the AUROC is given. Grades
are also compared as grades, rounded to whole numbers: exact agreement and weighted kappa.
"""

import numpy as np

from saiten.choices import Unmeasured
from saiten.results.metric_figures import Confusion, Decisions, Grades, Scale
from saiten.stats.auroc import auroc, auroc_each
from saiten.stats.classification import (
    CategoryCounts,
    agreement,
    agreement_of,
    category_features,
    kinds_of,
    macro_f1,
    macro_f1_of,
)
from saiten.stats.clusters import Floats, Ints
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.trust.inputs.pairing import LabeledAspect, MetricColumn
from saiten.trust.inputs.scales import are_grades, grades, shared
from saiten.trust.meta_evaluation.figures import GRADES, of_verdicts
from saiten.words import Message

HALF = 0.5
NO_VALUE = Message("remark", "metric_without_value")
"""Reason for a metric without any value, which therefore has no scale."""


def as_verdicts(values: Floats, yes_from: float | None, *, verdicts: bool) -> Floats | None:
    """Return 1 and 0, NaN where people are split; None if the labels are grades and no threshold was given.

    Args:
        values: people's means.
        yes_from: the threshold.
        verdicts: whether every label is 0 or 1.
    """
    if yes_from is not None:
        return (values >= yes_from - 1e-12).astype(np.float64)
    if not verdicts:
        return None
    return np.where(np.abs(values - HALF) < 1e-12, np.nan, (values > HALF).astype(np.float64))


def decided(
    column: MetricColumn, metric: Scale, people: Scale, *, declared: bool, yes_from: float | None
) -> tuple[Floats, Message] | Message:
    """Return the metric's decisions (NaN where it has no value) with the rule, or the reason why it has none."""
    values = column.values[column.rows]
    if not len(values):
        return column.values, NO_VALUE
    if np.isin(values, (0, 1)).all():
        return column.values, Message("remark", "own_verdicts")
    apart = shared(metric, people, declared=declared)
    if apart:
        return Message("remark", "no_decision", apart=apart)
    threshold = HALF if yes_from is None else yes_from
    return np.where(np.isnan(column.values), np.nan, (column.values >= threshold - 1e-12).astype(np.float64)), Message(
        "remark", "yes_from", threshold=threshold
    )


def decisions(
    column: MetricColumn,
    truth: Floats,
    verdict: tuple[Floats, Message] | Message,
    resamples: Resamples,
    unmeasured: Unmeasured,
) -> Decisions:
    """Compute the figures with intervals by question; each is undefined if only one class occurs.

    Args:
        column: the metric's values.
        truth: from `as_verdicts`.
        verdict: from `decided`.
        resamples: over all items of the aspect.
        unmeasured: `wrong` and `worst` give the items without a value a decision; otherwise they are left out.
    """
    known = ~np.isnan(truth)
    split = int((~known).sum())
    ranked = _auroc(column, truth, resamples)
    if isinstance(verdict, Message):
        none = Estimate(None, 0, verdict)
        return Decisions(verdict, 0, split, 0, none, none, none, none, ranked, none, None)
    said, rule = verdict
    lacks = known & np.isnan(said)
    if unmeasured in ("wrong", "worst"):
        said = np.where(lacks, 1 - truth if unmeasured == "wrong" else 0.0, said)
    rows = np.flatnonzero(known & ~np.isnan(said))
    some = resamples.only(rows)
    figures = of_verdicts(truth[rows], said[rows], some)
    return Decisions(
        rule=rule,
        n=len(rows),
        split=split,
        filled=int(lacks.sum()) if unmeasured in ("wrong", "worst") else 0,
        auroc=ranked,
        confusion=confusion(truth[rows], said[rows]),
        **{name: some.interval(whole, drawn) for name, (whole, drawn) in figures.items()},
    )


def graded(
    column: MetricColumn, aspect: LabeledAspect, people: Scale, metric: Scale, *, declared: bool, resamples: Resamples
) -> Grades | None:
    """Return the comparison as grades, or None if either side has no grades or the scales differ."""
    if not are_grades(people, aspect.people) or shared(metric, people, declared=declared):
        return None
    rows = column.rows
    x, y = grades(column.values[rows]), grades(aspect.people[rows])
    if not len(rows):
        return None
    resamples, kinds = resamples.only(rows), kinds_of(x, y)
    counts = CategoryCounts.of_sums(resamples.sums(category_features(x, y, kinds)))
    linear, quadratic = (resamples.interval(whole(x, y), drawn(x, y, resamples)) for whole, drawn in GRADES.values())
    return Grades(
        len(rows),
        resamples.interval(agreement(x, y), agreement_of(counts)),
        linear,
        quadratic,
        resamples.interval(macro_f1(x, y), macro_f1_of(counts)),
        confusion(y, x),
    )


def confusion(people: Floats, metric: Floats) -> Confusion:
    """Return the confusion matrix over the values that occur."""
    values = np.unique(np.concatenate([people, metric]))
    cells = np.zeros((len(values), len(values)), dtype=np.int64)
    np.add.at(cells, (np.searchsorted(values, people), np.searchsorted(values, metric)), 1)
    return Confusion(tuple(values.tolist()), tuple(tuple(row) for row in cells.tolist()))


def _auroc(column: MetricColumn, truth: Floats, resamples: Resamples) -> Estimate:
    rows: Ints = np.flatnonzero(~np.isnan(truth) & ~np.isnan(column.values))
    y, x = truth[rows], column.values[rows]
    whole = auroc(y, x)
    if whole.value is None:
        return whole
    resamples = resamples.only(rows)
    return resamples.interval(whole, resamples.each(auroc_each(y, x)))
