"""Charts: built from numbers and names as Vega-Lite specifications, drawn as SVG or PNG on demand."""

from saiten.views.charts.accuracy_latency import SystemPoint, accuracy_against_latency
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.costs import CostRow, costs
from saiten.views.charts.dialogue_lines import Series, Value, dialogue_lines
from saiten.views.charts.differences import differences
from saiten.views.charts.distributions import distributions
from saiten.views.charts.means import MeanRow, means
from saiten.views.charts.ranking import ranking

__all__ = [
    "CostRow",
    "MeanRow",
    "Series",
    "SystemPoint",
    "Value",
    "VegaChart",
    "accuracy_against_latency",
    "costs",
    "dialogue_lines",
    "differences",
    "distributions",
    "means",
    "ranking",
]
