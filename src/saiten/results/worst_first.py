"""The answers of a run in order, the worst first.

Each metric ranks the answers from best to worst, in its direction; equal values share their mean rank. Answers without
a value, whatever the reason, share the worst ranks: nothing shows that they are good. The worst answer is the one with
the largest mean of its ranks; of equal ones, the first in the data.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from saiten.results.verdict import higher_is_better

Values = Mapping[str, npt.NDArray[np.float64]]
"""Metric → the value of each answer; NaN for none."""


def worst_first(values: Values, signatures: Mapping[str, str]) -> npt.NDArray[np.int64]:
    """Return the places of the answers, the worst first, by all metrics that have a direction."""
    directions = {metric: higher_is_better(metric, signatures) for metric in values}
    ranks = [_ranks(values[metric], higher=higher) for metric, higher in directions.items() if higher is not None]
    size = max((len(of) for of in values.values()), default=0)
    return np.argsort(-sum(ranks, np.zeros(size)), kind="stable").astype(np.int64)


def worst_by(metric: str, values: Values, signatures: Mapping[str, str]) -> npt.NDArray[np.int64]:
    """Return the places of the answers, the worst first by one metric; without a direction, the lowest first."""
    higher = higher_is_better(metric, signatures) is not False
    return np.argsort(-_ranks(values[metric], higher=higher), kind="stable").astype(np.int64)


def _ranks(values: npt.NDArray[np.float64], *, higher: bool) -> npt.NDArray[np.float64]:
    """Return the ranks, 1 for the best; an answer without a value ranks as if it were infinitely bad."""
    from scipy.stats import rankdata  # noqa: PLC0415 - heavy, and only an order needs it

    badness = np.where(np.isnan(values), np.inf, -values if higher else values)
    return np.asarray(rankdata(badness), np.float64)
