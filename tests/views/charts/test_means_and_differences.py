"""Rows of figures with intervals: means, differences, the ranking of metrics, costs."""

import pytest
from chart_gallery import compared, mean, ranked, rows, texts, tooltips
from hypothesis import given
from hypothesis import strategies as st

from saiten.views.charts.colors import CARD
from saiten.views.charts.costs import CostRow, costs
from saiten.views.charts.differences import differences
from saiten.views.charts.interval_rows import MOST_ROWS
from saiten.views.charts.means import means
from saiten.views.charts.ranking import ranking

NUMBERS = st.none() | st.floats(-1e6, 1e6) | st.sampled_from([float("nan"), float("inf")])


def test_each_mean_is_shown_with_n_and_interval():
    """The number of missing values is shown, too."""
    svg = means([mean("faithfulness", "a", 0.712, 0.65, 0.77, n=48, missing=2), mean("faithfulness", "b", 0.5)]).svg()
    assert {"faithfulness", "a", "b", "0.712", "n = 48 · 2 without a value"} <= set(texts(svg))
    assert any("95 % interval 0.65 to 0.77" in each for each in tooltips(svg))


def test_a_mean_without_a_value_is_said_not_drawn():
    """A missing mean is neither a zero nor a mark."""
    chart = means([mean("m", "a", None, n=0, missing=48), mean("m", "b", 0.5, n=48)], "ja")
    assert len(rows(chart, "point")) == 1
    assert "値なし" in texts(chart.svg())
    assert "m · a：値なし" in chart.said


def test_a_metric_without_any_value_is_named():
    """The metric is not dropped silently, whether there is one system or several."""
    for systems in ("a", "ab"):
        chart = means([mean(m, s, v, n=3) for m, v in (("f", 0.5), ("g", None)) for s in systems])
        shown = texts(chart.svg())
        assert "g" in shown
        assert shown.count("no value") == len(systems)


def test_metrics_of_one_scale_share_an_axis_and_others_have_their_own():
    """A grade from 0 to 5 would squeeze shares to the left."""
    values = (("faithfulness", 0.5), ("token_f1", 0.5), ("wscore", 2.5))
    chart = means([mean(m, s, value, n=3) for m, value in values for s in "ab"])
    assert [(panel.x.low, panel.x.high, panel.x_numbers) for panel in chart.picture.plots] == [
        (0, 1, False),
        (0, 1, True),
        (0, 5, True),
    ]
    assert chart.picture.plots[2].x.ticks == (0, 1, 2, 3, 4, 5)


def test_a_scale_that_begins_below_0_has_its_own_axis():
    """It would push everything that begins at 0 into the right half, and an open scale would stretch it."""
    metrics = ("faithfulness", "bertscore", "token_f1", "own")
    chart = means([mean(metric, s, 0.5, n=3) for metric in metrics for s in "ab"])
    assert [(panel.x.low, panel.x.high) for panel in chart.picture.plots][:3] == [(0, 1), (-1, 1), (0, 1)]
    assert chart.picture.plots[3].x.low > 0


def test_a_single_system_is_not_repeated():
    """Each metric is a row; metrics of one scale are in one block."""
    chart = means([mean(m, "only", 0.5, n=3) for m in ("faithfulness", "token_f1")] + [mean("wscore", "only", 3, n=3)])
    assert [panel.height for panel in chart.picture.plots] == [48, 24]
    assert "only" not in texts(chart.svg())


def test_means_have_one_color_and_are_hollow_without_an_interval():
    """Names are next to the marks; a seventh system does not look like one without an interval."""
    chart = means([mean("m", f"s{n}", 0.5, *((0.4, 0.6) if n else (None, None))) for n in range(8)])
    points = rows(chart, "point")
    assert len({(row["color"], row["shape"]) for row in points}) == 1
    assert [row["fill"] == CARD for row in points] == [True] + [False] * 7


def test_what_is_left_out_is_said():
    """A chart as long as a book would be useless."""
    chart = means([mean("m", f"s{n}", 0.5, n=3) for n in range(MOST_ROWS + 7)])
    assert len(rows(chart, "point")) == MOST_ROWS
    assert "7 more are in the table." in texts(chart.svg())


def test_a_difference_that_may_be_none_is_hollow():
    """The verdict in the table decides; the picture says so."""
    chart = differences(
        compared(
            "a",
            "b",
            ("apart", 0.05, 0.02, 0.08, 0.0004, 48),
            ("within", 0.05, -0.02, 0.08, 0.2, 48),
            ("excludes 0, within after Holm", 0.05, 0.001, 0.08, 0.09, 48),
            ("alone", 0.05),
            ("untested", 0.05, 0.02, 0.08),
            ("too little measured", 0.05, 0.02, 0.08, 0.0004, 17),
        )
    )
    assert [row["fill"] == CARD for row in rows(chart, "point")] == [False, True, True, True, True, True]
    shown = texts(chart.svg())
    assert {
        "b minus a",
        "p < 0.001 · n = 48",
        "p = 0.200 · n = 48",
        "Hollow: within the noise (p ≥ 0.05), or too little measured. The intervals are not corrected for the number of tests.",
    } <= set(shown)


def test_zero_is_on_every_axis_of_differences():
    """Zero is the value they are compared with."""
    chart = differences(compared("a", "b", ("m", 0.5, 0.4, 0.6), ("length", 120.0, 90.0, 150.0)))
    assert all(panel.x.low <= 0 <= panel.x.high for panel in chart.picture.plots)
    assert len(chart.picture.plots) == 2


def test_the_ranking_shows_what_people_reach():
    """The human ceiling is a line with its interval, next to the metrics in the given order; each line is named."""
    chart = ranking(
        ranked(
            "kendall",
            ("gist", 0.61, 0.5, 0.7, 192, 1, "a"),
            ("length", 0.03, -0.1, 0.2, 192, 2, "b"),
            people=(0.68, 0.6, 0.75),
        ),
        "ja",
    )
    shown = texts(chart.svg())
    assert {"人どうしの一致：0.68", "1. gist（趣旨と補足）", "2. length（回答の長さ）", "a · n = 192"} <= set(shown)
    assert {
        "破線：0（一致なし）。白抜き：区間がないか、区間が 0 を含む。",
        "一点鎖線：人どうしの一致。帯はその 95 % 区間。",
    } <= set(shown)
    (band,) = rows(chart, "bar")
    assert (band["x"], band["x2"]) == (0.6, 0.75)
    lines = {(marks.rows[0]["x"], *marks.style["strokeDash"]) for panel in chart.picture.plots for marks in panel.marks if "strokeDash" in (marks.style or {})}  # fmt: skip
    assert lines == {(0, 4, 3), (0.68, 8, 3, 2, 3)}
    assert chart.said.startswith("人どうしの一致：0.68")


def test_costs_begin_at_zero_and_unknown_ones_are_said():
    """A cost unknown for all systems has no block; one unknown for one system has no bar."""
    chart = costs([CostRow("a", 1.5, 3.0, 1000), CostRow("b", None, 6.0, 500)], currency="JPY")
    assert len(chart.picture.plots) == 3
    assert {row["x"] for row in rows(chart, "bar")} == {0.0}
    assert len(rows(chart, "bar")) == 5
    assert {"cost (JPY)", "no value", "1,000"} <= set(texts(chart.svg()))


@pytest.mark.parametrize(
    "chart", [means([]), differences(compared("a", "b")), ranking(ranked("kendall")), costs([]), costs([CostRow("a")])]
)
def test_nothing_makes_no_picture(chart):
    """No chart is better than an empty one."""
    assert chart.svg() == ""


@given(st.lists(st.tuples(st.text(max_size=8), st.text(max_size=8), NUMBERS, NUMBERS, NUMBERS), max_size=12))
def test_whatever_the_figures_marks_lie_in_their_field(given_rows):
    """No coordinate is NaN or outside; a missing value has no mark."""
    drawn = [
        means([mean(m, s, v, lo, hi, n=3) for m, s, v, lo, hi in given_rows]),
        differences(compared("a", "b", *((m, v, lo, hi) for m, _, v, lo, hi in given_rows))),
        ranking(ranked("kendall", *((m, v, lo, hi) for m, _, v, lo, hi in given_rows))),
    ]
    for chart in drawn:
        for panel in chart.picture.plots if chart.picture else ():
            for marks in panel.marks:
                for row in marks.rows:
                    assert all(panel.x.low <= row[at] <= panel.x.high for at in ("x", "x2") if at in row)
                    assert all(panel.y.high <= row[at] <= panel.y.low for at in ("y", "y2") if at in row)
