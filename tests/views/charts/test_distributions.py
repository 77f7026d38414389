"""Distributions of values: counted in Python, drawn as bars on the same axes."""

from itertools import pairwise
from time import process_time

import pytest
from chart_gallery import rows, texts
from hypothesis import given
from hypothesis import strategies as st

from saiten.records import Sample
from saiten.results.describe_data import describe_data
from saiten.views.charts.axes import bounded_axis
from saiten.views.charts.distributions import count, distributions, make_bins
from saiten.views.charts.lengths import lengths_chart, log_bins


def test_grades_have_a_bar_each():
    """The axis has all grades of the scale, including those that nobody gave."""
    bins = make_bins([0, 5, 5], bounded_axis([0, 5], (0, 5)))
    assert bins.axis.ticks == (0, 1, 2, 3, 4, 5)
    assert count([0, 5, 5, 3], bins).counts == (1, 0, 0, 1, 0, 2)


def test_shares_have_twenty_bins():
    """The last bin includes its right end."""
    bins = make_bins([0.5], bounded_axis([0.5], (0, 1)))
    counted = count([0.0, 0.049, 0.05, 0.3, 1.0, 0.999], bins)
    assert len(counted.counts) == 20
    assert (counted.counts[0], counted.counts[1], counted.counts[6], counted.counts[19]) == (2, 1, 1, 2)


def test_mean_and_n_are_written():
    """They are next to each system's bars."""
    chart = distributions("correctness", {"a": [3, 4], "b": [5, 5]}, (0, 5), "ja")
    assert {"a", "b", "平均 3.5", "n = 2"} <= set(texts(chart.svg()))
    assert chart.said == "a：平均 3.5, n = 2、b：平均 5, n = 2"


def test_all_systems_are_on_one_axis_and_have_heights_of_their_own():
    """If all answers of one system are alike, the others' shapes are still visible; the picture says so."""
    chart = distributions("m", {"a": [0.02, 0.12, 0.22, 0.32], "b": [0.9], "c": []}, (0, 1))
    assert len({panel.x for panel in chart.picture.plots}) == 1
    assert [panel.y.high for panel in chart.picture.plots] == [0.3, 1, 1]
    assert "Each row of bars has its own scale." in texts(chart.svg())
    alike = distributions("m", {"a": [0.1, 0.2], "b": [0.3, 0.4]}, (0, 1))
    assert "Each row of bars has its own scale." not in texts(alike.svg())


def test_many_values_are_counted_before_they_are_drawn():
    """A hundred thousand values make no larger picture than a hundred."""
    values = [((n * 7919) % 100_003) / 100_003 for n in range(100_000)]
    begun = process_time()
    chart = distributions("m", {"a": values, "b": values[:100]}, (0, 1))
    assert len(rows(chart, "bar")) == 40
    assert process_time() - begun < 5
    assert sum(int(row["tooltip"].split(": ")[2].split(" / ")[0]) for row in rows(chart, "bar")[:20]) == 100_000


@pytest.mark.parametrize("by_system", [{}, {"a": []}, {"a": [float("nan")]}, {"a": [1e300, -1e300]}])
def test_nothing_is_not_drawn(by_system):
    """Nothing is made up either."""
    assert distributions("m", by_system).svg() == ""


@given(
    st.lists(st.integers(-20, 20) | st.floats(-1e6, 1e6), min_size=1, max_size=30),
    st.sampled_from([(None, None), (0, 1), (0, 5), (0, None), (float("-inf"), 3)]),
)
def test_every_value_is_counted_once_and_in_its_bar(values, bounds):
    """Values outside the scale count, too; all lie between the ends of the axis."""
    axis = bounded_axis(values, bounds)
    if axis is None:
        return
    bins = make_bins(map(float, values), axis)
    assert sum(count(values, bins).counts) == len(values)
    for value in values:
        (place,) = [at for at, found in enumerate(count([value], bins).counts) if found]
        left, right = bins.edges[place]
        slack = (right - left) * 1e-6
        assert left - slack <= value <= right + slack


def test_bars_of_lengths_are_whole_numbers_on_a_logarithmic_axis():
    """Every length from 1 to the longest is in exactly one bar; short lengths have one each."""
    for highest in (1, 2, 7, 9, 10, 99, 100, 12_345, 10**7):
        bins = log_bins(highest)
        assert bins.edges[0] == (1, 2)
        assert all(right == left for (_, right), (left, _) in pairwise(bins.edges))
        assert bins.edges[-1][0] <= highest < bins.edges[-1][1] == bins.axis.high
        assert set(bins.axis.ticks) <= {bins.axis.low, *(right for _, right in bins.edges), bins.axis.high}
    assert log_bins(0) is None


def test_lengths_are_drawn_by_field_and_data_set():
    """With several data sets, those of one field are below each other; empty texts are counted in a note."""
    sets = [describe_data(name, [Sample("1", "By when?", "")]) for name in ("first", "second")]
    shown = texts(lengths_chart(sets, "characters").svg())
    names = [text for text in shown if " · " in text]
    assert names == ["question · first", "question · second", "answer · first", "answer · second"]
    assert "Texts without a length, which have no place on the axis: 2." in shown
    (bar,) = rows(lengths_chart(sets[:1], "characters"), "bar")
    assert bar["tooltip"] == "question: 8 – 9: 1 / 1"
