"""Lines over groups, and accuracy against latency."""

import pytest
from chart_gallery import read, rows, size, texts, tooltips
from hypothesis import given
from hypothesis import strategies as st

from saiten.views.charts.accuracy_latency import MOST_POINTS, SystemPoint, accuracy_against_latency
from saiten.views.charts.dialogue_lines import MOST_GROUPS, Series, Value, dialogue_lines


def lines(*values, groups=("Db2", "分析基盤", "MQ")):
    """One line for each tuple of values."""
    return dialogue_lines(
        [
            Series(name, tuple(map(Value, groups, of)))
            for name, of in zip(("qa", "mqa", *map(str, range(99))), values, strict=False)
        ],
        score="wscore",
    )


TWO = lines((3.5, 3.1, 4.0), (3.6, None, 4.2))
THREE = (
    SystemPoint("gpt", "refine", 3.4, 0.5, 0.4, 0.6),
    SystemPoint("gpt", "map_reduce", 2.8, 0.4),
    SystemPoint("bison", "refine", 5.6, 0.6),
)


def test_the_first_line_is_dotted_and_the_second_solid():
    """As in the paper; their marks differ as well, so color is not needed."""
    chart = lines((1, 2, 3), (2, 3, 1))
    strokes = [node for node in read(chart.svg()).iter() if "line-" in node.get("stroke", "")]
    by_color = {node.get("stroke"): node.get("stroke-dasharray") for node in strokes if node.get("fill") is None}
    assert by_color == {"var(--line-1)": "1,4", "var(--line-2)": None}
    assert [row["shape"] for row in rows(chart, "point")] == [*["circle"] * 3, *["square"] * 3, "circle", "square"]


def test_a_group_without_a_value_is_a_gap():
    """The gap is neither a zero nor bridged by a line."""
    points = [row for row in rows(TWO, "point") if row.get("tooltip", "").startswith("mqa")]
    assert len(points) == 2
    assert not [row for row in rows(TWO, "rule", "color") if row["x"] < 1.5 < row["x2"] and row["y"] > 3.55]
    assert "mqa, 分析基盤: no value" in TWO.said


def test_names_of_groups_and_systems_are_written():
    """Long names are cut; the tooltip has the whole name."""
    long = "製品" * 40
    svg = dialogue_lines([Series("x" * 200, (Value(long, 1), Value("b", 2)))]).svg()
    assert any("…" in text for text in texts(svg))
    assert long in tooltips(svg)
    assert "x" * 200 in tooltips(svg)


@pytest.mark.parametrize(
    "chart",
    [
        lines((1,), groups=("a",)),
        lines((None, None), groups=("a", "b")),
        lines((1.0,) * (MOST_GROUPS + 1), groups=tuple(map(str, range(MOST_GROUPS + 1)))),
        lines(*[(1, 2)] * 37, groups=("a", "b")),
        dialogue_lines([]),
    ],
)
def test_what_makes_no_line_is_not_drawn(chart):
    """A single group, no value, or more groups or lines than can be read."""
    assert chart.svg() == ""


def test_ten_products_fit_on_the_page():
    """The paper's figure has ten; even with long names it fits without scrolling at 1,300 pixels."""
    names = tuple(f"{n} Application Server Network Deployment" for n in range(10))
    svg = lines(tuple(n / 3 for n in range(10)), groups=names).svg()
    assert size(svg)[0] <= 916
    assert len([text for text in texts(svg) if "…" in text]) == 10


def test_each_point_has_its_shape_and_the_key_names_the_shapes():
    """Chains are distinguishable by more than color."""
    chart = accuracy_against_latency(THREE)
    assert [row["shape"] for row in rows(chart, "point")] == ["circle", "square", "circle", "circle", "square"]
    assert {"refine", "map_reduce"} <= set(texts(chart.svg()))


def test_a_model_is_named_once():
    """The name is at the fastest point; if all points have the same model, it is not named at all."""
    assert texts(accuracy_against_latency(THREE).svg()).count("gpt") == 1
    assert "gpt" not in texts(accuracy_against_latency(THREE[:2]).svg())


def test_slower_is_further_right_and_more_accurate_is_higher():
    """The axes have the usual directions."""
    field = accuracy_against_latency(THREE).picture.plots[0]
    assert field.x.low < field.x.high
    assert field.y.low < field.y.high
    assert field.x.low == 0


def test_points_are_described_for_screen_readers():
    """The description has every point with both figures and its interval."""
    said = accuracy_against_latency(THREE).said
    assert "gpt refine: 0.5 (3.4 s), 95 % interval 0.4 to 0.6" in said
    assert "bison refine: 0.6 (5.6 s)" in said


@pytest.mark.parametrize(
    "points",
    [
        (),
        (SystemPoint("m", "c", 1, 0.5),) * (MOST_POINTS + 1),
        (SystemPoint("m", "c", float("nan"), 0.5),),
        tuple(SystemPoint("m", str(n), n, 0.5) for n in range(37)),
    ],
)
def test_nothing_and_too_much_are_not_drawn(points):
    """No picture is better than one that says nothing; the table has the figures."""
    assert not accuracy_against_latency(points).svg()


@given(
    st.integers(2, 8).flatmap(
        lambda n: st.tuples(
            st.lists(st.text(max_size=12), min_size=n, max_size=n, unique=True).map(tuple),
            st.lists(
                st.lists(st.none() | st.floats(-1e6, 1e6), min_size=n, max_size=n).map(tuple), min_size=1, max_size=9
            ),
        )
    ),
    st.lists(
        st.builds(SystemPoint, st.text(max_size=5), st.text(max_size=5), st.floats(0, 1e6), st.floats(-1e6, 1e6)),
        max_size=6,
    ),
)
def test_whatever_the_figures_marks_lie_in_the_field(given_lines, points):
    """Any names and numbers, and any number of lines, stay within the plot area."""
    groups, values = given_lines
    for chart in (lines(*values, groups=groups), accuracy_against_latency(points)):
        for panel in chart.picture.plots if chart.picture else ():
            for marks in panel.marks:
                for row in (row for row in marks.rows if marks.kind == "point"):
                    for axis, value in ((panel.x, row["x"]), (panel.y, row["y"])):
                        slack = abs(axis.high - axis.low) * 1e-6
                        assert min(axis.low, axis.high) - slack <= value <= max(axis.low, axis.high) + slack
