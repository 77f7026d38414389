"""One chart of each kind, with its input names, and helpers to inspect charts."""

import re
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
from lxml import etree

from saiten.records import Sample
from saiten.results.comparison import Comparison, Pairing
from saiten.results.describe_data import describe_data
from saiten.results.figure import Figure
from saiten.results.metric_comparison import MetricComparison
from saiten.results.over_time import DatedRun, over_time
from saiten.results.ranking import RankedMetric, Ranking
from saiten.results.verdict import higher_is_better
from saiten.stats.estimate import Estimate
from saiten.stats.paired import PairedComparison
from saiten.views.charts.accuracy_latency import SystemPoint, accuracy_against_latency
from saiten.views.charts.axes import Axis
from saiten.views.charts.costs import CostRow, costs
from saiten.views.charts.dialogue_lines import Series, Value, dialogue_lines
from saiten.views.charts.differences import differences
from saiten.views.charts.distributions import distributions
from saiten.views.charts.lengths import lengths_chart
from saiten.views.charts.means import means
from saiten.views.charts.over_time import MOST_LINES, over_time_chart
from saiten.views.charts.ranking import ranking
from saiten.views.charts.systems_by_metrics import ScaledMetric, SystemRow, systems_by_metrics

HOSTILE = '"><script>alert(1)</script>&amp;\x1b[31m\ud800\u202e\n<img src=http://127.0.0.1:9/x onerror=1>'
KINDS = (
    "distributions",
    "histogram",
    "means",
    "differences",
    "accuracy",
    "lines",
    "ranking",
    "costs",
    "over_time",
    "grid",
    "lengths",
)


def mean(metric, system, value, *interval, n=0, missing=0):
    """The mean of a system, with its name."""
    low, high = interval or (None, None)
    return system, Figure(metric, None, system, value, low, high, n, n, {"ok": n, "failed": missing})


def compared(first, second, *rows):
    """Two sides with rows of `(metric, difference, low, high, p, n)`, all of 48."""
    metrics = []
    for row in rows:
        metric, value, low, high, p, n = (*row, *(None, None, None, None, 48)[len(row) - 1 :])
        metrics.append(
            MetricComparison(
                metric, PairedComparison(value, low, high, p, n, n, 0, 0, 0), p, 48, 48, 0, higher_is_better(metric)
            )
        )
    return Comparison(first, second, tuple(metrics), Pairing("question", 48, 48, 48, 0))


def ranked(by, *rows, people=None):
    """A ranking with rows of `(metric, value, low, high, n, rank, letters)`, and for people `(value, low, high)`."""
    places = []
    for row in rows:
        metric, value, low, high, n, rank, letters = (*row, *(None, None, None, 0, None, "")[len(row) - 1 :])
        places.append(RankedMetric(metric, Estimate(value, n, None, low, high), rank, letters))
    if people is not None:
        places.append(RankedMetric("people", Estimate(people[0], 192, None, *people[1:]), None, people=True))
    return Ranking(by, tuple(places), ())


@cache
def gallery(language="en", first="gpt-4o-mini", second="検索拡張システム第二版", metric="faithfulness"):
    """The charts by kind; each is made and drawn once."""
    pair = (first, second)
    return {
        "distributions": distributions(metric, {first: [0, 3, 5, 5], second: [1, 2, 2, 4]}, (0, 5), language),
        "histogram": distributions(metric, {name: [0.1, 0.25, 0.8, 0.9, 1.0] for name in pair}, (0, 1), language),
        "means": means(
            [mean(metric, name, 0.5, 0.4, 0.6, n=48, missing=2) for name in pair]
            + [mean("correctness", name, 3.4, n=48) for name in pair],
            language,
        ),
        "differences": differences(
            compared(
                *pair, (metric, 0.05, 0.02, 0.08, 0.004, 48), ("rouge_l", -0.02, -0.07, 0.03, 0.5, 48), ("bleu4", None)
            ),
            language,
        ),
        "accuracy": accuracy_against_latency(
            [
                SystemPoint(first, "refine", 3.4, 0.5, 0.4, 0.6, 48),
                SystemPoint(first, "map_reduce", 2.8, 0.4),
                SystemPoint(second, "refine", 5.6, 0.6),
            ],
            language,
            metric=metric,
        ),
        "lines": dialogue_lines(
            [
                Series(first, (Value("Db2", 3.5), Value("分析基盤", 3.1), Value("MQ", 4.0, 12))),
                Series(second, (Value("Db2", 3.6), Value("分析基盤", None), Value("MQ", 4.2))),
            ],
            language,
        ),
        "ranking": ranking(
            ranked(
                "kendall",
                (metric, 0.61, 0.5, 0.7, 192, 1, "a"),
                (first, 0.03, -0.1, 0.2, 192, 2, "b"),
                people=(0.68, 0.6, 0.75),
            ),
            language,
        ),
        "over_time": over_time_chart(
            course_of(
                *(dated(f"{first} {n}", n, _systems(metric, pair, n), judge=f"openai:{n // 2}") for n in range(4))
            ),
            language,
        ),
        "grid": systems_by_metrics(
            [
                SystemRow(name, {of: mean(of, name, 0.5, 0.4, 0.6, n=48, missing=9)[1] for of in (metric, "token_f1")})
                for name in pair
            ],
            [
                ScaledMetric(metric, higher=True, axis=Axis(0, 1, ())),
                ScaledMetric("token_f1", higher=None, axis=Axis(0, 1, ())),
            ],
            language,
        ),
        "lengths": lengths_chart(
            [describe_data(name, [Sample("1", "By when?", "By the 10th. " * n)]) for n, name in enumerate(pair, 3)],
            "tokens",
            language,
        ),
        "costs": costs([CostRow(first, 1.2, 3.4, 1234, 96, 48), CostRow(second, None, 5.6, 999, 48, 48)], language),
    }


def dated(name, day, figures, *, judge="openai:a", prompts="p1", data=range(48), **more):
    """A run of one day in September 2026; `day` None: without a date."""
    return DatedRun(
        name,
        None if day is None else datetime(2026, 9, 1, tzinfo=UTC) + timedelta(days=day),
        more.get("unfinished", False),
        len(data),
        "offline" in judge,
        tuple(figures),
        {each.metric: {"judge": judge, "prompts": prompts} for each in figures},
        more.get("system"),
        np.unique(np.array([*data], np.uint64)),
    )


def course_of(*runs):
    """The first metric over these runs."""
    return over_time(runs, MOST_LINES).courses[0]


def _systems(metric, names, number):
    """Figures over all systems and of each, as a summary has them; the third run lacks too much."""
    every = [(None, 0.5), *((name, 0.5 + 0.05 * at) for at, name in enumerate(names))]
    missing = 20 if number == 2 else 0
    return [mean(metric, name, value + 0.01 * number, 0.4, 0.7, n=48, missing=missing)[1] for name, value in every]


def means_of(*names, value=0.5):
    """The chart of the means of these systems."""
    return means([mean("faithfulness", name, value, n=48) for name in names])


def read(svg):
    """The SVG as a tree; it must be well-formed."""
    return etree.fromstring(
        svg if "xmlns" in svg else svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )


def named(tree, tag):
    """All elements with this tag."""
    return list(tree.iter(f"{{*}}{tag}"))


def texts(svg):
    """The visible texts, without tooltips."""
    return [node.text for node in named(read(svg), "text")]


def tooltips(svg):
    """The tooltips of its marks and names."""
    return [node.text for node in named(read(svg), "title")[1:]]


def size(svg):
    """Width and height of the view box."""
    return tuple(map(float, re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups()))


def rows(chart, kind, field="x"):
    """The rows of the picture's marks of a kind that have this field."""
    found = (row for panel in chart.picture.plots for marks in panel.marks if marks.kind == kind for row in marks.rows)
    return [row for row in found if field in row]
