import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saiten.reports.scatter import MOST_POINTS, Point, Scatter


def drawn(*points, title="accuracy against latency"):
    """The parsed picture."""
    return ET.fromstring(Scatter(title, "seconds", "accuracy", points).svg(str))  # noqa: S314 - our own


def texts(svg):
    """What can be read in it."""
    return [element.text for element in svg.iter("text")]


TWO = (
    Point("gpt", "refine", 3.4, 0.5, 0.4, 0.6),
    Point("gpt", "map_reduce", 2.8, 0.4),
    Point("bison", "refine", 5.6, 0.6),
)


def test_each_point_has_its_shape_and_the_key_names_the_shapes():
    """Chains are told apart by more than colour."""
    svg = drawn(*TWO)
    assert [element.get("class") for element in svg.iter("g")].count("line-1") == 2 + 1
    assert {"refine", "map_reduce"} <= set(texts(svg))


def test_a_model_is_named_once():
    """At its fastest point; a single model of all points is not named at all."""
    assert texts(drawn(*TWO)).count("gpt") == 1
    assert "gpt" not in texts(drawn(*TWO[:2]))


def test_slower_is_further_right_and_more_accurate_is_higher():
    """The axes run as everybody expects."""
    path = next(p.get("d") for p in drawn(*TWO).iter("path") if p.get("fill") == "none" and "L" in p.get("d"))
    (x1, y1), (x2, y2) = (map(float, pair) for pair in re.findall(r"([\d.]+) ([\d.]+)", path))
    assert x1 < x2
    assert y1 > y2


def test_it_is_told_to_those_who_do_not_see_it():
    """Every point with both figures."""
    said = drawn(*TWO).get("aria-label")
    assert "gpt refine 0.5 at 3.4" in said
    assert "bison refine 0.6 at 5.6" in said


def test_text_from_outside_stays_text():
    """A model may be called anything."""
    svg = drawn(Point("<script>", '"x" & <b>', 1, 1), Point("b", "c", 2, 1), title="<img>")
    assert "<script>" in texts(svg)
    assert '"x" & <b>' in texts(svg)


@pytest.mark.parametrize("points", [(), (Point("m", "c", 1, 0.5),) * (MOST_POINTS + 1)])
def test_nothing_and_too_much_are_not_drawn(points):
    """Rather no picture than one that says nothing; the table has the figures."""
    assert not Scatter("t", "x", "y", points).svg(str)


@settings(deadline=None, derandomize=True, database=None, max_examples=60)
@given(
    st.lists(
        st.builds(Point, st.text(max_size=5), st.text(max_size=5), st.floats(0, 1e6), st.floats(-1e6, 1e6)),
        min_size=1,
        max_size=6,
    )
)
def test_whatever_the_figures_the_points_lie_in_the_field(points):
    """No coordinate is NaN or outside the picture."""
    clean = re.compile(r"[^\w ]")
    svg = Scatter("t", "x", "y", tuple(points)).svg(lambda text: clean.sub("", text))
    if svg:
        size = [float(part) for part in re.search(r'viewBox="([^"]*)"', svg)[1].split()]
        for x, y in re.findall(r'c[xy]="([\d.-]+)" cy="([\d.-]+)"', svg):
            assert 0 <= float(x) <= size[2]
            assert 0 <= float(y) <= size[3]
        assert "nan" not in svg
