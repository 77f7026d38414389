"""Charts of means and the scales of metrics."""

from collections.abc import Mapping, Sequence

import numpy as np

from saiten.dialogue.scores import HIGHEST
from saiten.errors import ConfigurationError
from saiten.metrics.catalog import make_metric
from saiten.results.summary import Figure
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.means import MeanRow, means

_ROWS = 16
"""Rows of a chart of means that fit on a screen."""

Bounds = tuple[float | None, float | None]


_DIALOGUES: Mapping[str, Bounds] = {
    "wscore": (0.0, HIGHEST),
    "lscore": (1.0, None),
    "mscore": (0.0, HIGHEST),
    "leak": (0.0, 1.0),
}
"""Scales of the dialogue scores, which are not in the metric catalogue."""


def bounds_of(metric: str) -> Bounds:
    """Return the ends of the metric's scale; None at an open end, or for an unknown metric."""
    if metric in _DIALOGUES:
        return _DIALOGUES[metric]
    try:
        low, high = make_metric(metric).bounds
    except ConfigurationError:
        return (None, None)
    return (low if np.isfinite(low) else None, high if np.isfinite(high) else None)


def means_charts(figures: Sequence[tuple[str, Figure]]) -> list[VegaChart]:
    """Draw the means of figures, each with the name of its subject: a system, a run, "" for everything.

    Returns one chart, or several with some of the metrics each if one would not fit on a screen.
    """
    rows = [
        MeanRow(
            figure.metric,
            name,
            figure.mean,
            figure.low,
            figure.high,
            figure.n,
            figure.total - figure.n,
            bounds_of(figure.metric),
        )
        for name, figure in figures
    ]
    parts: list[list[MeanRow]] = [[]]
    by_metric = {
        metric: [row for row in rows if row.metric == metric] for metric in dict.fromkeys(r.metric for r in rows)
    }
    for of in by_metric.values():
        if parts[-1] and len(parts[-1]) + len(of) > _ROWS:
            parts.append([])
        parts[-1] += of
    return [means(part, part=len(parts) > 1) for part in parts if part]
