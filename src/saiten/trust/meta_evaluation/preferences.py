"""Whether a metric prefers the answers that people prefer, on labels from -2 to 2, above 0 for the second answer.

A metric's preference is its score of the second answer minus that of the first, or its output on the pair itself; a
preference within the tie margin is a tie. People's verdict on a pair is the most frequent of the annotators' first, tie
and second; if no verdict is the most frequent, the pair counts as a tie. Correlations are over points, one per label: a
metric's difference is repeated for each annotator (Ru et al. 2024, *RAGChecker*, section 4.2).

For pairs judged in both orders: the share of consistent ones, the mean accuracy of the two orders (as in Zeng et al.
2024, *Evaluating Large Language Models at Evaluating Instruction Following*, LLMBar), and the share of verdicts for the
answer shown first.
"""

import numpy as np

from saiten.choices import Unmeasured
from saiten.results.preferences import Orders, Preferences
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
from saiten.stats.resampling import Resamples
from saiten.trust.inputs.pairing import LabeledAspect, MetricColumn
from saiten.trust.meta_evaluation.decisions import confusion
from saiten.trust.meta_evaluation.figures import KINDS
from saiten.trust.meta_evaluation.levels import item_level

_NO_PREFERENCE = 2.0
"""Represents a metric without a value where that counts as wrong; different from every human label."""


def signs(values: Floats, margin: float) -> Floats:
    """Return 1 for the second answer, -1 for the first, 0 within the margin; NaN stays NaN."""
    return np.where(np.isnan(values), np.nan, np.where(np.abs(values) <= margin, 0.0, np.sign(values)))


def majority(aspect: LabeledAspect) -> Floats:
    """Return people's verdict on each pair: the adjudicated one, else the most frequent one, else a tie."""
    rows, _, values = aspect.given
    votes = votes_of(rows, values, len(aspect.items))
    return np.where(aspect.settled | (votes.max(axis=1) == 0), np.sign(aspect.people), most_said(votes))


def votes_of(rows: Ints, values: Floats, items: int) -> Ints:
    """Count the labels of each kind on each item (items x kinds)."""
    return np.stack([np.bincount(rows[np.sign(values) == kind], minlength=items) for kind in KINDS], axis=1)


def most_said(votes: Ints) -> Floats:
    """Return the kind with most votes (pairs x kinds); a tie if several kinds share the maximum."""
    clear = (votes == votes.max(axis=1)[:, None]).sum(axis=1) == 1
    return np.where(clear, KINDS[votes.argmax(axis=1)], 0.0)


def filled(values: Floats, unmeasured: Unmeasured) -> Floats:
    """Return the signs, with missing ones filled according to the rule."""
    fill = {"left-out": np.nan, "tie": 0.0, "wrong": _NO_PREFERENCE, "worst": _NO_PREFERENCE}[unmeasured]
    return np.where(np.isnan(values), fill, values)


def preferences(
    column: MetricColumn,
    aspect: LabeledAspect,
    resamples: Resamples,
    *,
    margin: float,
    unmeasured: Unmeasured,
) -> Preferences:
    """Compute the figures with intervals by question."""
    said = filled(signs(column.values, margin), unmeasured)
    truth = majority(aspect)
    rows = np.flatnonzero(~np.isnan(said))
    x, y = said[rows], truth[rows]
    drawn = resamples.only(rows)
    kinds = np.append(KINDS, _NO_PREFERENCE)
    every, preferred = (CategoryCounts.of_sums(drawn.sums(category_features(x, y, some))) for some in (kinds, KINDS))
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
        macro_f1=drawn.interval(macro_f1(x, y, KINDS), macro_f1_of(preferred)),
        right=int((wins & (x == y)).sum()),
        tied=int((wins & ((x == 0) | (x == _NO_PREFERENCE))).sum()),
        wrong=int((wins & (x == -y)).sum()),
        confusion=confusion(y, x),
        orders=_orders(column.orders, truth, resamples, margin),
    )


def points(aspect: LabeledAspect) -> tuple[Ints, Floats]:
    """Return pair and label of every point; only the settled values if there are no raw ones."""
    rows, _, values = aspect.given
    if len(rows):
        return rows, values
    return np.arange(len(aspect.items)), aspect.people


def _orders(said: Floats | None, truth: Floats, resamples: Resamples, margin: float) -> Orders | None:
    """Compute the figures over pairs with both verdicts; None if there are no such pairs."""
    if said is None:
        return None
    rows = np.flatnonzero(~np.isnan(said).any(axis=0))
    if not len(rows):
        return None
    forward, backward = signs(said[:, rows], margin)
    right = ((forward == truth[rows]).astype(np.float64) + (backward == truth[rows])) / 2
    # the value is above 0 for the second answer of the name, which is shown first when the pair is swapped
    shown_first = (2 - forward + backward) / 4
    drawn = resamples.only(rows)
    return Orders(drawn.mean((forward == backward).astype(np.float64)), drawn.mean(right), drawn.mean(shown_first))
