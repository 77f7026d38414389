"""Figures as charts: numbers and names in, a Vega-Lite specification out, drawn as SVG or PNG when it is asked for."""

from saiten.reports.charts.accuracy_latency import Point, accuracy_against_latency
from saiten.reports.charts.chart import VegaChart
from saiten.reports.charts.costs import CostRow, costs
from saiten.reports.charts.dialogue_lines import Series, Value, dialogue_lines
from saiten.reports.charts.differences import DifferenceRow, differences
from saiten.reports.charts.distributions import distributions
from saiten.reports.charts.means import MeanRow, means
from saiten.reports.charts.ranking import PeoplesAgreement, RankingRow, ranking

__all__ = [
    "CostRow",
    "DifferenceRow",
    "MeanRow",
    "PeoplesAgreement",
    "Point",
    "RankingRow",
    "Series",
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
