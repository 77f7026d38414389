"""Figures of two columns, a metric's and people's, each with the same figure in every resample."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from saiten.stats.classification import (
    VERDICTS,
    CategoryCounts,
    WeightedKappa,
    Weights,
    agreement,
    agreement_of,
    balanced_accuracy,
    balanced_accuracy_of,
    category_features,
    cohen_kappa,
    f1,
    f1_of,
    kappa_of,
    kinds_of,
    macro_f1,
    macro_f1_of,
)
from saiten.stats.clusters import Floats
from saiten.stats.correlation import kendall, kendall_each, moments, pearson, pearson_of, spearman, spearman_each
from saiten.stats.estimate import Estimate, Statistic
from saiten.stats.resampling import Resamples

Draw = Callable[[Floats, Floats, Resamples], Floats]
"""A figure in every resample; NaN where undefined."""
KINDS = np.array([-1.0, 0.0, 1.0])
"""The signs of preferences: for the first answer, a tie, for the second."""


def _weighted(weights: Weights) -> tuple[Statistic, Draw]:
    def drawn(x: Floats, y: Floats, resamples: Resamples) -> Floats:
        kappa = WeightedKappa(kinds_of(x, y), weights)
        return kappa.figure(resamples.sums(kappa.features(x, y)))

    return partial(cohen_kappa, weights=weights), drawn


def _of_signs(figure: Callable[[CategoryCounts], Floats]) -> Draw:
    return lambda x, y, resamples: figure(CategoryCounts.of_sums(resamples.sums(category_features(x, y, KINDS))))


CORRELATIONS: Mapping[str, tuple[Statistic, Draw]] = {
    "pearson": (pearson, lambda x, y, resamples: pearson_of(resamples.sums(moments(x, y)))),
    "spearman": (spearman, lambda x, y, resamples: resamples.each(spearman_each(x, y))),
    "kendall": (kendall, lambda x, y, resamples: resamples.each(kendall_each(x, y))),
}
GRADES: Mapping[str, tuple[Statistic, Draw]] = {
    "linear_kappa": _weighted("linear"),
    "quadratic_kappa": _weighted("quadratic"),
}
PREFERENCES: Mapping[str, tuple[Statistic, Draw]] = {
    "accuracy": (agreement, _of_signs(agreement_of)),
    "macro_f1": (partial(macro_f1, kinds=KINDS), _of_signs(macro_f1_of)),
}
VERDICT_FIGURES: Mapping[str, tuple[Statistic, Callable[[CategoryCounts], Floats]]] = {
    "agreement": (agreement, agreement_of),
    "kappa": (cohen_kappa, kappa_of),
    "f1": (f1, lambda counts: f1_of(counts)[..., 1]),
    "macro_f1": (partial(macro_f1, kinds=VERDICTS), macro_f1_of),
    "balanced_accuracy": (balanced_accuracy, balanced_accuracy_of),
}
"""Figures of two columns of 0 and 1, each with the same from counts, for many resamples or swaps at once."""


def of_verdicts(truth: Floats, said: Floats, resamples: Resamples) -> dict[str, tuple[Estimate, Floats]]:
    """Compute all `VERDICT_FIGURES`, and each in every resample."""
    counts = CategoryCounts.of_sums(resamples.sums(category_features(truth, said, VERDICTS)))
    return {name: (whole(truth, said), drawn(counts)) for name, (whole, drawn) in VERDICT_FIGURES.items()}
