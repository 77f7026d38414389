"""One annotator's labels against the others' on the same items: every figure by which metrics can be ranked.

Correlations and grades: against the mean of the others. Decisions: against the majority of the others, or their mean
and the threshold where the labels are grades; where they are split evenly the item is left out. Preferences: against
the others' majority of first, tie and second. Someone who says 0 or 1 has no finer scores to rank items by, so that the
AUROC is the balanced accuracy; with a threshold the annotator's grades are the scores.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from saiten.stats.auroc import auroc, auroc_each
from saiten.stats.classification import (
    CategoryCounts,
    WeightedKappa,
    Weights,
    agreement,
    agreement_of,
    category_features,
    cohen_kappa,
    kinds_of,
    macro_f1,
    macro_f1_of,
)
from saiten.stats.clusters import Floats
from saiten.stats.correlation import kendall, kendall_each, moments, pearson, pearson_of, spearman, spearman_each
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.trust.meta_evaluation.decisions import two_way, two_way_each
from saiten.trust.meta_evaluation.scales import grades

CORRELATIONS = ("pearson", "spearman", "kendall")
DECISIONS = ("agreement", "kappa", "f1", "macro_f1", "balanced_accuracy", "auroc")
GRADES = ("linear_kappa", "quadratic_kappa")
_WEIGHTS: tuple[Weights, ...] = ("linear", "quadratic")
_RANKED = ("spearman", "kendall", "auroc")
"""Those whose ranks have to be counted anew in every resample."""
_Draw = Callable[[], Floats]
_Parts = tuple[Mapping[str, Estimate], Mapping[str, _Draw]]
"""Figures, and how each is resampled."""


@dataclass(frozen=True, slots=True)
class AgainstOthers:
    """The labels of one annotator, and what the others say of the same items."""

    own: Floats
    others: Floats
    """Their mean."""
    verdict: Floats | None
    """Of the others: 1, 0, NaN where they are split; None where there are no verdicts."""
    decision: Floats | None
    """The annotator's own."""
    preferred: Floats | None
    """By the others: -1, 0, 1; None where the labels are no preferences."""
    graded: bool
    resamples: Resamples


def against_others(one: AgainstOthers, *, ranked: bool) -> tuple[dict[str, Estimate], dict[str, Floats]]:
    """The figures, and what those that are defined are in the resamples. `ranked`: ranks are resampled as well."""
    figures: dict[str, Estimate] = {}
    drawn: dict[str, Floats] = {}
    for part in (_correlations, _decisions, _grades, _preferences):
        whole, draws = part(one)
        figures |= whole
        drawn |= {
            name: draw()
            for name, draw in draws.items()
            if figures[name].value is not None and (ranked or name not in _RANKED)
        }
    return figures, drawn


def _correlations(one: AgainstOthers) -> _Parts:
    own, others, resamples = one.own, one.others, one.resamples
    return {"pearson": pearson(own, others), "spearman": spearman(own, others), "kendall": kendall(own, others)}, {
        "pearson": lambda: pearson_of(resamples.sums(moments(own, others))),
        "spearman": lambda: resamples.each(spearman_each(own, others)),
        "kendall": lambda: resamples.each(kendall_each(own, others)),
    }


def _decisions(one: AgainstOthers) -> _Parts:
    if one.verdict is None or one.decision is None:
        return dict.fromkeys(DECISIONS, Estimate(None, len(one.own), "the labels are no verdicts")), {}
    clear = np.flatnonzero(~np.isnan(one.verdict))
    truth, said, own = one.verdict[clear], one.decision[clear], one.own[clear]
    resamples = replace(one.resamples, groups=one.resamples.groups[clear])
    each = two_way_each(truth, said, resamples)
    draws: dict[str, _Draw] = {name: each[name].copy for name in each}
    # Of 0 and 1 the AUROC is the balanced accuracy, which costs nothing to resample.
    draws["auroc"] = draws["balanced_accuracy"]
    if not np.isin(own, (0, 1)).all():
        draws["auroc"] = lambda: resamples.each(auroc_each(truth, own))
    return {**two_way(truth, said), "auroc": auroc(truth, own)}, draws


def _grades(one: AgainstOthers) -> _Parts:
    if not one.graded:
        return dict.fromkeys(GRADES, Estimate(None, len(one.own), "no grades on a common scale")), {}
    x, y = grades(one.own), grades(one.others)
    kappas = {f"{weights}_kappa": (weights, WeightedKappa(kinds_of(x, y), weights)) for weights in _WEIGHTS}

    def drawn(kappa: WeightedKappa) -> Floats:
        return kappa.figure(one.resamples.sums(kappa.features(x, y)))

    return {name: cohen_kappa(x, y, weights=weights) for name, (weights, _) in kappas.items()}, {
        name: partial(drawn, kappa) for name, (_, kappa) in kappas.items()
    }


def _preferences(one: AgainstOthers) -> _Parts:
    if one.preferred is None:
        return {"accuracy": Estimate(None, len(one.own), "the labels are no preferences")}, {}
    own, kinds = np.sign(one.own), np.array([-1.0, 0.0, 1.0])
    counts = CategoryCounts.of_sums(one.resamples.sums(category_features(own, one.preferred, kinds)))
    return {"accuracy": agreement(own, one.preferred), "macro_f1": macro_f1(own, one.preferred, kinds)}, {
        "accuracy": partial(agreement_of, counts),
        "macro_f1": partial(macro_f1_of, counts),
    }
