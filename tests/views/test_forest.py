"""Intervals as pictures: axes of round numbers, positions, and what is said to those who see no picture."""

import re
from itertools import pairwise
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from saiten.views.charts.drawn_intervals import MOST_DRAWN, pictures_of
from saiten.views.charts.forest import WIDTH, Axis, Estimated, axis_svg, group_by_scale, make_axis, whisker_svg
from saiten.views.table import Interval, Table

UNIT = Axis(0.0, 1.0, (0.0, 0.5, 1.0), 0.5)


@pytest.mark.parametrize(
    ("values", "reference", "ticks"),
    [
        ((0.31, 0.86), None, (0.2, 0.4, 0.6, 0.8, 1.0)),
        ((0.66, 0.97), 0.5, (0.4, 0.6, 0.8, 1.0)),
        ((-0.3, 0.5), 0.0, (-0.4, -0.2, 0.0, 0.2, 0.4, 0.6)),
        ((190, 260), None, (180, 200, 220, 240, 260)),
        ((0.5,), None, (0.2, 0.4, 0.6, 0.8)),
        ((0.779,), None, (0.2, 0.4, 0.6, 0.8, 1.0)),
        ((1.0,), None, (0.5, 0.75, 1.0, 1.25, 1.5)),
        ((0.0,), 0.0, (-0.5, -0.25, 0.0, 0.25, 0.5)),
        ((0.0, 0.0), None, (0.0, 0.25, 0.5, 0.75, 1.0)),
        ((0.00012, 0.00034), None, (0.0001, 0.0002, 0.0003, 0.0004)),
    ],
)
def test_an_axis_begins_and_ends_at_round_numbers(values, reference, ticks):
    """Around all values and the reference; a single value is given room."""
    assert make_axis(values, reference).ticks == pytest.approx(ticks)


@pytest.mark.parametrize("values", [(), (1e308, -1e308), (1e-320, 2e-320), (float("inf"), 0.0)])
def test_what_no_axis_can_show_has_none(values):
    """Nothing at all, and numbers where floats end; no NaN comes out."""
    assert make_axis(values, 0.0 if not values else None) is None


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9), st.none() | st.just(0.0))
def test_every_axis_holds_its_values(values, reference):
    """Whatever they are: a few ticks in order, all values between them, and well-formed pictures with finite numbers."""
    axis = make_axis(values, reference)
    if axis is None:
        return
    assert 2 <= len(axis.ticks) <= 8
    assert list(axis.ticks) == sorted(set(axis.ticks))
    slack = 1e-6 * (axis.high - axis.low)
    assert axis.low - slack <= min(values) <= max(values) <= axis.high + slack
    shown = Estimated(values[0], min(values), max(values))
    for picture in (axis_svg(axis), whisker_svg(shown, axis, "x"), whisker_svg(shown, axis, "x", own_axis=True)):
        etree.fromstring(picture)
        assert "nan" not in picture
        assert "inf" not in picture
    assert all(0 <= float(x) <= WIDTH for x in re.findall(r'cx="([^"]*)"', whisker_svg(shown, axis, "x")))


def test_the_numbers_of_an_axis_do_not_touch():
    """Both ends and the reference stand; where there is no room for all, every second is left out, not here and there."""
    texts = re.findall(r'<text x="([^"]*)"[^>]*>([^<]*)<', axis_svg(make_axis((-0.31, 0.55), 0.0)))
    assert {"−0.5", "0", "0.75"} <= {word for _, word in texts}
    wide = Axis(-1.0, 0.5, (-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5), 0.0)
    assert re.findall(r">([^<]*)</text>", axis_svg(wide)) == ["−1", "−0.5", "0", "0.5"]
    spans = [(float(x) - 2.9 * len(word), float(x) + 2.9 * len(word)) for x, word in texts]
    assert all(right < left for (_, right), (left, _) in pairwise(spans))


@pytest.mark.parametrize(
    ("shown", "hollow"),
    [
        (Estimated(0.8, 0.6, 0.9), False),
        (Estimated(0.6, 0.4, 0.8), True),
        (Estimated(0.8, 0.5, 0.9), True),
        (Estimated(0.8), True),
    ],
)
def test_the_shape_of_the_dot_says_what_colour_would(shown, hollow):
    """Filled where the interval excludes the reference, hollow where it does not or there is no interval."""
    picture = whisker_svg(shown, UNIT, "0.8")
    assert ("hollow" in picture) is hollow
    assert ('class="whisker"' in picture) is (shown.low is not None)
    assert "hollow" not in whisker_svg(Estimated(0.6, 0.4, 0.8), Axis(0, 1, (0, 1)))


def test_a_picture_has_words_instead():
    """As its label, escaped; one that only repeats its text is hidden from screen readers."""
    picture = etree.fromstring(whisker_svg(Estimated(0.5, 0.4, 0.6), UNIT, '0.5 "><script>'))
    assert (picture.get("role"), picture.get("aria-label")) == ("img", '0.5 "><script>')
    assert etree.fromstring(whisker_svg(Estimated(0.5), UNIT)).get("aria-hidden") == "true"


def test_rows_of_one_magnitude_share_an_axis():
    """Shares together; beyond 1, what lies within a factor of two."""
    assert group_by_scale([0.3, 3.4, 0.9, 4.1, 213, 0.0]) == [0, 1, 0, 1, 2, 0]
    assert group_by_scale([]) == []


COLUMNS = ("metric", "mean", "from", "to")
MEANS = (Interval("mean", "from", "to"),)


def test_rows_on_a_scale_of_their_own_have_an_axis_of_their_own():
    """The head shows that of most rows; a table whose rows are on one scale has one axis."""
    rows = (("a", 0.8, 0.7, 0.9), ("b", 0.5, 0.4, 0.6), ("length", 213.0, 190.0, 260.0))
    (picture,) = pictures_of(Table("t", COLUMNS, rows, "", MEANS, "several"))
    assert (picture.axis.low, picture.axis.high) == (0.4, 1.0)
    assert [own for _, _, own in picture.rows] == [False, False, True]
    assert picture.rows[2][1].high == 260
    (picture,) = pictures_of(Table("t", COLUMNS, rows, "", MEANS))
    assert picture.axis.high == 300
    assert not any(own for _, _, own in picture.rows)


def test_a_figure_can_have_an_axis_of_its_own():
    """A share beside a difference of grades: neither is squeezed by the other; the pictures keep the columns' order."""
    columns = ("name", "share", "from", "to", "difference", "low", "high")
    rows = (("a", 0.9, 0.7, 1.0, -2.9, -3.2, -2.6), ("b", 0.1, 0.0, 0.3, -0.1, -0.2, 0.0))
    intervals = (Interval("difference", "low", "high", 0.0), Interval("share", "from", "to", alone=True))
    share, difference = pictures_of(Table("t", columns, rows, "", intervals))
    assert (share.figure, difference.figure) == (1, 4)
    assert (share.axis.low, share.axis.high) == (0.0, 1.0)
    assert difference.axis.low <= -3.2


@pytest.mark.parametrize(
    "row",
    [
        ("x", None, None, None),
        ("x", float("nan"), 0.1, 0.2),
        ("x", float("inf"), 0.1, 0.2),
        ("x", 10**400, 0.1, 0.2),
        ("x", True, 0.1, 0.2),
        ("x", "0.5", "0.1", "0.2"),
    ],
)
def test_what_is_no_number_is_not_drawn(row):
    """A row without a figure has no picture, the others have; a table without any is left as it is."""
    (picture,) = pictures_of(Table("t", COLUMNS, (("a", 0.8, 0.7, 0.9), row), "", MEANS))
    assert [each is None for each, _, _ in picture.rows] == [False, True]
    assert pictures_of(Table("t", COLUMNS, (row,), "", MEANS)) == []


def test_ends_without_a_number_leave_the_dot():
    """A figure whose interval cannot be told is drawn alone; ends in the wrong order are put right."""
    rows = (("a", 0.8, None, 0.9), ("b", 0.5, 0.6, 0.4), ("c", 0.5, float("nan"), 0.4))
    (picture,) = pictures_of(Table("t", COLUMNS, rows, "", MEANS))
    assert [each for each, _, _ in picture.rows] == [Estimated(0.8), Estimated(0.5, 0.4, 0.6), Estimated(0.5)]
    assert all(isfinite(tick) for tick in picture.axis.ticks)


def test_long_tables_and_wrong_names():
    """Above a number of rows nothing is drawn; an interval of columns that are not there is an error of ours."""
    rows = (("a", 0.8, 0.7, 0.9),) * (MOST_DRAWN + 1)
    assert pictures_of(Table("t", COLUMNS, rows, "", MEANS)) == []
    assert len(pictures_of(Table("t", COLUMNS, rows[1:], "", MEANS))) == 1
    with pytest.raises(ValueError, match="not in tuple"):
        pictures_of(Table("t", COLUMNS, rows[:1], "", (Interval("mean", "from", "upto"),)))
