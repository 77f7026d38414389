"""Does a metric prefer the answers that people prefer: pairs of answers, labels from -2 to 2, above 0 for the second.

A metric's preference is its score of the second answer minus that of the first, or what it says of the pair itself; one
within the tie margin is a tie. People's verdict on a pair is the majority of the annotators' first, tie, second; where
no verdict has a majority over each other one, the pair counts as a tie. Correlations are over points, one a label: a
metric's difference is repeated for each annotator (Ru et al. 2024, *RAGChecker*, section 4.2).
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from saiten.choices import TIE_MARGIN, Unmeasured
from saiten.stats.classification import (
    CategoryCounts,
    agreement,
    agreement_of,
    category_features,
    cohen_kappa,
    kappa_of,
    macro_f1,
    macro_f1_of,
)
from saiten.stats.clusters import Floats, Ints
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.trust.meta_evaluation.decisions import Confusion, confusion
from saiten.trust.meta_evaluation.items import ItemLevel, item_level
from saiten.trust.meta_evaluation.orders import Orders, orders
from saiten.trust.meta_evaluation.pairing import LabelledAspect, MetricColumn

KINDS = (-1.0, 0.0, 1.0)
_NO_PREFERENCE = 2.0
"""Stands for a metric without a value where that counts as wrong; equal to nothing that people say."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """How a metric prefers beside people."""

    n: int
    """Pairs with both."""
    filled: int
    """Pairs without a value that were counted by the rule for the unmeasured."""
    points: ItemLevel
    """Over points, one a label."""
    accuracy: Estimate
    """Three-way: first, tie, second."""
    kappa: Estimate
    macro_f1: Estimate
    """The mean of the F1 of first, tie and second, of those that either side ever says."""
    right: int
    """Of the pairs on which people prefer one answer: the metric prefers the same."""
    tied: int
    """… ties them, or has no value where that counts as wrong."""
    wrong: int
    """… prefers the other."""
    confusion: Confusion
    orders: Orders | None = None
    """None where no pair was judged in both orders."""


def signs(values: Floats, margin: float) -> Floats:
    """1 for the second answer, -1 for the first, 0 within the margin; NaN stays."""
    return np.where(np.isnan(values), np.nan, np.where(np.abs(values) <= margin, 0.0, np.sign(values)))


def majority(aspect: LabelledAspect) -> Floats:
    """People's verdict on each pair: what is adjudicated, else what most annotators say, else a tie."""
    rows, _, values = aspect.given
    votes = np.stack(
        [np.bincount(rows[np.sign(values) == kind], minlength=len(aspect.items)) for kind in KINDS], axis=1
    )
    return np.where(aspect.settled | (votes.max(axis=1) == 0), np.sign(aspect.people), most_said(votes))


def most_said(votes: Ints) -> Floats:
    """The kind with most of the votes (pairs x kinds); a tie where several have as many."""
    clear = (votes == votes.max(axis=1)[:, None]).sum(axis=1) == 1
    return np.where(clear, np.array(KINDS)[votes.argmax(axis=1)], 0.0)


def filled(values: Floats, unmeasured: Unmeasured) -> Floats:
    """Signs with what the rule says for the pairs without one."""
    fill = {"left-out": np.nan, "tie": 0.0, "wrong": _NO_PREFERENCE, "worst": _NO_PREFERENCE}[unmeasured]
    return np.where(np.isnan(values), fill, values)


def preferences(
    column: MetricColumn,
    aspect: LabelledAspect,
    resamples: Resamples,
    *,
    margin: float = TIE_MARGIN,
    unmeasured: Unmeasured,
) -> Preferences:
    """The figures with intervals by question."""
    said = filled(signs(column.values, margin), unmeasured)
    truth = majority(aspect)
    rows = np.flatnonzero(~np.isnan(said))
    x, y = said[rows], truth[rows]
    drawn = resamples.only(rows)
    kinds = np.array([*KINDS, _NO_PREFERENCE])
    every, preferred = (
        CategoryCounts.of_sums(drawn.sums(category_features(x, y, some))) for some in (kinds, kinds[:-1])
    )
    wins = y != 0
    point_rows, labels = points(aspect)
    measured = np.flatnonzero(~np.isnan(column.values[point_rows]))
    at = point_rows[measured]
    return Preferences(
        n=len(rows),
        filled=int((np.isnan(column.values) & ~np.isnan(said)).sum()),
        points=item_level(column.values[at], labels[measured], resamples.only(at)),
        accuracy=drawn.interval(agreement(x, y), agreement_of(every)),
        kappa=drawn.interval(cohen_kappa(x, y), kappa_of(every)),
        macro_f1=drawn.interval(macro_f1(x, y, kinds[:-1]), macro_f1_of(preferred)),
        right=int((wins & (x == y)).sum()),
        tied=int((wins & ((x == 0) | (x == _NO_PREFERENCE))).sum()),
        wrong=int((wins & (x == -y)).sum()),
        confusion=confusion(y, x),
        orders=orders(column.orders, truth, resamples, partial(signs, margin=margin)),
    )


def points(aspect: LabelledAspect) -> tuple[Ints, Floats]:
    """Which pair, and the label, for every point; the settled values alone where there are no raw ones."""
    rows, _, values = aspect.given
    if len(rows):
        return rows, values
    return np.arange(len(aspect.items)), aspect.people
