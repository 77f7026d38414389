"""The chart of lines over groups: numbers in, SVG out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from saiten.reports.line_chart import MOST_GROUPS, Line, LineChart, chart_svg
from saiten.reports.page import as_html
from saiten.reports.tables import Table

TWO = LineChart("wscore", ("Db2", "分析基盤", "MQ"), (Line("qa", (3.5, 3.1, 4.0)), Line("mqa", (3.6, None, 4.2))))
HOSTILE = '"><script>alert(1)</script>&\x1b[31m\ud800'


def read(svg):
    """The SVG as a tree; it must be well-formed."""
    return etree.fromstring(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def texts(svg):
    """What is written in it."""
    return ["".join(node.itertext()) for node in read(svg).iter("{*}text")]


def test_the_first_line_is_dotted_and_the_second_solid():
    """As in the paper; and their marks differ, so that colour is not needed."""
    first, second = (g for g in read(chart_svg(TWO)).iter("{*}g") if len(g) > 2)
    assert first[0].get("stroke-dasharray") == "1.5 4"
    assert second[0].get("stroke-dasharray") is None
    assert (first[1].get("class"), second[1].get("class")) == ("mark hollow", "mark")


def test_a_group_without_a_value_is_a_gap():
    """Neither a zero nor a line across it."""
    svg = chart_svg(TWO)
    second = [g for g in read(svg).iter("{*}g") if len(g) > 1][2]
    path, *marks = second
    assert path.get("d").count("M") == 2
    assert len(marks) == 2
    assert "分析基盤 –" in read(svg).get("aria-label")


def test_names_of_groups_and_systems_are_written():
    """Long ones are cut, and whole in the title that a pointer shows."""
    long = "製品" * 40
    chart = LineChart("t", (long, "b"), (Line("x" * 200, (1, 2)),))
    shown = texts(chart_svg(chart))
    assert any("…" in text and long in text for text in shown)
    assert any("x" * 200 in text for text in shown)


@pytest.mark.parametrize(
    "chart",
    [
        LineChart("t", ("a",), (Line("x", (1,)),)),
        LineChart("t", ("a", "b"), (Line("x", (None, None)),)),
        LineChart("t", tuple(map(str, range(MOST_GROUPS + 1))), (Line("x", (1.0,) * (MOST_GROUPS + 1)),)),
    ],
)
def test_what_makes_no_line_is_not_drawn(chart):
    """A single group, no value, more groups than can be read."""
    assert chart_svg(chart) == ""


def test_text_from_outside_is_text():
    """Whatever a group or a folder is called, in the chart and on the page."""
    chart = LineChart(HOSTILE, (HOSTILE, "b"), (Line(HOSTILE, (1, 2)),))
    page = as_html([Table("t", ("a",), (("x",),), charts=(chart,))])
    assert page.count("<script>") == 1
    assert "<script>alert" not in page
    assert "\x1b" not in page
    page.encode()


def test_a_page_draws_charts_above_their_table():
    """Each with its title."""
    page = as_html([Table("Means", ("a",), (("x",),), charts=(TWO, TWO))])
    assert page.count('class="chart"') == 2
    assert page.index("<figcaption>wscore") < page.index("<table")


@settings(deadline=None, derandomize=True, database=None, max_examples=80)
@given(
    st.integers(2, 8).flatmap(
        lambda n: st.tuples(
            st.lists(st.text(max_size=12), min_size=n, max_size=n).map(tuple),
            st.lists(
                st.lists(st.none() | st.floats(-1e6, 1e6), min_size=n, max_size=n).map(tuple), min_size=1, max_size=9
            ),
        )
    )
)
def test_every_chart_is_well_formed_and_within_its_frame(given_chart):
    """Whatever the names and numbers, and however many lines."""
    groups, values = given_chart
    chart = LineChart("t", groups, tuple(Line(f"line {n}", each) for n, each in enumerate(values)))
    page = as_html([Table("t", ("a",), (("x",),), charts=(chart,))])
    start = page.find('<svg class="chart"')
    if start < 0:
        assert all(value is None for line in values for value in line)
        return
    svg = read(page[start : page.index("</svg>", start) + 6])
    width, height = float(svg.get("width")), float(svg.get("height"))
    for circle in svg.iter("{*}circle"):
        assert 0 <= float(circle.get("cx")) <= width
        assert 0 <= float(circle.get("cy")) <= height


def test_ten_products_fit_on_the_page():
    """The figure of the paper has ten; with long names it is still seen without scrolling at 1,300 pixels."""
    names = tuple(f"{n} Application Server Network Deployment" for n in range(10))
    svg = chart_svg(LineChart("wscore", names, (Line("qa", tuple(n / 3 for n in range(10))),)))
    assert float(read(svg).get("width")) <= 916
