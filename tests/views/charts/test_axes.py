"""Axes: round ends, room for a single value, and one axis for rows of one magnitude."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.views.charts.axes import group_by_scale, make_axis


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ((0.31, 0.86), (0.2, 0.4, 0.6, 0.8, 1.0)),
        ((-0.3, 0.5), (-0.4, -0.2, 0.0, 0.2, 0.4, 0.6)),
        ((190, 260), (180, 200, 220, 240, 260)),
        ((0.5,), (0.2, 0.4, 0.6, 0.8)),
        ((0.779,), (0.2, 0.4, 0.6, 0.8, 1.0)),
        ((1.0,), (0.5, 0.75, 1.0, 1.25, 1.5)),
        ((0.0, 0.0), (0.0, 0.25, 0.5, 0.75, 1.0)),
        ((0.00012, 0.00034), (0.0001, 0.0002, 0.0003, 0.0004)),
    ],
)
def test_an_axis_begins_and_ends_at_round_numbers(values, ticks):
    """An axis spans all values; a single value gets room around it, and shares stop at 1."""
    assert make_axis(values).ticks == pytest.approx(ticks)


@pytest.mark.parametrize("values", [(), (1e308, -1e308), (1e-320, 2e-320), (float("inf"), 0.0)])
def test_what_no_axis_can_show_has_none(values):
    """Without values, or with values at the limit of the float range, there is no axis."""
    assert make_axis(values) is None


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9))
def test_every_axis_holds_its_values(values):
    """For any values: a few ticks in order, with all values between them."""
    axis = make_axis(values)
    if axis is None:
        return
    assert 2 <= len(axis.ticks) <= 8
    assert list(axis.ticks) == sorted(set(axis.ticks))
    slack = 1e-6 * (axis.high - axis.low)
    assert axis.low - slack <= min(values) <= max(values) <= axis.high + slack


def test_rows_of_one_magnitude_share_an_axis():
    """Shares share an axis; beyond 1, values within a factor of two do."""
    assert group_by_scale([0.3, 3.4, 0.9, 4.1, 213, 0.0]) == [0, 1, 0, 1, 2, 0]
    assert group_by_scale([]) == []
